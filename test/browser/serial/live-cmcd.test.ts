import { afterAll, expect, it } from 'vitest';
import { LIVE_SETTINGS, liveFolder, PATIENT, playOn, startLive, type LiveStream } from '../support/live-stream.js';
import { openPage, outcomeOf, playUntil, servePlayerPageWith, startPlayer } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';
import { tappedServer, validated } from '../support/tapped-server.js';

const sid = '6e2fb550-c457-11e9-bb97-0800200c9a66';

let live: LiveStream;
let tapped: ReturnType<typeof tappedServer>;

const stage = playerStage(async (folder) => {
  live = await startLive(folder);
  tapped = tappedServer(folder);
  return servePlayerPageWith(tapped.program, folder, liveFolder(folder));
});

afterAll(() => live.stop('SIGKILL'));

it.each(['query', 'header'])(
  'CMCD by %s goes with all that a live stream asks for, with scores of chunks',
  async (mode) => {
    tapped.begin();
    const page = await openPage(stage.browser, stage.server.ready.url);
    const cmcd = { enabled: true, version: 2, mode, sid, cid: 'live' };
    const settings = { streaming: { ...LIVE_SETTINGS.streaming, ...PATIENT.streaming, cmcd } };
    await startPlayer(page, {}, new URL('/media/manifest.mpd', stage.server.ready.url).href, settings);
    await playUntil(page, 0.1);
    await playOn(page, 6);
    expect((await outcomeOf(page)).errors).toEqual([]);
    await page.close();
    const requests = tapped.requests();
    const answers = requests.map(validated);
    expect(answers.filter(({ valid }) => !valid)).toEqual([]);
    expect(answers.filter(({ data }) => data.sid !== sid || data.v !== 2).map(({ target }) => target)).toEqual([]);
    const followed = answers.filter((_, index) => requests[index]!.over === 'session');
    expect(followed.length).toBeGreaterThan(2);
    expect(followed.some(({ data }) => 'com.voxel-dash-score' in data)).toBe(true);
  },
);
