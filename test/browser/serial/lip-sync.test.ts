import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { prepareClip } from '../support/clip.js';
import { openPage, outcomeOf, playUntil, servePlayerPage, startPlayer } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

const SECONDS = 12;
/** ms; viewers notice sound from 45 ms early or 125 ms late (ITU-R BT.1359-1): the stricter of the two, both ways. */
const TOLERANCE = 45;

const stage = playerStage(async (folder) =>
  servePlayerPage(folder, await prepareClip(folder, { seconds: SECONDS, segmentSeconds: 2, content: 'flashes' })),
);

/** When flashes became visible and beeps audible, ms on the page's clock. */
interface Onsets {
  readonly flashes: number[];
  readonly beeps: number[];
}

/** Listens to the page's player as a viewer would: to the pictures that it shows and the sound that it plays. */
function watchOnsets(page: Page): Promise<void> {
  return page.evaluate(() => {
    const { video } = window.players[0]!;
    const onsets: Onsets = { flashes: [], beeps: [] };
    Object.assign(window, { onsets });

    video.muted = false;
    video.volume = 1;
    const audio = new AudioContext();
    const analyser = new AnalyserNode(audio, { fftSize: 256 });
    audio
      .createMediaElementSource(video)
      .connect(analyser)
      .connect(new GainNode(audio, { gain: 0 }))
      .connect(audio.destination);
    const samples = new Float32Array(analyser.fftSize);
    let loud = false;
    setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const isLoud = samples.some((sample) => Math.abs(sample) > 0.1);
      if (isLoud && !loud) onsets.beeps.push(performance.now());
      // A period of the tone passes through zero: only a whole window of silence ends a beep.
      loud = isLoud;
    }, 4);

    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    let bright = false;
    video.requestVideoFrameCallback(function shown(_now, { expectedDisplayTime }) {
      canvas.drawImage(video, 0, 0, 1, 1);
      const isBright = canvas.getImageData(0, 0, 1, 1).data[0]! > 128;
      if (isBright && !bright) onsets.flashes.push(expectedDisplayTime);
      bright = isBright;
      video.requestVideoFrameCallback(shown);
    });
  });
}

it('shows each flash when its beep is heard, over datagrams', async () => {
  const page = await openPage(stage.browser, stage.server.ready.url);
  await startPlayer(page);
  await watchOnsets(page);
  await playUntil(page);
  const { errors, statistics } = await outcomeOf(page);
  expect(errors).toEqual([]);
  expect(statistics!.segments.some((segment) => segment.delivery === 'datagrams')).toBe(true);

  const { flashes, beeps } = await page.evaluate(() => (window as unknown as { onsets: Onsets }).onsets);
  const delays = flashes.flatMap((flash) => {
    const nearest = beeps.map((beep) => beep - flash).sort((a, b) => Math.abs(a) - Math.abs(b))[0];
    return nearest === undefined ? [] : [nearest];
  });
  expect(delays.length).toBeGreaterThanOrEqual(SECONDS - 4);
  const median = delays.sort((a, b) => a - b)[delays.length >> 1]!;
  console.log(`sound after picture: median ${median.toFixed(1)} ms of ${delays.length} flashes`);
  expect(Math.abs(median)).toBeLessThan(TOLERANCE);
});
