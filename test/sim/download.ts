import type { Abr, DecisionState, Option } from '../../src/abr-star/index.js';
import {
  deadlineOf,
  isKeptLate,
  type PipelineMoment,
  levelReached,
  REVIEW_INTERVAL,
  type Strategy,
} from '../../src/delivery/index.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Playback } from './playback.js';
import { Recovery } from './recovery.js';
import type { Burst, Delivery, Progress as Received, Transport } from './link/transport.js';

/** One option as it was downloaded, to its end or to where a review ended it. */
export interface Attempt {
  readonly ending: { readonly action: 'complete' | 'keep' } | { readonly action: 'restart'; readonly option: Option };
  readonly option: Option;
  /** Bytes that arrived. */
  readonly reliable: number;
  /** Bytes that were sent of the unreliable part, and where some of them were lost. */
  readonly sent: number;
  readonly bursts: readonly Burst[];
  /** What the link brought until nothing but repeats was to come: the sample of its throughput. */
  readonly measured: { readonly bytes: number; readonly seconds: number };
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
  /** Seconds: when the request went out, before the segment before was here; undefined: now. */
  readonly sentAt: number | undefined;
  /** Shown how far the download is, so that the next one can be asked for. */
  readonly lookAhead: (progress: Progress) => void;
}

/** Bytes here of those asked for, and seconds since the first of them could come. */
export type Progress = Pick<PipelineMoment, 'bytesReceived' | 'bytesRequested' | 'elapsed'>;

/** Bytes asked for before a download, and how they are received: as in `Retransmission`. */
export interface UrgentBytes {
  readonly bytesLeft: number;
  receive(until: number): number;
}

/** Downloads one option while playback goes on, and asks the rule for its review every 50 ms, if it has one. */
export function attempt(setup: AttemptSetup): Attempt {
  const { transport, playback, urgent, option, strategy, sentAt } = setup;
  const requested = playback.time;
  const deadline = strategy.deadlines ? deadlineOf(playback.bufferLevel, 1) : undefined;
  const arrivals = new Arrivals(option, urgent, new Recovery(transport, requested, strategy.recovery ? deadline : 0));
  transport.request(requested, urgent.bytesLeft + option.bytes, sentAt);
  const ending = receiveAll(setup, arrivals);
  const { reliable, sent, bursts, measured } = arrivals;
  const { bytes, time } = measured ?? { bytes: arrivals.arrived, time: playback.time };
  return {
    ending,
    option,
    reliable,
    sent,
    bursts,
    measured: { bytes, seconds: Math.min(time, playback.time) - requested },
  };
}

function receiveAll(setup: AttemptSetup, arrivals: Arrivals): Attempt['ending'] {
  const { abr, transport, delivery, strategy, playback, state, option, segment, lookAhead } = setup;
  const requested = playback.time;
  // One object for all reviews of this download: thousands of copies would cost more than everything else.
  const now = { ...state };
  const isWatched = abr.review !== undefined || strategy.keepsLate || strategy.pipelineAt !== undefined;
  const interval = isWatched ? REVIEW_INTERVAL : Infinity;
  for (let reviews = 1; ; reviews++) {
    playback.advanceTo(arrivals.receive(transport, delivery, playback.time, requested + reviews * interval));
    if (arrivals.isComplete) return { action: 'complete' };
    const { reliable, unreliable, hasAllReliable } = arrivals;
    now.bufferLevel = playback.bufferLevel;
    const review = abr.review?.({
      state: now,
      option,
      elapsed: playback.time - requested,
      bytesReceived: reliable + unreliable,
      phase: hasAllReliable ? 'unreliable' : 'reliable',
      levelReceived: hasAllReliable ? levelReached(segment.steps, wholeBytes(unreliable)) : 0,
    });
    if (review?.action === 'restart') return review;
    const isLate = state.lastChoice && isKeptLate(strategy, playback.bufferLevel, hasAllReliable);
    if ((review?.action === 'keep' && hasAllReliable) || isLate) return { action: 'keep' };
    lookAhead({
      bytesReceived: arrivals.arrived,
      bytesRequested: option.bytes,
      elapsed: playback.time - Math.max(requested, (setup.sentAt ?? requested) + transport.latency),
    });
  }
}

/** Seconds between two looks for repeats, where the round trip is shorter. */
const SHORTEST_STRETCH = 0.01;

/** Simulated bytes are fractions of rates: what is missing by less than half a byte is here. */
export function wholeBytes(bytes: number): number {
  return Math.round(bytes);
}

/** What has come of an option's bytes so far: the reliable ones first, then the others. */
class Arrivals {
  readonly #option: Option;
  readonly #urgent: UrgentBytes;
  readonly #recovery: Recovery;
  #reliableLeft: number;
  #unreliableLeft: number;
  #lost = 0;
  #measured: { readonly bytes: number; readonly time: number } | undefined;
  /** When the first of the last repeats comes. */
  #restDue = 0;
  /** Until then bytes wait behind a gap of their stream: reliable ones, and any. */
  #reliableUsable = 0;
  #usable = 0;
  #now = 0;

