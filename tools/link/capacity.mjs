// @ts-check

/**
 * How long packets travel each way, besides the link's own delay, and which share of those to the client is lost.
 * @typedef {{ delayMs: number, lossPercent: number, meanBurst?: number | undefined }} Conditions
 */

/**
 * What a link carries over time; repeated when a session outlasts it.
 * @typedef {{ step: number, rates: readonly number[], conditions?: readonly Conditions[] | undefined }} Trace `step`: seconds that each
 *   rate holds; `rates`: bit/s, not all 0; `conditions`: of each step, where they change
 */

/** @param {Trace} trace @returns {(now: number) => Conditions} those that hold at a time in ms; nothing where a trace has none */
export function conditionsAt({ step, conditions = [NO_CONDITIONS] }) {
  return (now) => /** @type {Conditions} */ (conditions[Math.floor(now / (1000 * step)) % conditions.length]);
}

/** @type {Conditions} */
const NO_CONDITIONS = { delayMs: 0, lossPercent: 0 };

/**
 * What a link could have sent since it began: the integral of its trace, times a scale that may be changed on the way. Times in ms
 * since the beginning.
 */
export class Capacity {
  #stepMs;
  /** Bytes of the trace up to the end of each step. @type {number[]} */
  #sums = [];
  #scale = 1;
  /** When the scale was last changed, what the trace had allowed until then, and what the link. */
  #base = { traced: 0, sent: 0 };

  /** @param {Trace} trace */
  constructor({ step, rates }) {
    this.#stepMs = 1000 * step;
    let sum = 0;
    for (const rate of rates) this.#sums.push((sum += (rate * step) / 8));
    if (!(sum > 0)) throw new RangeError('a trace must have at least one rate above 0');
  }

  get scale() {
    return this.#scale;
  }

  /** Multiplies the trace from `now` on. @param {number} scale above 0 @param {number} now */
  rescale(scale, now) {
    if (!(scale > 0 && Number.isFinite(scale))) throw new RangeError(`the scale must be above 0, got ${scale}`);
    this.#base = { traced: this.#traced(now), sent: this.sent(now) };
    this.#scale = scale;
  }

  /** Bytes that could have been sent until `time`. @param {number} time */
  sent(time) {
    return this.#base.sent + this.#scale * (this.#traced(time) - this.#base.traced);
  }

  /** The time at which `sent` reaches so many bytes, if the scale stays. @param {number} bytes */
  timeOf(bytes) {
    return this.#timeOfTraced(this.#base.traced + (bytes - this.#base.sent) / this.#scale);
  }

  get #total() {
    return /** @type {number} */ (this.#sums.at(-1));
  }

  /** @param {number} time */
  #traced(time) {
    const steps = Math.max(0, time) / this.#stepMs;
    const whole = Math.floor(steps);
    const rounds = Math.floor(whole / this.#sums.length);
    const index = whole % this.#sums.length;
    const before = this.#sums[index - 1] ?? 0;
    const inStep = ((this.#sums[index] ?? 0) - before) * (steps - whole);
    return rounds * this.#total + before + inStep;
  }

  /** @param {number} bytes */
  #timeOfTraced(bytes) {
    // What a whole round sends is sent in that round, not at the beginning of the next: the trace may end with a pause.
    const rounds = Math.max(0, Math.ceil(bytes / this.#total) - 1);
    const rest = Math.min(bytes - rounds * this.#total, this.#total);
    const index = this.#sums.findIndex((sum) => sum >= rest);
    const before = this.#sums[index - 1] ?? 0;
    const inStep = (this.#sums[index] ?? 0) - before;
    // In a step without any rate nothing is left to be sent either: its beginning.
    const steps = rounds * this.#sums.length + index + (inStep > 0 ? (rest - before) / inStep : 0);
    return steps * this.#stepMs;
  }
}
