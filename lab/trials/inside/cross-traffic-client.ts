import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { derivedSeed, seededRandom, type Random } from '../../sim/random.js';
import { PORTS, SERVER_ADDRESS } from '../addresses.js';
import type { CrossTraffic, TimedFlows } from '../cross-traffic.js';
import { paretoBytes, MEAN_FILE_BYTES, thinkSeconds } from '../web-workload.js';

/** Mbit/s that one web-like client asks for: many small ones make bursts, as in Harpoon's workloads. */
const MBPS_PER_CLIENT = 1;

/** How long a client waits that could not connect. */
const RETRY_MS = 1000;

/** Where downloads come from. */
export interface Source {
  readonly host: string;
  readonly port: number;
}

const SERVER: Source = { host: SERVER_ADDRESS, port: PORTS.crossTraffic };

/** Other traffic under way. It goes on until this process ends; timed downloads wait for the playback. */
export class OtherTraffic {
  readonly #timed: readonly TimedFlows[];
  readonly #source: Source;
  readonly #bulk: BulkDownload[] = [];

  constructor({ bulkFlows = 0, timedFlows = [], webMbps = 0 }: CrossTraffic, seed: number, source = SERVER) {
    this.#timed = timedFlows;
    this.#source = source;
    for (let flow = 0; flow < bulkFlows; flow++) this.#startBulk();
    const clients = Math.ceil(webMbps / MBPS_PER_CLIENT);
    const pause = (8 * MEAN_FILE_BYTES * clients) / (webMbps * 1e6);
    for (let client = 0; client < clients; client++) {
      void browse(seededRandom(derivedSeed(seed, `web client ${client}`)), pause, source);
    }
  }

  /** Starts the clock of timed downloads, and counts bytes from now on. */
  playbackBegins(): void {
    for (const download of this.#bulk) download.countFromNow();
    for (const { flows, start, stop } of this.#timed) {
      for (let flow = 0; flow < flows; flow++) {
        setTimeout(() => {
          const download = this.#startBulk();
          setTimeout(() => download.stop(), 1000 * (stop - start));
        }, 1000 * start);
      }
    }
  }

  /** Mean bit/s of each bulk download that has begun, in the order of their starts, while it ran and was counted. */
  bulkRates(): number[] {
    return this.#bulk.map((download) => download.rate);
  }

  #startBulk(): BulkDownload {
    const download = new BulkDownload(this.#source);
    this.#bulk.push(download);
    return download;
  }
}

/** A TCP download without an end. */
class BulkDownload {
  #socket: Socket | undefined;
  #bytes = 0;
  #countedFrom = performance.now();
  #stoppedAt: number | undefined;

  constructor(source: Source) {
    void this.#goOn(source);
  }

  countFromNow(): void {
    this.#bytes = 0;
    this.#countedFrom = performance.now();
  }

  stop(): void {
    this.#stoppedAt = performance.now();
    this.#socket?.destroy();
  }

  get rate(): number {
    const seconds = ((this.#stoppedAt ?? performance.now()) - this.#countedFrom) / 1000;
    return (8 * this.#bytes) / seconds;
  }

  async #goOn(source: Source): Promise<void> {
    while (this.#stoppedAt === undefined) {
      this.#socket = request(Infinity, source);
      this.#socket.on('data', ({ length }) => (this.#bytes += length));
      if (!(await isAnswered(this.#socket))) await sleep(RETRY_MS);
    }
  }
}

/**
 * One file after the other. Pauses run from the end of one download to the start of the next, so a busy link slows the clients down: other
 * traffic reacts, as people do.
 */
async function browse(random: Random, meanPause: number, source: Source): Promise<never> {
  for (;;) {
    await sleep(1000 * thinkSeconds(random, meanPause));
    if (!(await isAnswered(request(paretoBytes(random), source).resume()))) await sleep(RETRY_MS);
  }
}

function request(bytes: number, { host, port }: Source): Socket {
  const socket = connect(port, host, () => socket.write(`${bytes}\n`));
  socket.on('error', () => socket.destroy());
  return socket;
}

/** Resolves to whether the server was reached, when the connection is over. */
function isAnswered(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on('close', (failed) => resolve(!failed));
  });
}
