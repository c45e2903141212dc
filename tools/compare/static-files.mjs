// @ts-check
import { createReadStream, statSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';

/** @type {Readonly<Record<string, string>>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
};

/**
 * Answers with a file of a folder, and nothing outside of it.
 * @param {string} folder @param {string} path of the URL @param {import('node:http').ServerResponse} response
 */
export function sendFile(folder, path, response) {
  const name = path.endsWith('/') ? `${path}index.html` : path;
  const file = join(folder, normalize(decodeURIComponent(name)));
  const isInside = file.startsWith(join(folder, '/'));
  if (!isInside || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  createReadStream(file).pipe(response);
}