  constructor(option: Option, urgent: UrgentBytes, recovery: Recovery) {
    this.#option = option;
    this.#urgent = urgent;
    this.#recovery = recovery;
    this.#reliableLeft = option.reliableBytes;
    this.#unreliableLeft = option.bytes - option.reliableBytes;
  }

  get reliable(): number {
    return this.#option.reliableBytes - this.#reliableLeft;
  }

  /** Of the unreliable part, lost ones included. */
  get sent(): number {
    return this.#option.bytes - this.#option.reliableBytes - this.#unreliableLeft;
  }

  get unreliable(): number {
    return this.sent - this.#lost;
  }

  get arrived(): number {
    return this.reliable + this.unreliable;
  }

  /** What had arrived when only repeats were to come; undefined before. */
  get measured(): { readonly bytes: number; readonly time: number } | undefined {
    return this.#measured;
  }

  get bursts(): readonly Burst[] {
    const bursts: Burst[] = [];
    for (const burst of this.#recovery.lost) addBurst(bursts, burst);
    return bursts;
  }

  get hasAllReliable(): boolean {
    return this.#reliableLeft <= 0 && this.#now >= this.#reliableUsable;
  }

  get isComplete(): boolean {
    return this.#isAllSent && !this.#recovery.isWaiting && this.#now >= this.#usable;
  }

  get #isAllSent(): boolean {
    return this.#reliableLeft <= 0 && this.#unreliableLeft <= 0;
  }

  /** Goes on from `now` until `until` or the last byte. Returns when that was. */
  receive(transport: Transport, delivery: Delivery, now: number, until: number): number {
    const time = this.#receiveAll(transport, delivery, now, until);
    this.#now = this.#isAllSent && !this.#recovery.isWaiting ? Math.max(time, Math.min(until, this.#usable)) : time;
    return this.#now;
  }

  #receiveAll(transport: Transport, delivery: Delivery, now: number, until: number): number {
    let time = Math.max(now, this.#urgent.receive(until));
    if (this.#reliableLeft > 0 && time < until) {
      const progress = transport.receive(this.#reliableLeft, 'streams', until);
      time = progress.time;
      this.#waitForStream(progress);
      this.#reliableUsable = this.#usable;
      // What ends early is complete: sums of fractions of bytes may miss that.
      this.#reliableLeft = time < until ? 0 : this.#reliableLeft - progress.arrived;
    }
    while (this.#unreliableLeft > 0 && time < until) time = this.#receiveUnreliable(transport, delivery, time, until);
    if (!this.#isAllSent) return time;
    if (!this.#measured) {
      // Of a stream nobody knows how long it waits for repeats.
      this.#measured = { bytes: this.arrived, time: delivery === 'streams' ? Math.max(time, this.#usable) : time };
      if (this.#recovery.isWaiting) this.#restDue = this.#recovery.waitForTheRest();
    }
    return this.#receiveRepeats(Math.max(time, this.#restDue), until);
  }

  #waitForStream({ usable }: Pick<Received, 'usable'>): void {
    this.#usable = Math.max(this.#usable, usable);
  }

  /** Repeats first; then a round trip's worth of the others at most, for more repeats may have become due. */
  #receiveUnreliable(transport: Transport, delivery: Delivery, start: number, until: number): number {
    const from = this.#receiveRepeats(start, until);
    if (from >= until) return from;
    const end = Math.min(until, from + Math.max(transport.latency, SHORTEST_STRETCH));
    const progress = transport.receive(this.#unreliableLeft, delivery, end);
    this.#lost += progress.lost;
    const offset = this.sent;
    const bursts = progress.bursts.map((burst) => ({
      ...burst,
      start: offset + burst.start,
      end: offset + burst.end,
    }));
    this.#recovery.add(bursts, progress.time);
    this.#waitForStream(progress);
    this.#unreliableLeft = progress.time < end ? 0 : this.#unreliableLeft - progress.arrived - progress.lost;
    return progress.time;
  }

  #receiveRepeats(start: number, until: number): number {
    const progress = this.#recovery.receive(start, until);
    this.#lost -= progress.arrived;
    this.#waitForStream(progress);
    return progress.time;
  }
}

/** Adds a burst. A round trip that a review divides is one burst all the same. */
function addBurst(all: Burst[], burst: Burst): void {
  const last = all.at(-1);
  if (!last || !isContinued(last, burst)) all.push(burst);
  else all[all.length - 1] = { ...burst, start: last.start, lost: last.lost + burst.lost };
}

/** The next bytes, with the same share of them lost. */
function isContinued(last: Burst, next: Burst): boolean {
  return next.start - last.end < 1 && Math.abs(shareLost(next) - shareLost(last)) < 1e-9;
}

function shareLost({ start, end, lost }: Burst): number {
  return lost / (end - start);
}
