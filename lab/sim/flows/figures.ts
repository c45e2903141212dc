import { fixedConnections, MOST_CONNECTIONS } from '../../strategies/connections.js';
import { mean, median, sum } from '../report/statistics.js';
import {
  play,
  QUEUES,
  RULES,
  STAGE,
  staged,
  STAGED_SECONDS,
  steady,
  type Outcome,
  type QueueName,
  type RuleName,
} from './experiment.js';
import type { Shares } from './player.js';
import type { SenderKind } from './sender.js';

export interface FlowsExperiment {
  /** Length of each playback beside flows that are there all the time. */
  readonly seconds: number;
  readonly seed: number;
}

const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Bulk flows of Fig. 4. */
export const RIVALS = [2, 4, 6, 8, 10];

/** A field of Figs. 4 and 6. Bit/s. */
export interface Cell {
  readonly queue: QueueName;
  readonly rivals: number;
  readonly flows: number;
  /** Medians of the segments. */
  readonly rate: number;
  readonly bitrate: number;
  /** Rate of all bulk flows together. */
  readonly bulkRate: number;
}

function cellOf(at: Pick<Cell, 'queue' | 'rivals' | 'flows'>, { segments, bulkRates }: Outcome): Cell {
  const rate = median(segments.map((segment) => segment.rate));
  const bitrate = median(segments.map((segment) => segment.bitrate));
  return { ...at, rate, bitrate, bulkRate: sum(bulkRates) };
}

/** Figs. 4a, 4b and 6: each number of connections beside each number of bulk flows in each queue. */
export function figure4({ seconds, seed }: FlowsExperiment, onProgress: (done: number, all: number) => void): Cell[] {
  const places = QUEUE_NAMES.flatMap((queue) =>
    RIVALS.flatMap((rivals) =>
      Array.from({ length: MOST_CONNECTIONS }, (_, index) => ({ queue, rivals, flows: index + 1 })),
    ),
  );
  return places.map((place, index) => {
    const { queue, rivals, flows } = place;
    const outcome = play({ queue, bulk: steady(rivals), seconds, seed, flows: fixedConnections(flows) });
    onProgress(index + 1, places.length);
    return cellOf(place, outcome);
  });
}

/** A rule beside the staged flows of Fig. 12. Means of the segments, bit/s. */
export interface StagedRow {
  readonly rule: RuleName;
  readonly queue: QueueName;
  readonly flows: number;
  readonly rate: number;
  readonly bitrate: number;
  readonly score: number;
  /** Over that of the highest representation. */
  readonly scoreShare: number;
  /** Seconds. */
  readonly stalled: number;
  /** Rate of all bulk flows together while they were there, mean over the playback. */
  readonly bulkRate: number;
  /** For each arrival: segments that it took to reach the number most used until the next. */
  readonly settled: readonly number[];
}

/** Fig. 12 with each rule; under FIFO and PIE, too, which the paper leaves out. */
export function figure12(seed: number): StagedRow[] {
  return QUEUE_NAMES.flatMap((queue) =>
    (Object.keys(RULES) as RuleName[]).map((rule) => {
      const bulk = staged();
      const { segments, stalled, bulkRates } = play({
        queue,
        bulk,
        seconds: STAGED_SECONDS,
        seed,
        flows: RULES[rule](),
      });
      const of = (key: 'flows' | 'rate' | 'bitrate' | 'score') => mean(segments.map((segment) => segment[key]));
      const bulkBytes = bulkRates.map((rate, index) => rate * (bulk[index]!.stop - bulk[index]!.start));
      return {
        ...{ rule, queue, stalled, flows: of('flows'), rate: of('rate'), bitrate: of('bitrate'), score: of('score') },
        scoreShare: of('score') / mean(segments.map(({ topScore }) => topScore)),
        bulkRate: sum(bulkBytes) / STAGED_SECONDS,
        settled: bulk.slice(1).map(({ start }) => settledAfter(segments, start)),
      };
    }),
  );
}

/** Segments from the first that began after an arrival to the first with the number most used before the next. */
function settledAfter(segments: Outcome['segments'], arrival: number): number {
  const used = segments
    .filter(({ askedAt }) => askedAt >= arrival && askedAt < arrival + STAGE)
    .map(({ flows }) => flows);
  if (used.length === 0) return Infinity;
  const count = (flows: number) => used.filter((one) => one === flows).length;
  const most = used.reduce((best, flows) => (count(flows) > count(best) ? flows : best));
  return used.indexOf(most);
}

/** What a collision costs in FQ-CoDel: the first of N connections shares its queue with a bulk flow (§6.3). */
export interface Collision {
  readonly shares: Shares;
  readonly flows: number;
  readonly rivals: number;
  /** Share of the rate. */
  readonly cost: number;
}

/** The paper's case, blocks dealt out and in equal parts. */
export function collisions({ seconds, seed }: FlowsExperiment): Collision[] {
  const place = { flows: 6, rivals: 8 };
  return (['dealt', 'equal'] as const).map((shares) => {
    const [without, colliding] = [false, true].map((collides) => {
      const outcome = play({
        ...{ queue: 'FQ-CoDel', bulk: steady(place.rivals), seconds, seed, shares, collides },
        flows: fixedConnections(place.flows),
      });
      return cellOf({ queue: 'FQ-CoDel', ...place }, outcome).rate;
    }) as [number, number];
    return { ...place, shares, cost: 1 - colliding / without };
  });
}

/** What bulk flows keep beside one connection of ours, over what they keep beside one of TCP: over five seeds. */
export interface Fairness {
  readonly queue: QueueName;
  readonly rivals: number;
  readonly kept: number;
}

/** In a full queue that all share, a single playback says little. */
const FAIRNESS_SEEDS = 5;

export function fairness({ seconds, seed }: FlowsExperiment): Fairness[] {
  const seeds = Array.from({ length: FAIRNESS_SEEDS }, (_, index) => seed + index);
  return QUEUE_NAMES.flatMap((queue) =>
    RIVALS.map((rivals) => {
      const bulkRate = (sender: SenderKind) =>
        sum(
          seeds.flatMap(
            (own) =>
              play({ queue, bulk: steady(rivals), seconds, seed: own, sender, flows: fixedConnections(1) }).bulkRates,
          ),
        );
      return { queue, rivals, kept: bulkRate('quic') / bulkRate('tcp') };
    }),
  );
}
