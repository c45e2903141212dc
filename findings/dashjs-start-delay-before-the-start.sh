#!/bin/bash
# dash.js' start delay in CMCD (`msd`) is the time until its first request with CMCD, not until it plays.
#
# Guess: `msd`, which CTA-5004-B has said once a session, is the time from the wish to play to the first picture, so it comes after that.
# Seen (dash.js 5.2.1, Chrome 156, version 2, autoplay): it is in the very first request with CMCD, the manifest's, some ms after that begins, and in no other,
# whatever playback takes to begin: here every answer waits for half a second, and the first picture comes after two of these at least.
# Matters to every collector that has start-up times from it: they are all excellent, and none is one. hls.js 1.7.4 says none.
. "$(dirname "$0")/support/setup.sh"
need ffmpeg
need_chromium
npm_packages puppeteer-core@24.43.1 dashjs@5.2.1

ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=6 -c:v libx264 -preset veryfast -g 50 -keyint_min 50 -sc_threshold 0 \
  -pix_fmt yuv420p -f dash -seg_duration 2 manifest.mpd

cat > finding.mjs <<'JS'
import { answerTo, holds, withPage } from './browser.mjs';

const DELAY = 500;
const PACKAGES = { '/dash.js': 'dashjs/dist/modern/umd/dash.all.min.js' };
const PAGE = '<video muted></video><script src="/dash.js"></script>';

/** Milliseconds until it plays. */
const play = (manifest) => {
  const video = document.querySelector('video');
  const player = dashjs.MediaPlayer().create();
  player.updateSettings({ streaming: { cmcd: { enabled: true, version: 2, mode: 'query' } } });
  const startedAt = performance.now();
  let played;
  video.addEventListener('playing', () => (played ??= performance.now() - startedAt));
  player.initialize(video, new URL(manifest, location.href).href, true);
  return new Promise((resolve) => video.addEventListener('ended', () => resolve(played)));
};

const said = [];
const listener = async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://page');
  const msd = /\bmsd=(\d+)/.exec(searchParams.get('CMCD') ?? '')?.[1];
  if (msd !== undefined) said.push({ pathname, msd: Number(msd) });
  const answer = answerTo(request, PACKAGES);
  if (!answer) return response.writeHead(404).end();
  if (pathname !== '/dash.js') await new Promise((resolve) => setTimeout(resolve, DELAY));
  response.writeHead(answer.status, answer.head).end(answer.bytes);
};
await withPage(PAGE, (request, response) => void listener(request, response), async (page, version) => {
  const played = await page.evaluate(play, '/manifest.mpd');
  console.log(`${version}, dash.js ${await page.evaluate(() => dashjs.Version)}: plays after ${Math.round(played)} ms, says ${JSON.stringify(said)}`);
  holds('plays after two answers or later', played > 2 * DELAY, true);
  holds('says it with', said.map(({ pathname }) => pathname), ['/manifest.mpd']);
  holds('says less than one answer takes', said.every(({ msd }) => msd < DELAY), true);
});
JS
node finding.mjs
