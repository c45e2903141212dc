import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startCopiedFile, TONES } from '../support/copied-stream.js';
import { outcomeOfHls, serveHlsPage, startHls } from '../support/hls-page.js';
import { liveFolder, PATIENT, playOn, startLivePlayer } from '../support/live-stream.js';
import { openPage, outcomeOf, servePlayerPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

declare global {
  interface Window {
    /** Events of SCTE 35 that dash.js has dispatched, by player. */
    cues: { time: number; at: number; duration: number; bytes: number[] }[][];
    /** The loudest frequency of what plays, in Hz. */
    tone: () => number;
  }
}

/** Seconds that the stream goes on: browsers and programs take their time to start. */
const SECONDS = 180;

/** dash.js' names of the languages. */
const SHORT = { eng: 'en', deu: 'de' } as const;

let copied: { stop(): Promise<unknown> };
let page: Page;

const stage = playerStage(async (folder) => {
  copied = await startCopiedFile(folder, SECONDS);
  return servePlayerPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => copied.stop());

it('plays the other track of sound when it is chosen live, over the session', async () => {
  await startLivePlayer(page, {}, PATIENT);
  await playOn(page, 2);
  await hear(page);
  expect(await languages(page)).toEqual({ offered: Object.values(SHORT), current: SHORT.eng });
  for (const language of ['deu', 'eng', 'deu'] as const) {
    await page.evaluate((short) => {
      const { player } = window.players[0]!;
      player.setCurrentTrack(player.getTracksFor('audio').find(({ lang }) => lang === short)!);
    }, SHORT[language]);
    await page.waitForFunction(
      (tone) => Math.abs(window.tone() - tone) < 50,
      { timeout: 30_000, polling: 50 },
      TONES[language],
    );
    await playOn(page, 1);
  }
  const representations = await page.evaluate(() => window.chunks.map(({ representation }) => representation));
  expect(representations).toEqual(expect.arrayContaining(['v0', 'a0', 'a1']));
  expect((await outcomeOf(page)).errors).toEqual([]);
}, 120_000);

it('hands cues of the sender to a listener when their time has come, with the plugin and without', async () => {
  await page.evaluate(() => {
    window.cues = [];
    window.preparePlayer = (player) => {
      const cues: Window['cues'][number] = [];
      window.cues.push(cues);
      player.on('urn:scte:scte35:2014:xml+bin', ((payload: {
        event: { calculatedPresentationTime: number; duration: number; messageData: Uint8Array };
      }) => {
        const { calculatedPresentationTime, duration, messageData } = payload.event;
        cues.push({
          time: calculatedPresentationTime,
          at: player.getVideoElement().currentTime,
          duration,
          bytes: [...messageData],
        });
      }) as never);
    };
  });
  const players = [await startLivePlayer(page, {}, PATIENT), await startLivePlayer(page, 'plain', PATIENT)];
  await page.waitForFunction(() => window.cues.every((cues) => cues.length > 2), { timeout: 60_000, polling: 50 });
  const heard = await page.evaluate(() => window.cues);
  expect(heard.length).toBe(players.length);
  for (const cues of heard) {
    for (const [place, { time, at, duration, bytes }] of cues.entries()) {
      expect(time).toBe(2 * Math.round(time / 2)); // as they were sent, and each once
      expect(time).toBe(cues[0]!.time + 2 * place);
      expect(duration).toBe(2);
      // A break that goes on already is told of at once, before the video has been moved there.
      if (place > 0) expect(at).toBeGreaterThanOrEqual(time);
      expect(bytes.slice(0, 2)).toEqual([0xfc, 0x30]);
      expect(Buffer.from(bytes).readUInt32BE(14)).toBe(time / 2); // splice_event_id
    }
  }
  for (const player of players) expect((await outcomeOf(page, player)).errors).toEqual([]);
}, 120_000);

it('hands them to hls.js as metadata, and offers it the tracks of sound', async () => {
  const server = await serveHlsPage(stage.folder, liveFolder(stage.folder));
  const hlsPage = await openPage(stage.browser, server.ready.url);
  await startHls(hlsPage, 'plain');
  const found = await hlsPage.waitForFunction(
    () => {
      const { video, hls } = window.hlsPlayer;
      const cues = [...video.textTracks].flatMap(({ cues }) => [...(cues ?? [])]) as (TextTrackCue & {
        readonly value?: { readonly key: string; readonly data: ArrayBuffer };
      })[];
      const breaks = cues.filter(({ value }) => value?.key === 'SCTE35-OUT');
      return (
        breaks.length > 2 &&
        video.currentTime > 1 && {
          starts: breaks.map(({ startTime }) => Math.round(startTime - breaks[0]!.startTime)),
          bytes: breaks.map(({ value }) => [...new Uint8Array(value!.data)]),
          languages: hls.audioTracks.map(({ lang }) => lang),
        }
      );
    },
    { timeout: 60_000, polling: 50 },
  );
  const { starts, bytes, languages } = (await found.jsonValue()) as Exclude<
    Awaited<ReturnType<typeof found.jsonValue>>,
    false
  >;
  const { errors } = await outcomeOfHls(hlsPage);
  await hlsPage.close();
  await server.stop();
  expect(starts).toEqual(starts.map((_, place) => 2 * place));
  const ids = bytes.map((section) => Buffer.from(section).readUInt32BE(14));
  expect(ids).toEqual(ids.map((_, place) => ids[0]! + place));
  expect(languages).toEqual(Object.keys(TONES));
  expect(errors.filter((error) => error.includes('(fatal)'))).toEqual([]);
}, 120_000);

/** Listens to the first player as a viewer would. */
function hear(page: Page): Promise<void> {
  return page.evaluate(() => {
    const { video } = window.players[0]!;
    video.muted = false;
    video.volume = 1;
    const audio = new AudioContext();
    const analyser = new AnalyserNode(audio, { fftSize: 4096 });
    audio
      .createMediaElementSource(video)
      .connect(analyser)
      .connect(new GainNode(audio, { gain: 0 }))
      .connect(audio.destination);
    const levels = new Float32Array(analyser.frequencyBinCount);
    window.tone = () => {
      analyser.getFloatFrequencyData(levels);
      return (levels.indexOf(Math.max(...levels)) * audio.sampleRate) / analyser.fftSize;
    };
  });
}

function languages(page: Page): Promise<{ offered: (string | null)[]; current: string | null | undefined }> {
  return page.evaluate(() => {
    const { player } = window.players[0]!;
    return {
      offered: player.getTracksFor('audio').map(({ lang }) => lang),
      current: player.getCurrentTrackFor('audio')?.lang,
    };
  });
}
