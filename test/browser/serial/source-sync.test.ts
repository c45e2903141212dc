import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeAll, expect, it } from 'vitest';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';
import { run } from '../support/clip.js';
import { openPage, outcomeOf, playUntil, servePlayerPage, startPlayer } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

/** s; a tenth of what viewers notice (ITU-R BT.1359-1). */
const TOLERANCE = 0.01;

type Way = 'encode' | 'copy';

/** Sources whose tracks do not begin together: container, which begins first, and the way they are prepared. */
const SOURCES: readonly (readonly [string, string, Way])[] = [
  ['ts', 'picture first', 'encode'],
  ['mp4', 'sound first', 'copy'],
  ['mp4', 'picture first', 'encode'],
  ['mp4', 'trimmed', 'encode'],
  ['mov', 'sound first', 'encode'],
  ['fragmented.mp4', 'none', 'copy'],
  ['mkv', 'sound first', 'encode'],
  ['webm', 'picture first', 'encode'],
  ['mpg', 'sound first', 'encode'],
  ['flv', 'picture first', 'encode'],
  ['avi', 'none', 'encode'],
];
/** The others only with `EVERY_CONTAINER=1`. */
const chosen = process.env['EVERY_CONTAINER'] ? SOURCES : SOURCES.slice(0, 2);

const stage = playerStage((folder) => {
  mkdirSync(join(folder, 'media'));
  return servePlayerPage(folder, join(folder, 'media'));
});

/** A clip that was prepared: its folder in the media, and how much later its tone comes than its flash, in seconds. */
interface Prepared {
  readonly name: string;
  readonly late: number;
}

/** Makes the clip and says where it is and, as FFmpeg times them, how late its tone is. */
const MAKE = `import sys, pathlib, flash_and_tone as f
clip = f.make_flash_and_tone(pathlib.Path(sys.argv[1]), *sys.argv[2:])
print(clip, f.moments(clip).late, sep="\\n")`;

/** Prepares a clip of black pictures and silence with a flash and a tone at the same moment. */
function prepareSource(container: string, begin: string, way: Way): Prepared {
  const name = `${container}-${begin}-${way}`.replaceAll(' ', '-');
  const work = join(stage.folder, name);
  mkdirSync(work);
  const tests = join(root, 'manifests/tests');
  const said = execFileSync(venvProgram('python'), ['-c', MAKE, work, container, begin], {
    encoding: 'utf8',
    cwd: tests,
  });
  const [source, late] = said.split('\n') as [string, string];
  const how = way === 'copy' ? ['--copy'] : ['--representations', '144p:0.1', '--preset', 'ultrafast'];
  run(venvProgram('voxel-prepare'), [source, '--out', join(stage.folder, 'media', name), '--segment', '1', ...how]);
  return { name, late: Number(late) };
}

/** How often the flash is played: a busy machine stops for a moment now and then. */
const PLAYS = 3;

/** How much later the tone is heard than the flash is shown, each time that the page's player plays both, in seconds of the player's time. */
function playAgainAndAgain(page: Page, plays: number): Promise<number[]> {
  return page.evaluate(async (plays) => {
    const { video } = window.players[0]!;
    video.muted = false;
    video.volume = 1;
    const audio = new AudioContext();
    const analyser = new AnalyserNode(audio, { fftSize: 8192 });
    const silence = new GainNode(audio, { gain: 0 });
    audio.createMediaElementSource(video).connect(analyser).connect(silence).connect(audio.destination);
    const samples = new Float32Array(analyser.fftSize);
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

    const seen: { flash?: number; tone?: number } = {};
    video.requestVideoFrameCallback(function shown(_now, { mediaTime }) {
      canvas.drawImage(video, 0, 0, 1, 1);
      if (canvas.getImageData(0, 0, 1, 1).data[0]! > 128) seen.flash ??= mediaTime;
      video.requestVideoFrameCallback(shown);
    });

    const hasBoth = (): boolean => seen.flash !== undefined && seen.tone !== undefined;
    const delays: number[] = [];
    for (let play = 0; play < plays; play += 1) {
      video.pause();
      video.currentTime = 0.5;
      do await pause(200);
      while (video.seeking);
      delete seen.flash;
      delete seen.tone;
      // Player's time less that of the sound output: the output's clock goes on where playback stops.
      const offsets: number[] = [];
      await video.play();
      while (!hasBoth() || offsets.length < 50) {
        await pause(4);
        offsets.push(video.currentTime - audio.currentTime);
        analyser.getFloatTimeDomainData(samples);
        const loud = samples.findIndex((sample) => Math.abs(sample) > 0.1);
        if (loud >= 0) seen.tone ??= audio.currentTime - (samples.length - loud) / audio.sampleRate;
        if (video.ended) break;
      }
      const lately = offsets.slice(-50).sort((a, b) => a - b);
      delays.push(seen.tone! + lately[lately.length >> 1]! - seen.flash!);
    }
    return delays;
  }, plays);
}

/** How much later the tone is heard after the flash than in the source, in seconds, but for what the browser takes to play sound. */
async function delay({ name, late }: Prepared): Promise<number> {
  const page = await openPage(stage.browser, stage.server.ready.url);
  await startPlayer(page, {}, `/media/${name}/manifest.mpd`);
  await playUntil(page, 0.2);
  const delays = await playAgainAndAgain(page, PLAYS);
  expect((await outcomeOf(page)).errors).toEqual([]);
  await page.close();
  return delays.sort((a, b) => a - b)[PLAYS >> 1]! - late;
}

let inSync: number;

beforeAll(async () => {
  inSync = await delay(prepareSource('mp4', 'none', 'encode'));
}, 180_000);

it.each(chosen)('%s, %s (%s): the tone is heard when the flash is shown', async (container, begin, way) => {
  const late = (await delay(prepareSource(container, begin, way))) - inSync;
  console.log(`${container}, ${begin}, ${way}: ${(1000 * late).toFixed(1)} ms`);
  expect(Math.abs(late)).toBeLessThan(TOLERANCE);
});
