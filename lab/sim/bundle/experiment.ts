import { SCHEDULES, type ScheduleName } from '../../strategies/schedules.js';
import { Link } from '../link/link.js';
import { QuicTransport } from '../link/quic-transport.js';
import { makeTrace, traceDuration, type Trace } from '../link/trace.js';
import { derivedSeed, seededRandom, type Random } from '../random.js';
import { mean, quantile } from '../report/statistics.js';
import { PathSession } from './path-session.js';
import { playBundle, type BundlePlayback, type Piece, type Video } from './player.js';

/** One path alone is `single`; the better of two is what all others are compared with. */
export const COMPARED = ['round-robin', 'min-rtt', 'eaf', 'voxel'] as const satisfies readonly ScheduleName[];

/** A path of a pair. Seconds. */
export interface PathOfPair {
  readonly trace: Trace;
  readonly shift: number;
  readonly roundTrip: number;
}

export interface Pair {
  readonly name: string;
  readonly paths: readonly [PathOfPair, PathOfPair];
  /** Not drawn: one on which several paths may well be worse than one. */
  readonly isSpecial?: boolean;
}

/** Figures of one playback: seconds, and a share of the bytes. */
export interface Figures {
  readonly segmentP99: number;
  readonly segmentMean: number;
  readonly waited: number;
  readonly redundant: number;
}

/** A pair with each schedule; `best`: of each figure that of the better path alone. */
export interface PairResult {
  readonly pair: string;
  readonly isSpecial: boolean;
  readonly best: Figures;
  readonly of: Readonly<Record<(typeof COMPARED)[number], Figures>>;
}

/** Four minutes in a short buffer, of which a fifth must come. */
const SEGMENTS = 120;
const SEGMENT_SECONDS = 2;
const BUFFER_SEGMENTS = 2;
const RELIABLE = 0.2;

/** The video's bitrate over the mean rate of the better path, and how much segments vary: as Big Buck Bunny does (thesis, Table 6.1), at most twice the mean. */
const LOAD = 0.5;
const SIZE_DEVIATION = 0.377;

/** Each path's drop-tail queue. */
const QUEUE_PACKETS = 100;

/** Drawn evenly from these, seconds. */
const ROUND_TRIPS = [0.03, 0.1] as const;
const FAR = 0.4;

/** `count` pairs of different traces at random places, then a pair of unequal rates and one of which the second path is far away. */
export function pairsOf(traces: readonly Trace[], count: number, seed: number): Pair[] {
  const random = seededRandom(derivedSeed(seed, 'pairs'));
  const drawn = Array.from({ length: count }, () => drawPair(traces, random));
  const constant = (mbps: number): PathOfPair => ({
    ...{ trace: makeTrace(`constant:${mbps}`, 600, [mbps * 1e6]), shift: 0, roundTrip: ROUND_TRIPS[0] },
  });
  const [near, far] = drawPair(traces, random).paths;
  return [
    ...drawn,
    { name: '20 and 1 Mbit/s', paths: [constant(20), constant(1)], isSpecial: true },
    {
      name: `${near.trace.name} and, 400 ms away, ${far.trace.name}`,
      ...{ paths: [near, { ...far, roundTrip: FAR }] as const, isSpecial: true },
    },
  ];
}

/** Plays a pair with every schedule, and over each of its paths alone. */
export function runPair({ name, paths, isSpecial = false }: Pair, seed: number): PairResult {
  const video = videoFor(paths, seededRandom(derivedSeed(seed, name)));
  const play = (own: readonly PathOfPair[], schedule: ScheduleName) =>
    figures(
      playBundle(
        own.map((path) => sessionOver(path, seed)),
        SCHEDULES[schedule],
        video,
      ),
    );
  const alone = paths.map((path) => play([path], 'single'));
  const least = (figure: keyof Figures) => Math.min(...alone.map((one) => one[figure]));
  return {
    ...{ pair: name, isSpecial },
    best: { segmentP99: least('segmentP99'), segmentMean: least('segmentMean'), waited: least('waited'), redundant: 0 },
    of: Object.fromEntries(COMPARED.map((schedule) => [schedule, play(paths, schedule)])) as PairResult['of'],
  };
}

function drawPair(traces: readonly Trace[], random: Random): Pair {
  const first = Math.floor(random.uniform() * traces.length);
  const second = (first + 1 + Math.floor(random.uniform() * (traces.length - 1))) % traces.length;
  const [low, high] = ROUND_TRIPS;
  const path = (trace: Trace): PathOfPair => ({
    trace,
    shift: Math.floor(random.uniform() * traceDuration(trace)),
    roundTrip: low + random.uniform() * (high - low),
  });
  const paths = [path(traces[first]!), path(traces[second]!)] as const;
  return { name: `${paths[0].trace.name} and ${paths[1].trace.name}`, paths };
}

function videoFor(paths: Pair['paths'], random: Random): Video {
  const rate = Math.max(...paths.map(({ trace }) => mean([...trace.rates])));
  const bytes = (LOAD * rate * SEGMENT_SECONDS) / 8;
  const size = () => bytes * Math.min(2, Math.max(0.1, 1 + SIZE_DEVIATION * random.normal()));
  return {
    ...{ sizes: Array.from({ length: SEGMENTS }, size), reliable: RELIABLE },
    ...{ segmentDuration: SEGMENT_SECONDS, buffer: BUFFER_SEGMENTS },
  };
}

function sessionOver({ trace, shift, roundTrip }: PathOfPair, seed: number): PathSession<Piece> {
  const path = { roundTrip, queuePackets: QUEUE_PACKETS, loss: 0, control: 'cubic', server: 'aioquic' } as const;
  const random = seededRandom(derivedSeed(seed, trace.name));
  return new PathSession(new QuicTransport(new Link(trace, shift), path, random));
}

function figures({ segmentSeconds, waited, bytes, repeated }: BundlePlayback): Figures {
  return {
    segmentP99: quantile(segmentSeconds, 0.99),
    segmentMean: mean(segmentSeconds),
    waited,
    redundant: repeated / Math.max(1, bytes),
  };
}
