import type { Conditions } from './conditions.js';
import { traceDuration, type Trace } from './trace.js';

const NO_CONDITIONS: Conditions = { delayMs: 0, lossPercent: 0 };

/** A looped trace as a running total of bytes, so that any stretch of it costs one subtraction or one search. */
export class Link {
  readonly #step: number;
  readonly #period: number;
  /** Bytes carried up to the start of each step; the last is those of one whole pass. */
  readonly #totals: Float64Array;
  readonly #shift: number;
  readonly #conditions: readonly Conditions[];
  /** The last question's end is mostly the next one's start. */
  #lastTime = 0;
  #lastCarried = 0;

  /** `shift`: seconds into the trace at which time 0 lies. */
  constructor(trace: Trace, shift = 0) {
    this.#step = trace.step;
    this.#period = traceDuration(trace);
    this.#shift = shift;
    this.#conditions = trace.conditions ?? [];
    this.#totals = new Float64Array(trace.rates.length + 1);
    trace.rates.forEach((rate, index) => {
      this.#totals[index + 1] = this.#totals[index]! + (rate * trace.step) / 8;
    });
    this.#lastCarried = this.#carriedUntil(this.#lastTime);
  }

  /** Whether packets travel for longer or get lost at times, besides what a path does by itself. */
  get hasConditions(): boolean {
    return this.#conditions.length > 0;
  }

  conditionsAt(time: number): Conditions {
    const index = Math.floor((time + this.#shift) / this.#step) % this.#conditions.length;
    return this.#conditions[index] ?? NO_CONDITIONS;
  }

  /** Bytes that the link can carry from `start` to `end`, in seconds. */
  bytesBetween(start: number, end: number): number {
    const before = start === this.#lastTime ? this.#lastCarried : this.#carriedUntil(start);
    this.#lastTime = end;
    this.#lastCarried = this.#carriedUntil(end);
    return this.#lastCarried - before;
  }

  /** The time by which the link has carried `bytes`, if it starts at `start`. */
  timeToCarry(start: number, bytes: number): number {
    if (bytes <= 0) return start;
    const perPass = this.#totals.at(-1)!;
    const wanted = this.#carriedUntil(start) + bytes;
    const passes = Math.floor(wanted / perPass);
    const rest = wanted - passes * perPass;
    const index = this.#stepThatCarries(rest);
    const gained = this.#totals[index + 1]! - this.#totals[index]!;
    const within = gained > 0 ? (rest - this.#totals[index]!) / gained : 0;
    return Math.max(start, passes * this.#period + (index + within) * this.#step - this.#shift);
  }

  #carriedUntil(time: number): number {
    const position = time + this.#shift;
    const passes = Math.floor(position / this.#period);
    const steps = (position - passes * this.#period) / this.#step;
    const index = Math.min(Math.floor(steps), this.#totals.length - 2);
    const start = this.#totals[index]!;
    return passes * this.#totals.at(-1)! + start + (steps - index) * (this.#totals[index + 1]! - start);
  }

  /** The first step at whose end more than `bytes`, or the whole pass, is carried. */
  #stepThatCarries(bytes: number): number {
    let low = 0;
    let high = this.#totals.length - 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#totals[middle + 1]! >= bytes) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
