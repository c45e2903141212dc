import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { derivedSeed, seededRandom, type Random } from '../../sim/random.js';
import { PORTS, SERVER_ADDRESS } from '../addresses.js';
import type { CrossTraffic } from '../cross-traffic.js';
import { paretoBytes, MEAN_FILE_BYTES, thinkSeconds } from '../web-workload.js';

/** Mbit/s that one web-like client asks for: many small ones make bursts, as in Harpoon's workloads. */
const MBPS_PER_CLIENT = 1;

/** How long a client waits that could not connect. */
const RETRY_MS = 1000;

/** Starts what was asked for; it goes on until this process ends. */
export function startCrossTraffic({ bulkFlows = 0, webMbps = 0 }: CrossTraffic = {}, seed: number): void {
  for (let flow = 0; flow < bulkFlows; flow++) void downloadForEver(() => Promise.resolve(Infinity));
  const clients = Math.ceil(webMbps / MBPS_PER_CLIENT);
  const pause = (8 * MEAN_FILE_BYTES * clients) / (webMbps * 1e6);
  for (let client = 0; client < clients; client++) {
    const random = seededRandom(derivedSeed(seed, `web client ${client}`));
    void downloadForEver(() => nextFile(random, pause));
  }
}

/**
 * Waits and says how many bytes come next. Pauses run from the end of one download to the start of the next, so a busy
 * link slows the clients down: other traffic reacts, as people do.
 */
async function nextFile(random: Random, meanPause: number): Promise<number> {
  await sleep(1000 * thinkSeconds(random, meanPause));
  return paretoBytes(random);
}

async function downloadForEver(next: () => Promise<number>): Promise<never> {
  for (;;) if (!(await download(await next()))) await sleep(RETRY_MS);
}

/** Resolves to whether the server was reached, when the connection is over. */
function download(bytes: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(PORTS.crossTraffic, SERVER_ADDRESS, () => socket.write(`${bytes}\n`));
    socket.on('error', () => socket.destroy());
    socket.on('close', (failed) => resolve(!failed));
    socket.resume();
  });
}
