// @ts-check
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startServer } from '../../../tools/start/server.mjs';
import { rounded } from './process-figures.mjs';

/** Names in server/conformance/attacks.py. @type {readonly string[]} */
export const EDGE_ATTACKS = ['edge-sparse-ranges', 'edge-held-requests', 'edge-small-files'];

const CACHE_BYTES = 8_000_000;

/** Length of the file whose bytes are all over asked for, which is nowhere. */
const FILM_BYTES = 1000 * 2 ** 20;

const SAMPLE_MS = 1000;

const MODIFIED = 'Sun, 06 Nov 1994 08:49:37 GMT';

/**
 * An edge in front of an origin. The honest client's file is revalidated each time, so that it needs the origin, too.
 * @param {string} program @param {string} folder has `media.bin`
 */
export async function startEdge(program, folder) {
  const { origin, port, sent } = await startOrigin(readFileSync(join(folder, 'media.bin')));
  const cache = mkdtempSync(join(folder, 'cache-'));
  const options = ['--cache-dir', cache, '--cache-bytes', String(CACHE_BYTES), '--http-port', '0', '--quic-port', '0'];
  const server = await startServer(['--origin', `http://127.0.0.1:${String(port)}`, ...options], program);
  /** @type {NodeJS.Timeout | undefined} */
  let sampling;
  return {
    server,
    /** Counts from now until the result is called. */
    watch() {
      const [from, begun] = [sent(), servedBytes(server.ready)];
      let disk = 0;
      sampling = setInterval(() => (disk = Math.max(disk, bytesOnDisk(cache))), SAMPLE_MS);
      return async () => {
        clearInterval(sampling);
        disk = Math.max(disk, bytesOnDisk(cache));
        const [originBytes, served] = [sent() - from, (await servedBytes(server.ready)) - (await begun)];
        const [originByServed, diskByCache] = [rounded(originBytes / served), rounded(disk / CACHE_BYTES)];
        return { originBytes, servedBytes: served, diskBytes: disk, originByServed, diskByCache };
      };
    },
    async stop() {
      clearInterval(sampling);
      origin.closeAllConnections();
      origin.close();
      await once(origin, 'close');
      rmSync(cache, { recursive: true });
    },
  };
}

/** @param {Buffer} media */
async function startOrigin(media) {
  let sent = 0;
  const origin = createServer((request, response) => {
    const path = request.url ?? '';
    // Until the edge has enough of it.
    if (path.startsWith('/held')) return;
    const small = path.startsWith('/small');
    const size = path === '/media.bin' ? media.length : small ? 100 : FILM_BYTES;
    response.setHeader('etag', '"1"');
    response.setHeader('last-modified', MODIFIED);
    response.setHeader('cache-control', path === '/media.bin' ? 'no-cache' : 'max-age=3600');
    if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
    const [first = 0, last = size - 1] = (/^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [])
      .slice(1)
      .map(Number);
    const end = Math.min(size, last + 1);
    const body = path === '/media.bin' ? media.subarray(first, end) : Buffer.alloc(end - first);
    sent += body.length;
    response.writeHead(206, { 'content-range': `bytes ${first}-${end - 1}/${size}`, 'content-length': body.length });
    response.end(body);
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (origin.address());
  return { origin, port, sent: () => sent };
}

/** Bytes of bodies that the edge has sent. @param {import('../../../tools/start/server.mjs').Ready} ready */
async function servedBytes({ metrics }) {
  const text = await (await fetch(String(metrics))).text();
  const counted = text.matchAll(/^voxel_(?:stream|datagram)_bytes_total (\d+)$/gm);
  return [...counted].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** With that of the folder itself. @param {string} folder */
function bytesOnDisk(folder) {
  const blocks = (/** @type {string} */ file) => lstatSync(file, { throwIfNoEntry: false })?.blocks ?? 0;
  return 512 * ['', ...readdirSync(folder)].reduce((sum, file) => sum + blocks(join(folder, file)), 0);
}
