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

/** Shares of a window that must have been used for it to grow, in slow start and then: voxel-serve's (RFC 9002 §7.8 leaves them open). */
const USED_IN_SLOW_START = 0.5;
const USED = 0.85;

/** quiche takes a loss back, once what was sent before is acknowledged, where less than this share of the window was lost, or fewer packets than that. */
const FORGIVEN_SHARE = 0.2;
const LEAST_FORGIVEN_PACKETS = 2;

export interface CubicManners {
  /** Idle time leaves the window as it was, and slow start pauses while there is a queue and ends where that lasts a round trip (after RFC 9406): both servers do. */
  readonly isPaced?: boolean;
  /** Few losses are taken for none, but for those that end slow start: with quiche a random loss of 1 % costs a round trip, not the window. */
  readonly forgives?: boolean;
}

/** What a reduction changes. */
interface Curve {
  readonly size: number;
  readonly slowStartThreshold: number;
  readonly plateau: number;
  readonly plateauTime: number;
  readonly reno: number;
}

/** A sender's congestion window: slow start, then CUBIC (RFC 9438). Bytes and seconds. */
export class Cubic implements CongestionControl {
  readonly restsInRecovery = true;
  readonly #packet: number;
  readonly #isPaced: boolean;
  readonly #forgives: boolean;
  #size: number;
  #slowStartThreshold = Infinity;
  /** The window at the last loss, and the time by which CUBIC is back there. */
  #plateau = 0;
  #plateauTime = 0;
  /** What Reno would have by now. */
  #reno = 0;
  /** Slow start did not grow in the last round trip. */
  #isPaused = false;
  /** The window before the last reduction, while that may be taken back, and bytes lost since then. */
  #before: Curve | undefined;
  #lost = 0;

  constructor(packetBytes: number, { isPaced = false, forgives = false }: CubicManners = {}) {
    this.#packet = packetBytes;
    this.#isPaced = isPaced;
    this.#forgives = forgives;
    this.#size = INITIAL_WINDOW * packetBytes;
  }

  get size(): number {
    return this.#size;
  }

  offer(inFlight: number): number {
    return Math.max(0, this.#size - inFlight);
  }

  acknowledge(bytes: number, time: number, isQueueing = false, used = 1): void {
    const isSlowStart = this.#size < this.#slowStartThreshold;
    if (used < (isSlowStart ? USED_IN_SLOW_START : USED)) return;
    if (this.#forgive()) return;
    if (isSlowStart) {
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
  reduce(time: number, bytes = 0): void {
    const isSlowStart = this.#size < this.#slowStartThreshold;
    this.#before = this.#forgives && !isSlowStart ? this.#curve : undefined;
    this.#lost = bytes;
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

  overlook(bytes: number): void {
    this.#lost += bytes;
  }

  get #curve(): Curve {
    return {
      size: this.#size,
      slowStartThreshold: this.#slowStartThreshold,
      plateau: this.#plateau,
      plateauTime: this.#plateauTime,
      reno: this.#reno,
    };
  }

  /** Takes the last reduction back where little was lost; true where it did. */
  #forgive(): boolean {
    const before = this.#before;
    this.#before = undefined;
    const limit = Math.max(FORGIVEN_SHARE * this.#size, LEAST_FORGIVEN_PACKETS * this.#packet);
    if (!before || this.#lost >= limit) return false;
    this.#size = before.size;
    this.#slowStartThreshold = before.slowStartThreshold;
    this.#plateau = before.plateau;
    this.#plateauTime = before.plateauTime;
    this.#reno = before.reno;
    return true;
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
