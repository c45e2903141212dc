import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startIngested } from '../support/copied-stream.js';
import { liveFolder, PATIENT, playOn, recordVideo, recordedVideo, startLivePlayer } from '../support/live-stream.js';
import { openPage, outcomeOf, servePlayerPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';
import { strictDecode } from '../support/strict-decode.js';

let end: () => Promise<unknown>;
let page: Page;

const stage = playerStage(async (folder) => {
  end = await startIngested(folder);
  return servePlayerPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => end());

it('plays what an encoder elsewhere sends over HTTP, pictures and sound', async () => {
  await recordVideo(page);
  await startLivePlayer(page, {}, PATIENT);
  await playOn(page, 8);
  const [{ errors }, chunks] = [await outcomeOf(page), await page.evaluate(() => window.chunks)];
  expect(errors).toEqual([]);
  expect(chunks.some(({ mediaType }) => mediaType === 'audio')).toBe(true);
  expect(chunks.some(({ mediaType, bytesUnreliable }) => mediaType === 'video' && bytesUnreliable > 0)).toBe(true);
  for (const { init, media } of await recordedVideo(page)) expect(() => strictDecode(init, media)).not.toThrow();
}, 120_000);
