#!/bin/bash
# dash.js and hls.js say nothing of themselves (CMCD) with a request for a manifest that the page gives by a relative address.
#
# Guess: with CMCD on, every request has it, the one for the manifest too: both players resolve the address against the page's.
# Seen (dash.js 5.2.1, hls.js 1.7.4, Chrome 156, version 2 in the address): with `/manifest.mpd` or `/master.m3u8` the request has no CMCD, with the same
# address written out it has. Both hand it as it is to the reporter of the Common Media Library, which makes a `URL` of it; that throws, and the players
# log a warning. All other requests have absolute addresses.
# Matters to whoever counts playbacks by their first request: pages as a rule write relative addresses, and the player then begins with its segments.
. "$(dirname "$0")/support/setup.sh"
need ffmpeg
need_chromium
npm_packages puppeteer-core@24.43.1 dashjs@5.2.1 hls.js@1.7.4

ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=6 -c:v libx264 -preset veryfast -g 50 -keyint_min 50 -sc_threshold 0 \
  -pix_fmt yuv420p -f dash -seg_duration 2 -hls_playlist 1 manifest.mpd

cat > finding.mjs <<'JS'
import { answerTo, holds, withPage } from './browser.mjs';

const PACKAGES = { '/dash.js': 'dashjs/dist/modern/umd/dash.all.min.js', '/hls.js': 'hls.js/dist/hls.min.js' };
const PAGE = '<video muted></video><script src="/dash.js"></script><script src="/hls.js"></script>';

const play = (name, address) => {
  const video = document.querySelector('video');
  if (name === 'dash.js') {
    const player = dashjs.MediaPlayer().create();
    player.updateSettings({ streaming: { cmcd: { enabled: true, version: 2, mode: 'query' } } });
    player.initialize(video, address, true);
  } else {
    const hls = new Hls({ cmcd: { version: 2 } });
    hls.loadSource(address);
    hls.attachMedia(video);
    void video.play();
  }
  return new Promise((resolve) => video.addEventListener('ended', () => resolve(name === 'dash.js' ? dashjs.Version : Hls.version)));
};

for (const [name, manifest] of [['dash.js', '/manifest.mpd'], ['hls.js', '/master.m3u8']])
  for (const isAbsolute of [false, true]) {
    const asked = [];
    const listener = (request, response) => {
      const answer = answerTo(request, PACKAGES);
      if (/\.(mpd|m3u8|m4s|mp4)/.test(request.url)) asked.push(new URL(request.url, 'http://page'));
      if (!answer) return response.writeHead(404).end();
      response.writeHead(answer.status, answer.head).end(answer.bytes);
    };
    await withPage(PAGE, listener, async (page, version) => {
      const address = isAbsolute ? new URL(manifest, page.url()).href : manifest;
      console.log(`${version}, ${name} ${await page.evaluate(play, name, address)}, ${isAbsolute ? 'absolute' : 'relative'}: ${asked.length} requests`);
      const without = asked.filter(({ searchParams }) => !searchParams.has('CMCD')).map(({ pathname }) => pathname);
      holds('requests without CMCD', without, isAbsolute ? [] : [manifest]);
    });
  }
JS
node finding.mjs
