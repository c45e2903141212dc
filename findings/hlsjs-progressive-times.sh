#!/bin/bash
# hls.js before 1.7.4 puts parts of fMP4 segments at wrong times with `progressive: true`: 12 s of video end before 8.
#
# Guess: each part has its own time in its `tfdt`, so what is in the buffer at the end is the same with `progressive` and without.
# Seen (hls.js 1.6.19 and 1.7.0 to 1.7.4, Chrome 156): of segments that have a fragment each half second, and take longer than that to come, the first
# part lies right, and others at the segment's beginning, over each other. The buffer ends early and has gaps; where hls.js is told to play it stalls
# and nudges, and has ended after 14 to 16 of 30 s, or (1.6.19) stands for good. No error is fatal. 1.7.4 has all of it at its times, as every version has without
# `progressive`.
# Matters to players with hls.js that show low-latency or slow segments while they arrive: 1.7.4 is the first version that does.
. "$(dirname "$0")/support/setup.sh"
need ffmpeg
need_chromium
npm_packages puppeteer-core@24.43.1 hls-1.6@npm:hls.js@1.6.19 hls-1.7.3@npm:hls.js@1.7.3 hls-1.7.4@npm:hls.js@1.7.4

ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25:duration=12 -c:v libx264 -preset veryfast -b:v 800k -g 100 -keyint_min 100 \
  -sc_threshold 0 -bf 2 -pix_fmt yuv420p -f dash -seg_duration 4 -frag_duration 0.5 -frag_type duration -single_file 1 -hls_playlist 1 manifest.mpd

cat > finding.mjs <<'JS'
import { answerTo, holds, withPage } from './browser.mjs';

/** Of the link, bytes a step of so many milliseconds. */
const [SIZE, STEP] = [10_000, 50];
const VERSIONS = ['1.6', '1.7.3', '1.7.4'];
const PACKAGES = Object.fromEntries(VERSIONS.map((name) => [`/${name}.js`, `hls-${name}/dist/hls.min.js`]));

async function serve(request, response) {
  const answer = answerTo(request, PACKAGES);
  if (!answer) return response.writeHead(404).end();
  const { bytes, head, status } = answer;
  response.writeHead(status, head);
  if (!String(head['content-type']).startsWith('video')) return response.end(bytes);
  for (let at = 0; at < bytes.length; at += SIZE) {
    response.write(bytes.subarray(at, at + SIZE));
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  response.end();
}

/** Where the buffer begins and ends, in seconds, once hls.js says that all is in it, or after 15 s; it does not play. */
const buffered = (progressive) =>
  new Promise((resolve) => {
    const video = document.querySelector('video');
    const hls = new Hls({ progressive });
    const tell = () => {
      const { buffered: ranges } = video;
      resolve(Array.from({ length: ranges.length }, (_, index) => [ranges.start(index), ranges.end(index)]));
    };
    hls.on(Hls.Events.BUFFER_EOS, tell);
    setTimeout(tell, 15_000);
    hls.loadSource('/master.m3u8');
    hls.attachMedia(video);
  });

for (const version of VERSIONS)
  for (const progressive of [false, true])
    await withPage(`<video></video><script src="/${version}.js"></script>`, (...of) => void serve(...of), async (page, browser) => {
      const ranges = await page.evaluate(buffered, progressive);
      console.log(`${browser}, hls.js ${await page.evaluate(() => Hls.version)}: ${JSON.stringify(ranges)}`);
      const isWhole = ranges.length === 1 && ranges[0][1] > 11.9;
      holds(`${progressive ? 'progressive' : 'plain'}: all is in the buffer`, isWhole, !progressive || version === '1.7.4');
    });
JS
node finding.mjs
