import { INITIAL_WINDOW, type CongestionControl } from './congestion-control.js';

/** CUBIC's constants (RFC 9438 §5): growth in packets/s³, and the share of the window that survives a loss. */
const CUBIC_GROWTH = 0.4;
const CUBIC_DECREASE = 0.7;

/** Packets per round trip that make CUBIC no slower than Reno (RFC 9438 §4.3). */
const RENO_GROWTH = (3 * (1 - CUBIC_DECREASE)) / (1 + CUBIC_DECREASE);

/** Packets (RFC 9002 §7.2). */
const MINIMUM_WINDOW = 2;

/** Seconds without data after which a plain sender's window says nothing about the path any more: slow start begins again. */
const IDLE_LIMIT = 1;

/** How much of the window an idle sender may take back at slow start's speed (RFC 7661 §4.4.2 gives the same share). */
const REGAINED_AFTER_IDLE = 0.75;

/**
 * A sender's congestion window: slow start, then CUBIC (RFC 9438). Bytes and seconds. `isPaced`: as both servers have it, idle time leaves the
 * window as it was, and slow start pauses while there is a queue and ends where that lasts a round trip (after RFC 9406).
 */
export class Cubic implements CongestionControl {
  readonly restsInRecovery = true;
  readonly #packet: number;
  readonly #isPaced: boolean;
  #size: number;
  #slowStartThreshold = Infinity;
  /** The window at the last loss, and the time by which CUBIC is back there. */
  #plateau = 0;
  #plateauTime = 0;
  /** What Reno would have by now. */
  #reno = 0;
  /** Slow start did not grow in the last round trip. */
  #isPaused = false;

  constructor(packetBytes: number, isPaced = false) {
    this.#packet = packetBytes;
    this.#isPaced = isPaced;
    this.#size = INITIAL_WINDOW * packetBytes;
  }

  get size(): number {
    return this.#size;
  }

  offer(inFlight: number): number {
    return Math.max(0, this.#size - inFlight);
  }

  /** `bytes` of a full window were acknowledged at `time`. */
  acknowledge(bytes: number, time: number, isQueueing = false): void {
    if (this.#size < this.#slowStartThreshold) {
      if (isQueueing && this.#isPaced) {
        if (this.#isPaused) this.#endSlowStart(time);
        this.#isPaused = true;
        return;
      }
      this.#isPaused = false;
      this.#size = Math.min(this.#size + bytes, Math.max(this.#slowStartThreshold, this.#size));
      return;
    }
    const share = Math.min(1, bytes / this.#size);
    this.#reno += RENO_GROWTH * this.#packet * share;
    const sincePlateau = time - this.#plateauTime;
    const cubic = this.#plateau + CUBIC_GROWTH * sincePlateau * sincePlateau * sincePlateau * this.#packet;
    const target = Math.min(Math.max(cubic, this.#size), 1.5 * this.#size);
    this.#size = Math.max(this.#size + share * (target - this.#size), this.#reno);
  }

  /** A round trip with losses ended at `time`. */
  reduce(time: number): void {
    // Fast convergence (RFC 9438 §4.7): a flow that lost below its last plateau leaves room.
    const isBelowPlateau = this.#size < this.#plateau;
    this.#plateau = isBelowPlateau ? (this.#size * (1 + CUBIC_DECREASE)) / 2 : this.#size;
    this.#size = Math.max(CUBIC_DECREASE * this.#size, MINIMUM_WINDOW * this.#packet);
    this.#slowStartThreshold = this.#size;
    this.#reno = this.#size;
    const missing = Math.max(0, this.#plateau - this.#size) / this.#packet;
    this.#plateauTime = time + Math.cbrt(missing / CUBIC_GROWTH);
  }

  rest(seconds: number): void {
    // Its curve rests (RFC 9438 §5.8).
    if (this.#isPaced) this.#plateauTime += Math.max(0, seconds);
    else this.#restart(seconds);
  }

  #restart(idle: number): void {
    const initial = INITIAL_WINDOW * this.#packet;
    if (idle < IDLE_LIMIT || this.#size <= initial) return;
    if (this.#slowStartThreshold < Infinity) {
      this.#slowStartThreshold = Math.max(this.#slowStartThreshold, REGAINED_AFTER_IDLE * this.#size);
    }
    this.#size = initial;
  }

  #endSlowStart(time: number): void {
    this.#slowStartThreshold = this.#reno = this.#plateau = this.#size;
    this.#plateauTime = time;
  }
}
