import type { ThroughputSample } from '../../src/abr-star/index.js';

/** However much faster than the mean the second half came, the link is taken to be faster by no more: a busy page hears of it all at once. */
const MOST_SPEED_UP = 2;

/** Bytes of a segment that come over HTTP, from the first on. */
export interface ArrivingBody {
  /** When they were asked for, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** All of the segment; what has not come is zero. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many have come. */
  readonly loaded: number;
  /** What they say of the link, over a connection that is new: the seconds are those that they would have taken at the rate of their second half. */
  readonly shown: ThroughputSample;
  /** Calls that, and nothing else any more, when more has come. */
  follow(onProgress: () => void): void;
  /** Resolves when all has come; rejects when no more will. */
  readonly ended: Promise<unknown>;
  cancel(): void;
}

/** How HTTP brought a segment: seconds from its request on, and what that shows of the link where that is something else. */
export interface LoadedHow {
  readonly seconds: number;
  readonly shown?: ThroughputSample | undefined;
  /** Asked for ahead of the player. */
  readonly early: boolean;
}

/** What has come of so many bytes, which are asked for now. */
export class ArrivedBytes {
  readonly startedAt = performance.now();
  readonly bytes: Uint8Array<ArrayBuffer>;
  loaded = 0;
  /** Milliseconds since the request: first bytes, with how many had come; half of them; latest bytes. */
  #first: Moment | undefined;
  #half: Moment | undefined;
  #last: Moment = { at: 0, loaded: 0 };
  #onProgress = (): void => undefined;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
  }

  follow(onProgress: () => void): void {
    this.#onProgress = onProgress;
  }

  /** `part` has come, of which the first byte is that one of all. */
  add(position: number, part: Uint8Array): void {
    this.bytes.set(part, position);
    this.loaded = position + part.length;
    this.#last = { at: performance.now() - this.startedAt, loaded: this.loaded };
    this.#first ??= this.#last;
    if (this.loaded >= this.bytes.length / 2) this.#half ??= this.#last;
    this.#onProgress();
  }

  get shown(): ThroughputSample {
    const first = this.#first ?? this.#last;
    const { at, loaded: bytes } = this.#last;
    const [mean, late] = [rate(first, this.#last), rate(this.#half ?? first, this.#last)];
    // All at once: nothing but the wait is known.
    if (!(mean > 0)) return { bytes, seconds: at / 1000 };
    const speedUp = late > mean ? Math.min(MOST_SPEED_UP, late / mean) : 1;
    const timeToFirstByte = first.at / 1000;
    return { bytes, seconds: timeToFirstByte + (at - first.at) / 1000 / speedUp, timeToFirstByte };
  }
}

interface Moment {
  readonly at: number;
  readonly loaded: number;
}

/** Bytes a millisecond between two moments. */
function rate(from: Moment, to: Moment): number {
  return (to.loaded - from.loaded) / (to.at - from.at);
}
