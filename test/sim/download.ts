import type { Abr, DecisionState, Option } from '../../src/abr-star/index.js';
import { REVIEW_INTERVAL } from '../../src/delivery/index.js';
import type { ContentSegment } from './content.js';
import { levelSent } from './delivered-score.js';
import type { Playback } from './playback.js';
import { NO_LOSS, type Delivery, type Loss, type Transport } from './transport.js';

/** One option as it was downloaded, to its end or to where a review ended it. */
export interface Attempt {
  readonly ending: { readonly action: 'complete' | 'keep' } | { readonly action: 'restart'; readonly option: Option };
  readonly option: Option;
  /** Bytes that arrived. */
  readonly reliable: number;
  readonly unreliable: number;
  readonly lost: Loss;
  readonly seconds: number;
}

export interface AttemptSetup {
  readonly abr: Abr;
  readonly transport: Transport;
  readonly delivery: Delivery;
  readonly playback: Playback;
  /** What the download was chosen on. */
  readonly state: DecisionState;
  readonly option: Option;
  readonly segment: ContentSegment;
}

/** Downloads one option while playback goes on, and asks the rule for its review every 50 ms, if it has one. */
export function attempt(setup: AttemptSetup): Attempt {
  const { abr, transport, delivery, playback, state, option, segment } = setup;
  const requested = playback.time;
  const arrivals = new Arrivals(option);
  // One object for all reviews of this download: thousands of copies would cost more than everything else.
  const now = { ...state };
  const ended = (ending: Attempt['ending']): Attempt => {
    const { reliable, unreliable, lost } = arrivals;
    return { ending, option, reliable, unreliable, lost, seconds: playback.time - requested };
  };

  transport.request(requested, option.bytes);
  const interval = abr.review ? REVIEW_INTERVAL : Infinity;
  for (let reviews = 1; ; reviews++) {
    playback.advanceTo(arrivals.receive(transport, delivery, requested + reviews * interval));
    if (arrivals.isComplete) return ended({ action: 'complete' });
    const { reliable, unreliable, hasAllReliable } = arrivals;
    now.bufferLevel = playback.bufferLevel;
    const review = abr.review?.({
      state: now,
      option,
      elapsed: playback.time - requested,
      bytesReceived: reliable + unreliable,
      phase: hasAllReliable ? 'unreliable' : 'reliable',
      levelReceived: hasAllReliable ? levelSent(segment, unreliable) : 0,
    });
    if (review?.action === 'restart') return ended(review);
    if (review?.action === 'keep' && hasAllReliable) return ended({ action: 'keep' });
  }
}

/** What has come of an option's bytes so far: the reliable ones first, then the others. */
class Arrivals {
  readonly #option: Option;
  #reliableLeft: number;
  #unreliableLeft: number;
  #lost = NO_LOSS;

  constructor(option: Option) {
    this.#option = option;
    this.#reliableLeft = option.reliableBytes;
    this.#unreliableLeft = option.bytes - option.reliableBytes;
  }

  get reliable(): number {
    return this.#option.reliableBytes - this.#reliableLeft;
  }

  get unreliable(): number {
    return this.#option.bytes - this.#option.reliableBytes - this.#unreliableLeft - this.#lost.bytes;
  }

  get lost(): Loss {
    return this.#lost;
  }

  get hasAllReliable(): boolean {
    return this.#reliableLeft <= 0;
  }

  get isComplete(): boolean {
    return this.#reliableLeft <= 0 && this.#unreliableLeft <= 0;
  }

  /** Goes on until `until` or the last byte. Returns when that was. */
  receive(transport: Transport, delivery: Delivery, until: number): number {
    let time = -Infinity;
    if (this.#reliableLeft > 0) {
      const progress = transport.receive(this.#reliableLeft, 'streams', until);
      time = progress.time;
      // What ends early is complete: sums of fractions of bytes may miss that.
      this.#reliableLeft = time < until ? 0 : this.#reliableLeft - progress.arrived;
    }
    if (this.#unreliableLeft > 0 && time < until) {
      const progress = transport.receive(this.#unreliableLeft, delivery, until);
      time = progress.time;
      this.#lost = sum(this.#lost, progress.lost);
      this.#unreliableLeft = time < until ? 0 : this.#unreliableLeft - progress.arrived - progress.lost.bytes;
    }
    return time;
  }
}

function sum(a: Loss, b: Loss): Loss {
  if (b.bytes === 0) return a;
  return { bytes: a.bytes + b.bytes, burstBytes: a.burstBytes + b.burstBytes, bursts: a.bursts + b.bursts };
}
