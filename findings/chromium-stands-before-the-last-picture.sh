#!/bin/bash
# Chromium stops at the last picture of a Media Source buffer when that begins, however long it lasts, until another one or the end follows.
#
# Guess: a sample says how long it lasts, so with 8 s in the buffer (`buffered`) playback goes on for 8 s, whatever the frame rate.
# Seen (Chrome 156, software decoders; H.264 and AV1 by FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): of 8 s in two pictures 4 are played, of 8 s in
# four pictures 6, of 8 s in 32 pictures 7.9. `readyState` is 2 then (HAVE_CURRENT_DATA), and `waiting` is sent. After `endOfStream()` the rest is played.
# Matters where pictures are long (slides, frames left out, variable frame rates): a player whose buffer goal is met asks for no more, and stands for good.
. "$(dirname "$0")/support/setup.sh"
need_chromium
npm_packages puppeteer-core@24.43.1
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

export SVT_LOG=1
for rate in 1/4 1/2 4; do
  for codec in "h264 libx264 -preset ultrafast -bf 0" "av1 libsvtav1 -preset 10 -crf 40"; do
    read -r name encoder options <<< "$codec"
    "$ffmpeg" -v error -f lavfi -i "testsrc=size=320x180:rate=$rate" -t 16 -pix_fmt yuv420p -c:v $encoder $options -g 1000 \
      -movflags empty_moov+default_base_moof+delay_moov -frag_duration 4000000 "$name-${rate/\//_}.mp4" 2> encode.log
  done
done

cat > finding.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { holds, withPage } from './browser.mjs';

const CODECS = { h264: 'avc1.42c00d', av1: 'av01.0.00M.08' };
/** Pictures a second, and the second at which the last picture begins of those that are buffered. */
const RATES = { '1_4': 4, '1_2': 6, 4: 7.75 };
const BUFFERED = 8;

/** Plays what is appended up to `end`: where playback is after longer than that, and `seconds` after the end of the stream is told. */
async function play(bytes, codec, end, seconds) {
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time * 1000));
  const video = document.body.appendChild(document.createElement('video'));
  const source = new MediaSource();
  video.src = URL.createObjectURL(source);
  await new Promise((resolve) => (source.onsourceopen = resolve));
  const buffer = source.addSourceBuffer(`video/mp4; codecs="${codec}"`);
  buffer.appendWindowEnd = end;
  buffer.appendBuffer(new Uint8Array(bytes));
  await new Promise((resolve) => (buffer.onupdateend = resolve));
  void video.play();
  await wait(end + seconds);
  const stood = { at: video.currentTime, buffered: video.buffered.end(0), readyState: video.readyState };
  source.endOfStream();
  await wait(end / 2 + seconds);
  return { ...stood, ended: video.ended };
}

await withPage('<body></body>', (request, response) => response.writeHead(404).end(), async (page, version) => {
  console.log(version);
  const cases = Object.keys(CODECS).flatMap((codec) => Object.keys(RATES).map((rate) => ({ codec, rate })));
  await Promise.all(
    cases.map(async ({ codec, rate }) => {
      const bytes = [...readFileSync(`${codec}-${rate}.mp4`)];
      const { at, buffered, readyState, ended } = await page.evaluate(play, bytes, CODECS[codec], BUFFERED, 4);
      const stands = at >= RATES[rate] - 0.1 && at < RATES[rate] + 0.4;
      holds(`${codec}, ${rate.replace('_', '/')} pictures a second: stands at ${at.toFixed(2)} of ${buffered} s`, stands && buffered === BUFFERED && readyState === 2, true);
      holds(`${codec}, ${rate.replace('_', '/')} pictures a second: plays on after the end is told`, ended, true);
    }),
  );
});
JS
node finding.mjs
