#!/bin/bash
# Chromium sends a request for one byte range of a file only when an earlier request for another range of it has its answer's header.
#
# Guess: two requests for ranges that do not overlap travel side by side, as over HTTP/2 and HTTP/3 they may, whatever the cache keeps.
# Seen (Chrome 156, puppeteer-core 24.43.1): the HTTP cache has one entry for an address. Whoever asks for it second waits, before anything is
# sent, until the first has its header; not so with another address, such as another query, or with `cache: 'no-store'`. `cache: 'no-cache'` waits,
# too, and so do answers that say `Cache-Control: no-store`, as that is not known before.
# Matters where a representation is one file (SegmentBase, SegmentList, EXT-X-BYTERANGE): an initialization segment and the first media segment, or
# two segments, asked for at once come one round trip later than from files of their own.
. "$(dirname "$0")/support/setup.sh"
need_chromium
npm_packages puppeteer-core@24.43.1

cat > finding.mjs <<'JS'
import { holds, withPage } from './browser.mjs';

/** How long the answer to the first range is held back for a second request, ms. */
const PATIENCE = 3000;
/** Addresses of the first and the second request, fetch's options, and whether the second request comes while the first has no answer. */
const CASES = [
  ['one file', '/a.mp4', '/a.mp4', {}, false],
  ["one file, cache: 'no-cache'", '/b.mp4', '/b.mp4', { cache: 'no-cache' }, false],
  ['two files', '/c.mp4', '/d.mp4', {}, true],
  ['one file, two queries', '/e.mp4?1', '/e.mp4?2', {}, true],
  ["one file, cache: 'no-store'", '/f.mp4', '/f.mp4', { cache: 'no-store' }, true],
];

let sideBySide = false;
let arrived = () => undefined;

async function answer(request, response) {
  const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined) return response.writeHead(404).end();
  if (first === '0') {
    const second = new Promise((resolve) => (arrived = () => resolve(true)));
    sideBySide = await Promise.race([second, new Promise((resolve) => setTimeout(resolve, PATIENCE, false))]);
  } else arrived();
  const head = { 'content-type': 'video/mp4', 'content-range': `bytes ${first}-${last}/2000`, etag: '"1"' };
  response.writeHead(206, { ...head, 'content-length': 1000, 'cache-control': 'max-age=60' }).end(Buffer.alloc(1000));
}

await withPage('', (request, response) => void answer(request, response), async (page, version) => {
  console.log(version);
  for (const [what, first, second, options, expected] of CASES) {
    await page.evaluate(
      async (first, second, options) => {
        const get = async (url, range) => (await fetch(url, { ...options, headers: { range } })).arrayBuffer();
        const one = get(first, 'bytes=0-999');
        await new Promise((resolve) => setTimeout(resolve, 200));
        await Promise.all([one, get(second, 'bytes=1000-1999')]);
      },
      ...[first, second, options],
    );
    holds(`${what}: the second request is sent before the first is answered`, sideBySide, expected);
  }
});
JS
node finding.mjs
