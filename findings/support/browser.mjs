// @ts-check
// What findings in a browser share. It is copied beside the packages that a finding installs.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import puppeteer from 'puppeteer-core';

const TYPES = { '.js': 'text/javascript', '.mpd': 'application/dash+xml', '.mp4': 'video/mp4', '.m4s': 'video/mp4' };

/** @typedef {{ bytes: Buffer, head: Record<string, string | number>, status: number, range: string | undefined }} Answer */

/**
 * Answer to a request for a file of the working folder, or for the byte range that the request names.
 * @param {import('node:http').IncomingMessage} request @param {Readonly<Record<string, string>>} [packages] addresses of files in `node_modules`
 * @returns {Answer | undefined}
 */
export function answerTo(request, packages = {}) {
  const path = new URL(request.url ?? '/', 'http://page').pathname;
  const file = packages[path] ? `node_modules/${packages[path]}` : `.${path}`;
  /** @type {Buffer} */
  let whole;
  try {
    whole = readFileSync(file);
  } catch {
    return undefined;
  }
  const { range } = request.headers;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const bytes = first === undefined ? whole : whole.subarray(Number(first), Number(last) + 1);
  const type = Object.entries(TYPES).find(([ending]) => path.endsWith(ending))?.[1] ?? 'application/octet-stream';
  const head = { 'content-type': type, 'content-length': bytes.length, 'cache-control': 'no-store' };
  if (first === undefined) return { bytes, head, status: 200, range };
  return { bytes, head: { ...head, 'content-range': `bytes ${first}-${last}/${whole.length}` }, status: 206, range };
}

/**
 * Runs `visit` with an empty page of a server of its own, on which `html` stands.
 * @param {string} html @param {import('node:http').RequestListener} listener for everything but the page itself
 * @param {(page: import('puppeteer-core').Page, version: string) => Promise<void>} visit
 */
export async function withPage(html, listener, visit) {
  const server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(`<!doctype html>${html}`);
    else listener(request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROME,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${address.port}/`);
    await visit(page, await browser.version());
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

/**
 * Prints what was seen; ends the process with 1 where it is not what the finding says.
 * @param {string} what @param {unknown} seen @param {unknown} expected
 */
export function holds(what, seen, expected) {
  const [ours, theirs] = [JSON.stringify(seen), JSON.stringify(expected)];
  console.log(`${what}: ${ours}`);
  if (ours === theirs) return;
  console.log(`  has changed: the finding says ${theirs}`);
  process.exitCode = 1;
}
