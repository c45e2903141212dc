import type { Abr, DecisionState, Option } from '../../src/abr-star/index.js';
import { levelReached, REVIEW_INTERVAL } from '../../src/delivery/index.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Playback } from './playback.js';
import type { Burst, Delivery, Progress, Transport } from './link/transport.js';

/** One option as it was downloaded, to its end or to where a review ended it. */
export interface Attempt {
  readonly ending: { readonly action: 'complete' | 'keep' } | { readonly action: 'restart'; readonly option: Option };
  readonly option: Option;
  /** Bytes that arrived. */
  readonly reliable: number;
  /** Bytes that were sent of the unreliable part, and where some of them were lost. */
  readonly sent: number;
  readonly bursts: readonly Burst[];
  readonly seconds: number;
}

export interface AttemptSetup {
  readonly abr: Abr;
  readonly transport: Transport;
  readonly delivery: Delivery;
  readonly playback: Playback;
  /** What is fetched of other segments before this one's first byte. */
  readonly urgent: UrgentBytes;
  /** What the download was chosen on. */
  readonly state: DecisionState;
  readonly option: Option;
  readonly segment: SegmentMap;
}

/** Bytes asked for before a download, and how they are received: as in `Retransmission`. */
export interface UrgentBytes {
  readonly bytesLeft: number;
  receive(until: number): number;
}

/** Downloads one option while playback goes on, and asks the rule for its review every 50 ms, if it has one. */
export function attempt(setup: AttemptSetup): Attempt {
  const { transport, playback, urgent, option } = setup;
  const requested = playback.time;
  const arrivals = new Arrivals(option, urgent);
  transport.request(requested, urgent.bytesLeft + option.bytes);
  const ending = receiveAll(setup, arrivals);
  const { reliable, sent, bursts } = arrivals;
  return { ending, option, reliable, sent, bursts, seconds: playback.time - requested };
}

function receiveAll(setup: AttemptSetup, arrivals: Arrivals): Attempt['ending'] {
  const { abr, transport, delivery, playback, state, option, segment } = setup;
  const requested = playback.time;
  // One object for all reviews of this download: thousands of copies would cost more than everything else.
  const now = { ...state };
  const interval = abr.review ? REVIEW_INTERVAL : Infinity;
  for (let reviews = 1; ; reviews++) {
    playback.advanceTo(arrivals.receive(transport, delivery, requested + reviews * interval));
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
    if (review?.action === 'keep' && hasAllReliable) return { action: 'keep' };
  }
}

/** Simulated bytes are fractions of rates: what is missing by less than half a byte is here. */
export function wholeBytes(bytes: number): number {
  return Math.round(bytes);
}

/** What has come of an option's bytes so far: the reliable ones first, then the others. */
class Arrivals {
  readonly #option: Option;
  readonly #urgent: UrgentBytes;
  #reliableLeft: number;
  #unreliableLeft: number;
  #lost = 0;
  readonly #bursts: Burst[] = [];

  constructor(option: Option, urgent: UrgentBytes) {
    this.#option = option;
    this.#urgent = urgent;
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

  get bursts(): readonly Burst[] {
    return this.#bursts;
  }

  get hasAllReliable(): boolean {
    return this.#reliableLeft <= 0;
  }

  get isComplete(): boolean {
    return this.#reliableLeft <= 0 && this.#unreliableLeft <= 0;
  }

  /** Goes on until `until` or the last byte. Returns when that was. */
  receive(transport: Transport, delivery: Delivery, until: number): number {
    let time = this.#urgent.receive(until);
    if (this.#reliableLeft > 0 && time < until) {
      const progress = transport.receive(this.#reliableLeft, 'streams', until);
      time = progress.time;
      // What ends early is complete: sums of fractions of bytes may miss that.
      this.#reliableLeft = time < until ? 0 : this.#reliableLeft - progress.arrived;
    }
    if (this.#unreliableLeft > 0 && time < until) {
      const progress = transport.receive(this.#unreliableLeft, delivery, until);
      time = progress.time;
      this.#lost += progress.lost;
      addBursts(this.#bursts, progress, this.sent);
      this.#unreliableLeft = time < until ? 0 : this.#unreliableLeft - progress.arrived - progress.lost;
    }
    return time;
  }
}

/** Adds the bursts of a stretch that begins at `offset`. A round trip that a review divides is one burst all the same. */
function addBursts(all: Burst[], { bursts }: Progress, offset: number): void {
  for (const { start, end, lost } of bursts) {
    const last = all.at(-1);
    const burst = { start: offset + start, end: offset + end, lost };
    if (!last || !isContinued(last, burst)) all.push(burst);
    else all[all.length - 1] = { start: last.start, end: burst.end, lost: last.lost + lost };
  }
}

/** The next bytes, with the same share of them lost. */
function isContinued(last: Burst, next: Burst): boolean {
  return next.start - last.end < 1 && Math.abs(shareLost(next) - shareLost(last)) < 1e-9;
}

function shareLost({ start, end, lost }: Burst): number {
  return lost / (end - start);
}
