import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { validateCmcdEventReport } from '@svta/cml-cmcd';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';
import { prepareClip } from './support/clip.js';
import { outcomeOfHls, playHlsToEnd, startHls } from './support/hls-page.js';
import { openPage, outcomeOf, playToEnd, servePlayerPageWith, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import { tappedServer, validated, type Tapped } from './support/tapped-server.js';

// More segments than the buffer holds: what is known once playback has begun goes with a request then.
const clip = { seconds: 20, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;
const SCORE = 'com.voxel-dash-score';
const STARTUP = 'com.voxel-dash-startup';
const sid = '6e2fb550-c457-11e9-bb97-0800200c9a66';

let tapped: ReturnType<typeof tappedServer>;

const stage = playerStage(async (folder) => {
  tapped = tappedServer(folder);
  const media = await prepareClip(folder, clip);
  const hls = ['--mount', `/hls.js=${join(root, 'node_modules/hls.js/dist')}`];
  return servePlayerPageWith(tapped.program, folder, media, ...hls);
});

type Play = (page: Page) => Promise<void>;

/** Plays; gives the requests that the server had meanwhile. */
async function requestsOf(play: Play): Promise<Tapped[]> {
  tapped.begin();
  const page = await openPage(stage.browser, stage.server.ready.url);
  await play(page);
  await page.close();
  return tapped.requests();
}

const absolute = (path: string): string => new URL(path, stage.server.ready.url).href;

interface Way {
  readonly mode?: 'query' | 'header';
  readonly address?: 'absolute' | 'relative';
  readonly plugin?: boolean;
  /** Where events are reported. */
  readonly collector?: string;
}

const KEYS = ['e', 'ts', 'sid', 'cid', 'v', 'sta', 'sn', 'br', 'bl', 'rc', 'url'] as const;

const targetsOf = (url: string | undefined, more: object): object[] =>
  url === undefined ? [] : [{ url, events: ['ps', 't', 'rr'], interval: 1, batchSize: 1, ...more }];

/** Plays all of the clip with each player. */
const players = {
  'dash.js': ({ mode = 'query', address = 'absolute', plugin = true, collector }: Way): Play => {
    return async (page) => {
      const eventTargets = targetsOf(collector, { enabled: true, enabledKeys: KEYS });
      const cmcd = { enabled: true, version: 2, mode, sid, cid: 'clip', eventTargets };
      const manifest = '/media/manifest.mpd';
      const url = address === 'absolute' ? absolute(manifest) : manifest;
      await startPlayer(page, plugin ? { bufferSegments: 3 } : 'plain', url, { streaming: { cmcd } });
      await playToEnd(page, { seconds: 4 });
      const { errors, statistics } = await outcomeOf(page);
      expect(errors).toEqual([]);
      // How many depends on how fast the machine is; none where the plugin does not know the player's requests again.
      if (plugin) expect(statistics!.segments.filter(({ early }) => early).length).toBeGreaterThan(0);
    };
  },
  'hls.js': ({ mode = 'query', address = 'absolute', plugin = true, collector }: Way): Play => {
    return async (page) => {
      const eventTargets = targetsOf(collector, { includeKeys: KEYS });
      const cmcd = { version: 2, useHeaders: mode === 'header', sessionId: sid, contentId: 'clip', eventTargets };
      const playlist = '/media/master.m3u8';
      const url = address === 'absolute' ? absolute(playlist) : playlist;
      await startHls(page, plugin ? { bufferSegments: 3 } : 'plain', 'hls.js', { cmcd } as object, url);
      await playHlsToEnd(page, 4);
      expect((await outcomeOfHls(page)).ended).toBe(true);
    };
  },
};
const each = Object.entries(players);

describe.each(['query', 'header'] as const)('CMCD version 2 by %s', (mode) => {
  it.each(each)('goes with every request of %s, over the session, too, with figures of the plugin', async (_, play) => {
    const requests = await requestsOf(play({ mode }));
    const answers = requests.map(validated);
    expect(answers.filter(({ valid }) => !valid)).toEqual([]);
    expect(answers.filter(({ data }) => data.sid !== sid || data.v !== 2).map(({ target }) => target)).toEqual([]);
    const overSession = answers.filter((_, index) => requests[index]!.over === 'session');
    expect(overSession.length).toBeGreaterThanOrEqual(SEGMENTS);
    // Requests for one segment say the same.
    const scores = new Set(overSession.filter(({ data }) => SCORE in data).map(({ data }) => data.sn));
    expect(scores.size).toBeGreaterThan(1);
    for (const { data } of answers) if (SCORE in data) expect(data[SCORE]).toMatch(/^(?:0\.\d{1,5}|1)$/);
    const startups = new Map(answers.filter(({ data }) => STARTUP in data).map(({ data }) => [data.sn, data[STARTUP]]));
    const said = answers.map(({ data }, place) => [requests[place]!.over, data.sn, data.sta, data.bl]);
    expect([...startups.values()], JSON.stringify(said)).toEqual([expect.stringMatching(/^\d+(?:\.\d+)?$/)]);
  });
});

it.each(each)('%s itself says nothing of a manifest that it has by a relative address', async (_, play) => {
  const without = async (plugin: boolean): Promise<string[]> => {
    const answers = (await requestsOf(play({ address: 'relative', plugin }))).map(validated);
    return answers.filter(({ data }) => data.sid !== sid).map(({ target }) => target);
  };
  const plain = await without(false);
  expect(plain).toEqual([expect.stringMatching(/^\/media\/(?:manifest\.mpd|master\.m3u8)$/)]);
  // Nor does the plugin with the indexes that it asks for before the first segment.
  expect((await without(true)).filter((target) => !target.endsWith('.index'))).toEqual(plain);
});

describe('event reports', () => {
  let collector: Server;
  let url: string;
  const reports: { readonly headers: Record<string, string>; readonly body: string }[] = [];

  beforeAll(async () => {
    collector = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        if (request.method === 'POST')
          reports.push({ headers: { 'content-type': request.headers['content-type'] ?? '' }, body });
        const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' };
        response.writeHead(204, cors).end();
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;
  });
  afterAll(() => collector.close().closeAllConnections());

  it.each(each)('of %s go on with the plugin, of segments over the session, too', async (_, play) => {
    reports.length = 0;
    const requests = await requestsOf(play({ collector: url }));
    expect(requests.some(({ over }) => over === 'session')).toBe(true);
    const events = reports.flatMap(({ headers, body }): Record<string, unknown>[] => {
      const { valid, issues, data } = validateCmcdEventReport({ url, method: 'POST', headers, body });
      expect({ valid, issues: valid ? [] : issues }).toEqual({ valid: true, issues: [] });
      return data;
    });
    expect(events.filter((event) => event.sid !== sid)).toEqual([]);
    expect(new Set(events.map(({ e }) => e))).toEqual(new Set(['ps', 't', 'rr']));
    expect(events.filter(({ e, rc }) => e === 'rr' && rc === 206).length).toBeGreaterThanOrEqual(SEGMENTS);
  });
});
