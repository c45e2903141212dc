#!/bin/bash
# dash.js jumps over what is in its buffer, where playback stands for a second within the last 1.5 s of a period.
#
# Guess: its gaps (`streaming.gaps`) are places without media: where all of the rest is buffered nothing is jumped over, however long playback stands.
# Seen (dash.js 5.2.1, Chromium 156): with the buffer full to the end and the element's rate 0, 1.3 s before the end, playback is .5 s before it within
# three seconds, and the pictures between are never shown; 1.9 s before the end it stays. With `smallGapLimit: 0` it stays in both places.
# A decoder that a busy device holds up for a second does the same.
# Matters to whoever counts pictures, or takes a rate of 0 for a pause: viewers of slow devices lose the last second, of each period too.
. "$(dirname "$0")/support/setup.sh"
need ffmpeg
need_chromium
npm_packages puppeteer-core@24.43.1 dashjs@5.2.1

ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=6 -c:v libx264 -preset veryfast -g 50 -keyint_min 50 -sc_threshold 0 \
  -pix_fmt yuv420p -f dash -seg_duration 2 manifest.mpd

cat > finding.mjs <<'JS'
import { answerTo, holds, withPage } from './browser.mjs';

const listener = (request, response) => {
  const answer = answerTo(request, { '/dash.js': 'dashjs/dist/modern/umd/dash.all.min.js' });
  if (!answer) return response.writeHead(404).end();
  response.writeHead(answer.status, answer.head).end(answer.bytes);
};

/** Plays, stands so many seconds before the end with everything buffered; seconds that the time has moved by after three. */
const stand = async (before, gaps) => {
  const video = document.querySelector('video');
  const player = dashjs.MediaPlayer().create();
  player.updateSettings({ streaming: { gaps } });
  const until = async (is) => {
    while (!is()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  player.initialize(video, '/manifest.mpd', true);
  await until(() => video.buffered.length === 1 && video.buffered.end(0) >= video.duration - 0.05 && video.currentTime > 0.2);
  video.currentTime = video.duration - before;
  await until(() => !video.seeking && video.currentTime > video.duration - before + 0.05);
  video.playbackRate = 0;
  const place = video.currentTime;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return { moved: Math.round((video.currentTime - place) * 10) / 10, left: Math.round((video.duration - place) * 10) / 10, version: dashjs.Version };
};

for (const [before, gaps, jumps] of [
  [1.4, {}, true],
  [2, {}, false],
  [1.4, { smallGapLimit: 0 }, false],
])
  await withPage('<video muted></video><script src="/dash.js"></script>', listener, async (page, browser) => {
    const { moved, left, version } = await page.evaluate(stand, before, gaps);
    console.log(`${browser}, dash.js ${version}, ${JSON.stringify(gaps)}: ${left} s before the end the time moved by ${moved} s`);
    holds('it jumped', moved > 0.1, jumps);
  });
JS
node finding.mjs
