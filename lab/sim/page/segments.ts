import { SCHEDULES } from '../../strategies/schedules.js';
import { PathSession } from '../bundle/path-session.js';
import { playBundle, type Piece } from '../bundle/player.js';
import { FlatTransport } from '../link/flat-transport.js';
import { Link } from '../link/link.js';
import { makeTrace } from '../link/trace.js';
import { quantile } from '../report/statistics.js';
import type { Path } from './network.js';
import { scenarios } from './scenarios.js';

/** Bytes. */
export const SEGMENT_BYTES = [0.5e6, 2e6] as const;

/** One behind the other; rates are learned over the first, measured over the others. */
const LEARNING_SECONDS = 2;
const MEASURED_SECONDS = 4;
const LEAST_SEGMENTS = 3;

/** How much of both interfaces' rates together segments of a size got, over all scenarios. */
export interface SegmentRates {
  readonly bytes: number;
  readonly scenarios: number;
  readonly median: number;
  readonly lowest: number;
  /** Share of the scenarios with at least .95. */
  readonly full: number;
}

/** `voxel` over two sessions in every scenario: what Socket Intents' policies have to compare with where the objects are segments. */
export function segmentRates(): SegmentRates[] {
  const paths = scenarios().map((scenario) => scenario.paths);
  return SEGMENT_BYTES.map((bytes) => {
    const shares = paths.map((pair) => rateShare(pair, bytes));
    return {
      ...{ bytes, scenarios: shares.length, median: quantile(shares, 0.5), lowest: Math.min(...shares) },
      full: shares.filter((share) => share >= 0.95).length / shares.length,
    };
  });
}

/** Bytes per second over the sum of the paths' rates. */
export function rateShare(paths: readonly Path[], bytes: number): number {
  const sum = paths.reduce((total, { rate }) => total + rate, 0);
  const segments = (seconds: number) => Math.max(LEAST_SEGMENTS, Math.ceil((seconds * sum) / bytes));
  const learning = segments(LEARNING_SECONDS);
  const count = learning + segments(MEASURED_SECONDS);
  const sessions = paths.map(({ rate, roundTrip }) => {
    const link = new Link(makeTrace('constant', MEASURED_SECONDS, [8 * rate]));
    return new PathSession<Piece>(new FlatTransport(link, roundTrip));
  });
  const video = { sizes: Array.from({ length: count }, () => bytes), reliable: 1, segmentDuration: 0, buffer: 0 };
  const { wholeAt } = playBundle(sessions, SCHEDULES.voxel, video);
  return ((count - learning) * bytes) / (wholeAt.at(-1)! - wholeAt[learning - 1]!) / sum;
}
