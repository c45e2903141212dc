import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { canBuildQuiche, ensureQuicheServer } from '../../../tools/setup/rust.mjs';
import { startBalancer, type Balancer } from '../support/balancer.js';
import { prepareClip } from '../support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPageWith,
  startPlayer,
  type PlayerServer,
} from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';
import { serverCounters } from '../support/server-counters.js';

/** Of the quiche server where it is not built yet, and playback on a busy machine. */
const TIMEOUT_MS = 300_000;

const SERVER_IDS = ['1122334455667788', '1122334455667799'] as const;

if (canBuildQuiche()) {
  describe('two voxel-quiche behind one UDP load balancer', () => {
    let balancer: Balancer;
    let media: string;
    let program: string;

    const serve = async (serverId: string, folder: string): Promise<PlayerServer> => {
      const endpoint = `https://127.0.0.1:${balancer.port}/voxel`;
      const words = ['--server-id', serverId, '--public-endpoint', endpoint];
      const server = await servePlayerPageWith(program, folder, media, ...words);
      balancer.add(server.ready.quicPort, serverId);
      return server;
    };

    const stage = playerStage(async (folder) => {
      program = await ensureQuicheServer();
      media = await prepareClip(folder, { seconds: 40, segmentSeconds: 2 });
      balancer = await startBalancer();
      return serve(SERVER_IDS[0], folder);
    });

    it(
      'a player stays with its process while its address changes, and a killed process takes its own players only',
      async () => {
        const second = await serve(SERVER_IDS[1], stage.folder);
        const page = await openPage(stage.browser, stage.server.ready.url);
        try {
          for (const player of [0, 1]) {
            await startPlayer(page, { bufferSegments: 2 });
            await playUntil(page, 2, player);
          }
          // One player on each, whichever opened its session first.
          const sessions = () => Promise.all([stage.server, second].map(sessionsOf));
          await expect.poll(sessions, { timeout: 60_000 }).toEqual([1, 1]);

          balancer.rebind();
          await both(page, 6);
          // Of a segment that is on its way, too.
          for (const seconds of [9, 12]) {
            balancer.rebindAtResponse();
            await both(page, seconds);
          }
          await both(page, 15);
          expect(await disturbed(page)).toEqual([]);
          expect(await sessions()).toEqual([1, 1]);

          process.kill(second.pid, 'SIGKILL');
          await second.exited;
          balancer.remove(second.ready.quicPort);
          await page.waitForFunction(
            () =>
              window.players.some(({ sessions }) => sessions.filter(({ state }) => state === 'opened').length === 2),
            { timeout: 120_000, polling: 50 },
          );
          expect(await sessionsOf(stage.server)).toBe(2);
          const after = await Promise.all([0, 1].map(async (player) => (await outcomeOf(page, player)).currentTime));
          await both(page, Math.max(...after) + 4);
          const moved = await disturbed(page);
          expect(moved).toHaveLength(1);
          for (const player of [0, 1]) expect((await outcomeOf(page, player)).errors).toEqual([]);
        } finally {
          await page.close();
          await second.stop();
          await stopBalancer(balancer);
        }
      },
      TIMEOUT_MS,
    );
  });
} else {
  console.warn('left out: voxel-quiche needs cargo, cmake, c++ and libclang');
  it.skip('needs cargo, cmake, c++ and libclang');
}

const stopBalancer = (balancer: Balancer): Promise<void> => balancer.stop();

async function sessionsOf({ ready }: PlayerServer): Promise<number> {
  const [, count] = /^voxel_sessions (\d+)$/m.exec(await serverCounters(ready))!;
  return Number(count);
}

async function both(page: Page, seconds: number): Promise<void> {
  await Promise.all([0, 1].map((player) => playUntil(page, seconds, player)));
}

/** What has happened to players that have had another session than their first, or that HTTP had to help. */
async function disturbed(page: Page): Promise<object[]> {
  const outcomes = await Promise.all([0, 1].map((player) => outcomeOf(page, player)));
  return outcomes
    .map((outcome, player) => ({ player, sessions: outcome.sessions, fallbacks: fallbacksOnceReady(outcome) }))
    .filter(({ sessions, fallbacks }) => sessions.length > 1 || fallbacks.length > 0);
}
