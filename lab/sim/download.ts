import type { Abr, DecisionState, Option, ThroughputSample } from '../../src/abr-star/index.js';
import {
  deadlineOf,
  type PipelineMoment,
  levelReached,
  REVIEW_INTERVAL,
  type Strategy,
} from '../../src/delivery/index.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import { Arrivals, type UrgentBytes } from './arrivals.js';
import type { HandOver } from './hand-over.js';
import type { Playback } from './playback.js';
import { Recovery } from './recovery.js';
import type { Burst, Delivery, Transport } from './link/transport.js';

/** Seconds between two looks at the pieces of a segment that is handed over in pieces. */
const LOOK = 0.01;

/** One option as it was downloaded, to its end or to where a review ended it. */
export interface Attempt {
  readonly ending: { readonly action: 'complete' | 'keep' } | { readonly action: 'restart'; readonly option: Option };
  readonly option: Option;
  /** Bytes that arrived. */
  readonly reliable: number;
  /** Bytes that were sent of the unreliable part, and where some of them were lost. */
  readonly sent: number;
  readonly bursts: readonly Burst[];
  /** Bytes of the unreliable part that were lost on the way, whatever became of them. */
  readonly lostOnTheWay: number;
  /** What the link brought until nothing but repeats was to come: the sample of its throughput. */
  readonly measured: ThroughputSample;
}

export interface AttemptSetup {
  readonly abr: Abr;
  readonly transport: Transport;
  readonly delivery: Delivery;
  readonly strategy: Strategy;
  readonly playback: Playback;
  /** What is fetched of other segments before this one's first byte. */
  readonly urgent: UrgentBytes;
  /** What the download was chosen on. */
  readonly state: DecisionState;
  readonly option: Option;
  readonly segment: SegmentMap;
  /** How it is handed over in pieces where it is waited for; undefined: whole segments alone. */
  readonly handOver: HandOver | undefined;
  /** Bit/s that the link shows, with what has come of this download. */
  readonly rateWith: (sample: ThroughputSample) => number | undefined;
  /** Sent with the unreliable part; all of it before that, so that it costs no less time here than on a link. */
  readonly parityBytes: number;
  /** Seconds: when the request went out, before the segment before was here; undefined: now. */
  readonly sentAt: number | undefined;
  /** Shown how far the download is, so that the next one can be asked for. */
  readonly lookAhead: (progress: Progress) => void;
}

/** Bytes here of those asked for, and seconds since the first of them could come. */
export type Progress = Pick<PipelineMoment, 'bytesReceived' | 'bytesRequested' | 'elapsed' | 'handedOver'>;

/** Downloads one option while playback goes on, and asks the rule for its review every 50 ms, if it has one. */
export function attempt(setup: AttemptSetup): Attempt {
  const { transport, delivery, playback, parityBytes, urgent, option, strategy, sentAt } = setup;
  const requested = playback.time;
  const deadline = strategy.deadlines ? deadlineOf(playback.bufferLevel, 1) : undefined;
  const recovery = new Recovery(transport, requested, strategy.recovery ? deadline : 0);
  const arrivals = new Arrivals({ option, delivery, parityBytes, urgent, recovery });
  transport.request(requested, urgent.bytesLeft + option.bytes + parityBytes, sentAt);
  const ending = receiveAll(setup, arrivals);
  const { reliable, sent, bursts, lostOnTheWay, measured } = arrivals;
  const { bytes, time } = measured ?? { bytes: arrivals.arrived, time: playback.time };
  const seconds = Math.min(time, playback.time) - requested;
  return {
    ending,
    option,
    reliable,
    sent,
    bursts,
    lostOnTheWay,
    measured: {
      ...{ bytes, seconds },
      // The first byte of what was asked for early was on its way before.
      timeToFirstByte: Math.min(seconds, Math.max(0, (sentAt ?? requested) + transport.latency - requested)),
    },
  };
}

function receiveAll(setup: AttemptSetup, arrivals: Arrivals): Attempt['ending'] {
  const { abr, transport, strategy, playback, state, option, segment, handOver, lookAhead } = setup;
  const requested = playback.time;
  // One object for all reviews of this download: thousands of copies would cost more than everything else.
  const now = { ...state };
  const isWatched = abr.review !== undefined || strategy.pipelineAt !== undefined;
  const interval = isWatched ? REVIEW_INTERVAL : Infinity;
  for (let reviews = 1; ; reviews++) {
    receive(setup, arrivals, { requested, until: requested + reviews * interval });
    if (arrivals.isComplete) return { action: 'complete' };
    if (handOver?.isOver) return { action: 'keep' };
    const { reliable, unreliable, hasAllReliable } = arrivals;
    now.bufferLevel = playback.bufferLevel;
    const handedOver = handOver?.isOn ? handOver.handedOver : undefined;
    const review = abr.review?.({
      state: now,
      option,
      elapsed: playback.time - requested,
      bytesReceived: reliable + unreliable,
      phase: hasAllReliable ? 'unreliable' : 'reliable',
      levelReceived: hasAllReliable ? levelReached(segment.steps, wholeBytes(unreliable)) : 0,
      ...(handedOver !== undefined && { handedOver }),
    });
    if (review?.action === 'restart' && !handedOver) return review;
    if (review?.action === 'keep' && hasAllReliable) return { action: 'keep' };
    lookAhead({
      bytesReceived: arrivals.arrived,
      bytesRequested: option.bytes,
      ...(handedOver !== undefined && { handedOver }),
      elapsed: playback.time - Math.max(requested, (setup.sentAt ?? requested) + transport.latency),
    });
  }
}

/** Receives until then, or until all is here, or handed over; pieces on the way are looked at now and then. */
function receive(
  { transport, playback, handOver, option, rateWith, sentAt }: AttemptSetup,
  arrivals: Arrivals,
  { requested, until }: { readonly requested: number; readonly until: number },
): void {
  const firstByte = Math.max(requested, (sentAt ?? requested) + transport.latency);
  while (playback.time < until) {
    const end = handOver?.isOn ? Math.min(until, playback.time + LOOK) : until;
    playback.advanceTo(arrivals.receive(transport, playback.time, end));
    if (handOver) {
      const bytes = arrivals.arrived;
      const rate = rateWith({ bytes, seconds: playback.time - firstByte }) ?? 0;
      handOver.watch((8 * (option.bytes - bytes)) / rate);
      handOver.look(arrivals, rate);
    }
    if (arrivals.isComplete || handOver?.isOver) return;
  }
}

/** Simulated bytes are fractions of rates: what is missing by less than half a byte is here. */
export function wholeBytes(bytes: number): number {
  return Math.round(bytes);
}
