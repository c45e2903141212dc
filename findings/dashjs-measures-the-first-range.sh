#!/bin/bash
# dash.js takes the throughput of every media segment from the initialization segment's request where both are ranges of one file.
#
# Guess: the Resource Timing API, which dash.js uses by default, has an entry for each request, so each segment is measured by its own.
# Seen (dash.js 5.2.1, Chrome 156): dash.js takes the first entry with the request's address. With a SegmentList of ranges that is the initialization
# segment's: 834 bytes and a header of 300, whatever the segments have and the link carries. At 4 Mbit/s all segments of a run measured .6 Mbit/s, those of
# another 4.8, as its first milliseconds had it. With a file for each segment, or without `streaming.abr.throughput.useResourceTimingApi`, it is about 4.
# Matters to every comparison of bitrate rules on content of one file a representation: rules that count on throughput decide by noise.
. "$(dirname "$0")/support/setup.sh"
need ffmpeg
need_chromium
npm_packages puppeteer-core@24.43.1 dashjs@5.2.1

for layout in 'one -single_file 1' 'many -single_file 0'; do
  read -r folder options <<< "$layout"
  mkdir "$folder"
  # shellcheck disable=SC2086
  ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25:duration=12 -c:v libx264 -preset veryfast -b:v 1500k -maxrate 1500k -bufsize 1500k \
    -g 50 -keyint_min 50 -sc_threshold 0 -pix_fmt yuv420p -f dash -seg_duration 2 $options "$folder/manifest.mpd"
done

cat > finding.mjs <<'JS'
import { answerTo, holds, withPage } from './browser.mjs';

/** Of the link, bit/s: larger answers than `AT_ONCE` bytes take their time. */
const RATE = 4e6;
const AT_ONCE = 5000;
const STEP = 50;
const PACKAGES = { '/dash.js': 'dashjs/dist/modern/umd/dash.all.min.js' };
const PAGE = '<video muted></video><script src="/dash.js"></script>';

async function serve(request, response) {
  const answer = answerTo(request, PACKAGES);
  if (!answer) return response.writeHead(404).end();
  const { bytes, head, status } = answer;
  response.writeHead(status, head);
  if (bytes.length < AT_ONCE || !String(head['content-type']).startsWith('video')) return response.end(bytes);
  const size = (RATE / 8 / 1000) * STEP;
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  response.end();
}

/** Bytes by which each of five media segments was measured. */
const measured = (manifest, useResourceTimingApi) =>
  new Promise((resolve) => {
    const player = dashjs.MediaPlayer().create();
    player.updateSettings({ streaming: { abr: { throughput: { useResourceTimingApi } } } });
    const stored = [];
    player.on('throughputMeasurementStored', ({ throughputValues }) => {
      if (throughputValues.serviceLocation) stored.push(throughputValues);
      if (stored.length === 5) resolve(stored.map(({ downloadedBytes, value }) => ({ bytes: downloadedBytes, kbps: value })));
    });
    player.initialize(document.querySelector('video'), manifest, true);
  });

for (const [what, manifest, api, isSegment] of [
  ['ranges of one file', '/one/manifest.mpd', true, false],
  ['ranges of one file, without Resource Timing', '/one/manifest.mpd', false, true],
  ['a file for each segment', '/many/manifest.mpd', true, true],
])
  await withPage(PAGE, (request, response) => void serve(request, response), async (page, version) => {
    const segments = await page.evaluate(measured, manifest, api);
    console.log(`${version}, dash.js ${await page.evaluate(() => dashjs.Version)}: ${JSON.stringify(segments)}`);
    holds(`${what}: measured by more than 300 kB, its own bytes`, segments.every(({ bytes }) => bytes > 300_000), isSegment);
    holds(`${what}: all measured by the same bytes`, new Set(segments.map(({ bytes }) => bytes)).size === 1, !isSegment);
  });
JS
node finding.mjs
