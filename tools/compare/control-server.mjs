// @ts-check
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { startComparison } from './comparison.mjs';
import { listen } from './listen.mjs';
import { sendFile } from './static-files.mjs';

/** ms between two reports of the links: fine enough for a picture of them. */
const REPORT_MS = 250;

/** Of a request of the page, which are a few numbers. */
const MAX_JSON_BYTES = 10_000;

/** What a recording is made of. */
const RECORDED_FILE = /^[a-z0-9-]+\.(json|bin)$/;

/** A request that makes no sense; the page is ours, so nobody but a developer reads it. */
class BadRequest extends Error {}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<Record<string, unknown>>} */
async function jsonOf(request) {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_JSON_BYTES) throw new BadRequest('the request is too long');
  }
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // As below.
  }
  throw new BadRequest('the request must be a JSON object');
}

/** @param {Record<string, unknown>} values @param {string} name @param {number} low @param {number} high */
function numberIn(values, name, low, high) {
  const value = values[name];
  if (typeof value === 'number' && value >= low && value <= high) return value;
  throw new BadRequest(`${name} must be a number from ${low} to ${high}, got ${JSON.stringify(value)}`);
}

/**
 * The page's server: its files, and the links that it asks for.
 * @param {{ page: string, port: number, presets: readonly import('./presets.mjs').Preset[], content: object,
 *   program: (isLive: boolean) => Promise<import('./programs.mjs').Program>, recordTo: string | undefined }} settings `content`: what
 *   the page is told of the command; `program`: what plays over a link; `recordTo`: folder that recordings go to
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function startControlServer({ page, port, presets, content, program, recordTo }) {
  /** One at a time. @type {import('./comparison.mjs').Comparison | undefined} */
  let comparison;

  /** @param {Record<string, unknown>} values */
  function presetOf(values) {
    const preset = presets.find(({ id }) => id === values.preset);
    if (preset) return preset;
    throw new BadRequest(
      `preset must be one of ${presets.map(({ id }) => id).join(', ')}, got ${String(values.preset)}`,
    );
  }

  /** @type {Readonly<Record<string, (values: Record<string, unknown>) => object | Promise<object>>>} */
  const commands = {
    async '/api/program'(values) {
      const { isLive = false } = presetOf(values);
      comparison?.close();
      comparison = undefined;
      const { media, duration, segmentDuration } = await program(isLive);
      return { media, isLive, duration, segmentDuration };
    },
    async '/api/start'(values) {
      const preset = presetOf(values);
      const { server } = await program(preset.isLive ?? false);
      const settings = { scale: numberIn(values, 'scale', 0.1, 10), seed: numberIn(values, 'seed', 0, 2 ** 32 - 1) };
      comparison?.close();
      comparison = await startComparison(preset, settings, server);
      return { lanes: comparison.lanes, certificateHashes: server.certificateHashes };
    },
    '/api/scale'(values) {
      comparison?.rescale(numberIn(values, 'scale', 0.1, 10));
      return {};
    },
    '/api/stop'() {
      comparison?.close();
      comparison = undefined;
      return {};
    },
  };

  /** Server-sent events: the progress of the links that run. @param {import('node:http').ServerResponse} response */
  function report(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const timer = setInterval(() => {
      if (comparison) response.write(`data: ${JSON.stringify(comparison.progress())}\n\n`);
    }, REPORT_MS);
    response.on('close', () => clearInterval(timer));
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async function answer(request, response) {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const command = Object.hasOwn(commands, pathname) ? commands[pathname] : undefined;
    if (request.method === 'POST' && command) {
      sendJson(response, 200, await command(await jsonOf(request)));
    } else if (request.method === 'PUT' && recordTo !== undefined && pathname.startsWith('/api/recording/')) {
      const name = pathname.slice('/api/recording/'.length);
      if (!RECORDED_FILE.test(name)) throw new BadRequest(`not a file of a recording: ${name}`);
      await pipeline(request, createWriteStream(join(recordTo, name)));
      sendJson(response, 200, {});
    } else if (pathname === '/api/content') {
      sendJson(response, 200, {
        ...content,
        presets: presets.map(({ id, title, about, isLive = false }) => ({ id, title, about, isLive })),
      });
    } else if (pathname === '/api/events') {
      report(response);
    } else {
      sendFile(page, pathname, response);
    }
  }

  const web = createServer((request, response) => {
    const { origin, host = '' } = request.headers;
    // Nobody else's page may drive the links, nor one whose name was made to lead here.
    const isOurs = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) && (origin ?? `http://${host}`) === `http://${host}`;
    if (!isOurs) {
      sendJson(response, 403, { error: 'another origin' });
      return;
    }
    answer(request, response).catch((/** @type {unknown} */ error) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, error instanceof BadRequest ? 400 : 500, { error: String(error) });
    });
  });
  await listen(web, port);
  const address = /** @type {import('node:net').AddressInfo} */ (web.address());
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close() {
      comparison?.close();
      web.closeAllConnections();
      web.close();
    },
  };
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {object} value */
function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(value));
}
