#!/bin/bash
# dash.js says that playback is 0 s behind the live edge wherever that is, as long as it stands at time 0.
#
# Guess: `getCurrentLiveLatency()` of a live stream is what has passed since the picture was captured, at every place, NaN where it is not known.
# Seen (dash.js 5.2.1, Chrome 156): of a stream that began 30 s ago it says 0 while playback stands at time 0, as after a seek to the start for as
# long as the segment takes to come, and 30 once it plays.
# Matters to whoever acts on that figure: a viewer who goes back to the start of an event looks like one at the live edge.
. "$(dirname "$0")/support/setup.sh"
need ffmpeg
need_chromium
npm_packages puppeteer-core@24.43.1 dashjs@5.2.1

ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=120 -c:v libx264 -preset veryfast -g 50 -keyint_min 50 -sc_threshold 0 \
  -pix_fmt yuv420p -f dash -use_timeline 0 -seg_duration 2 vod.mpd

cat > finding.mjs <<'JS'
import { answerTo, holds, withPage } from './browser.mjs';

const AGE = 30;
/** Milliseconds that the first segment takes. */
const DELAY = 1500;
const PACKAGES = { '/dash.js': 'dashjs/dist/modern/umd/dash.all.min.js' };
const PAGE = '<video muted></video><script src="/dash.js"></script>';
const began = new Date(Date.now() - AGE * 1000).toISOString();
const LIVE = `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="dynamic" profiles="urn:mpeg:dash:profile:isoff-live:2011" availabilityStartTime="${began}"
  publishTime="${began}" minimumUpdatePeriod="PT60S" minBufferTime="PT2S" timeShiftBufferDepth="PT120S"><Period id="1" start="PT0S">
  <AdaptationSet mimeType="video/mp4" segmentAlignment="true"><SegmentTemplate timescale="1" duration="2" startNumber="1"
  media="chunk-stream0-$Number%05d$.m4s" initialization="init-stream0.m4s"/>
  <Representation id="v" codecs="avc1.42c00d" bandwidth="300000" width="320" height="180"/></AdaptationSet></Period></MPD>`;

/** Seconds behind the live edge at the edge, then after a seek to time 0: while that is awaited, and half a second on. */
const seek = async (manifest) => {
  const video = document.querySelector('video');
  const player = dashjs.MediaPlayer().create();
  const until = async (condition) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
    return player.getCurrentLiveLatency();
  };
  player.initialize(video, new URL(manifest, location.href).href, true);
  const edge = await until(() => video.currentTime > 1 && video.readyState > 2);
  player.seekToPresentationTime(0);
  const start = await until(() => video.currentTime === 0 && video.seeking);
  return { edge, start, after: await until(() => video.currentTime > 0.5) };
};

const listener = async (request, response) => {
  const { pathname } = new URL(request.url, 'http://page');
  if (pathname === '/live.mpd') return response.writeHead(200, { 'content-type': 'application/dash+xml' }).end(LIVE);
  const answer = answerTo(request, PACKAGES);
  if (!answer) return response.writeHead(404).end();
  if (pathname.endsWith('-00001.m4s')) await new Promise((resolve) => setTimeout(resolve, DELAY));
  response.writeHead(answer.status, answer.head).end(answer.bytes);
};
await withPage(PAGE, (request, response) => void listener(request, response), async (page, version) => {
  const { edge, start, after } = await page.evaluate(seek, '/live.mpd');
  console.log(`${version}, dash.js ${await page.evaluate(() => dashjs.Version)}: ${edge.toFixed(1)} s behind, at the start ${start}, then ${after.toFixed(1)}`);
  holds('is behind at the edge', edge > 0 && edge < AGE, true);
  holds('says at the start', start, 0);
  holds('says half a second further on at least as much as has passed', after >= AGE - 1, true);
});
JS
node finding.mjs
