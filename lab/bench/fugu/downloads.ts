import type { Abr, Choice, DecisionState } from '../../../src/abr-star/index.js';
import { createAbr } from '../../rivals/registry.js';
import { isWhole } from '../../rivals/bitrates.js';
import { linkHistory, networkInputs, TIME_RATIOS } from '../../rivals/transmission-time.js';
import { strategyOf } from '../../strategies/strategies.js';
import { contentOf, PAPER_PATH } from '../../sim/experiment.js';
import { Link } from '../../sim/link/link.js';
import { QuicTransport } from '../../sim/link/quic-transport.js';
import { readTraces } from '../../sim/link/trace-source.js';
import { derivedSeed, seededRandom, type Random } from '../../sim/random.js';
import { playSession } from '../../sim/session.js';

/** What the network is asked, and which of the ratios came. */
export interface Download {
  readonly inputs: readonly number[];
  readonly ratio: number;
}

const BUFFERS = [1, 7];

/** Share of the segments of which any representation is taken, so that sizes do not follow the link alone. */
const EXPLORED = 0.3;

/** Downloads of sessions with RobustMPC over the development traces: a learnt rule learns where it is used, from choices that are not its own. */
export function recordedDownloads(): Download[] {
  const seed = 1;
  const content = contentOf({
    traces: [],
    shifts: 1,
    rules: [],
    buffers: [],
    content: 'synthetic',
    segments: 75,
    transport: PAPER_PATH,
    seed,
  });
  return readTraces('development', seed).flatMap((trace) =>
    BUFFERS.flatMap((bufferSegments) => {
      const random = seededRandom(derivedSeed(seed, `${trace.name}/${bufferSegments}/fugu`));
      const recorder = new Recorder(random);
      playSession({
        ...{ content, bufferSegments, random },
        rule: { abr: recorder, deliveryOf: () => 'streams', strategy: strategyOf('voxel') },
        transport: new QuicTransport(new Link(trace, 0), PAPER_PATH, random),
      });
      return recorder.downloads;
    }),
  );
}

class Recorder implements Abr {
  readonly name = 'recorder';
  readonly downloads: Download[] = [];
  readonly #abr = createAbr('mpc');
  readonly #random: Random;
  #before: { readonly inputs: readonly number[]; readonly expected: number } | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  choose(state: DecisionState): Choice {
    const { samples, options } = state;
    this.#record(samples.at(-1)?.seconds);
    const isExplored = this.#random.uniform() < EXPLORED;
    const whole = options.filter((_, index) => isWhole(options, index));
    const choice = isExplored
      ? { option: whole[Math.floor(this.#random.uniform() * whole.length)]!, delay: this.#abr.choose(state).delay }
      : this.#abr.choose(state);
    const history = linkHistory(samples);
    const { bytes } = choice.option;
    this.#before = history && { inputs: networkInputs(history, bytes), expected: (bytes * 8) / history.rate };
    return choice;
  }

  reset(): void {
    this.#before = undefined;
  }

  #record(seconds: number | undefined): void {
    if (!this.#before || seconds === undefined) return;
    const { inputs, expected } = this.#before;
    this.downloads.push({ inputs, ratio: nearestRatio(seconds / expected) });
  }
}

function nearestRatio(ratio: number): number {
  const distances = TIME_RATIOS.map((one) => Math.abs(Math.log(one / ratio)));
  return distances.indexOf(Math.min(...distances));
}
