import { INITIAL_WINDOW, type CongestionControl } from './congestion-control.js';

/** Gains and thresholds of BBR (draft-cardwell-iccrg-bbr-congestion-control-02 §2.5, §4.3). */
const STARTUP_GAIN = 2.77;
const WINDOW_GAIN = 2;

/** Pacing in round trips of one cycle: a probe for more, the same less to empty the queue, and what is known to fit. */
const CYCLE = [1.25, 0.75, 1, 1, 1, 1, 1, 1] as const;

/** Startup ends when the rate has not grown by a quarter in three round trips, … */
const STARTUP_GROWTH = 1.25;
const STARTUP_PATIENCE = 3;

/** … or more than this share is lost, of so many packets at least. Later that lowers the limit of bytes in flight: what BBRv2 added. */
const LOSS_THRESHOLD = 0.02;
const STARTUP_LOSSES = 8;
const LOSS_DECREASE = 0.7;

/** Round trips over which the highest rate counts. */
const RATE_WINDOW = 10;

/** Packets. */
const MINIMUM_WINDOW = 4;

/**
 * A BBR-like control: sends at the highest rate at which the link has delivered of late, at most two bandwidth-delay products. Losses below
 * 2 % of a cycle mean nothing to it. Left out: probing for a shorter round trip, and the short-term bounds after losses.
 */
export class Bbr implements CongestionControl {
  readonly restsInRecovery = false;
  readonly #packet: number;
  /** Bytes delivered in each of the latest round trips. */
  #delivered: number[] = [];
  #phase: 'startup' | 'drain' | 'probe' = 'startup';
  #startupRate = 0;
  #roundsWithoutGrowth = 0;
  #cycleRound = 0;
  #limit = Infinity;
  /** Bytes since the cycle began, or in this round trip of startup. */
  #carried = 0;
  #lost = 0;

  constructor(packetBytes: number) {
    this.#packet = packetBytes;
  }

  offer(inFlight: number): number {
    const product = this.#bandwidthDelayProduct;
    const window = Math.min(this.#limit, WINDOW_GAIN * product);
    const room = Math.max(window, MINIMUM_WINDOW * this.#packet) - inFlight;
    return Math.max(0, Math.min(this.#gain * product, room));
  }

  acknowledge(bytes: number, ...round: readonly [time?: number, isQueueing?: boolean, share?: number]): void {
    const [, , share = 1] = round;
    // What an application had left to send says nothing of the link, unless it is more than was known.
    if (bytes === 0 || (share < 1 && bytes <= this.#bandwidthDelayProduct)) return;
    this.#delivered = [...this.#delivered, bytes].slice(-RATE_WINDOW);
    const product = this.#bandwidthDelayProduct;
    this.#carried += bytes;
    if (this.#phase === 'probe') this.#nextInCycle();
    else {
      if (this.#phase === 'drain') this.#phase = 'probe';
      else this.#watchStartup(product);
      this.#forget();
    }
  }

  reduce(_time: number, bytes: number): void {
    this.#lost += bytes;
  }

  overlook(): void {
    // All losses count.
  }

  rest(): void {
    // The rate is remembered and paced: no burst, and no new start.
  }

  get #bandwidthDelayProduct(): number {
    return Math.max(
      ...this.#delivered,
      MINIMUM_WINDOW * this.#packet,
      this.#isFirst ? INITIAL_WINDOW * this.#packet : 0,
    );
  }

  get #isFirst(): boolean {
    return this.#delivered.length === 0;
  }

  get #gain(): number {
    if (this.#phase === 'startup') return this.#isFirst ? 1 : STARTUP_GAIN;
    return this.#phase === 'drain' ? 1 / STARTUP_GAIN : CYCLE[this.#cycleRound]!;
  }

  #watchStartup(product: number): void {
    const losesMuch = this.#isLosing && this.#lost >= STARTUP_LOSSES * this.#packet;
    if (product >= STARTUP_GROWTH * this.#startupRate && !losesMuch) {
      this.#startupRate = product;
      this.#roundsWithoutGrowth = 0;
    } else if (losesMuch || ++this.#roundsWithoutGrowth >= STARTUP_PATIENCE) this.#phase = 'drain';
  }

  #nextInCycle(): void {
    this.#cycleRound = (this.#cycleRound + 1) % CYCLE.length;
    if (this.#cycleRound !== 0) return;
    // A cycle without many losses raises the limit as far as a probe reaches.
    const highest = WINDOW_GAIN * this.#bandwidthDelayProduct;
    this.#limit = this.#isLosing ? LOSS_DECREASE * Math.min(this.#limit, highest) : CYCLE[0] * this.#limit;
    this.#forget();
  }

  get #isLosing(): boolean {
    return this.#lost > LOSS_THRESHOLD * (this.#lost + this.#carried);
  }

  #forget(): void {
    this.#lost = 0;
    this.#carried = 0;
  }
}
