import type { Random } from '../../random.js';
import type { Packet, Queue } from './queue.js';

/** Seconds: the delay that is held (RFC 8033 §4), between two updates of the probability, and of a burst that is let through. */
const TARGET = 0.015;
const UPDATE_INTERVAL = 0.015;
const MAX_BURST = 0.15;

/** For the distance from the target and for its trend, per second. */
const ALPHA = 0.125;
const BETA = 1.25;

/** Small probabilities change in small steps: below each bound the change is divided by the factor (§4.2). */
const DAMPING: readonly (readonly [bound: number, factor: number])[] = [
  [0.000001, 2048],
  [0.00001, 512],
  [0.0001, 128],
  [0.001, 32],
  [0.01, 8],
  [0.1, 2],
];

/** Large ones grow by no more at a time (§5.2); what is left of them after an update without congestion (§4.2). */
const MAX_STEP = 0.02;
const DECAY = 0.98;

/** A sum of probabilities below the first never drops, above the second always (§5.4). */
const NEVER = 0.85;
const ALWAYS = 8.5;

/** Proportional integral controller enhanced (RFC 8033): drops at the tail with a probability that holds the delay. `limit`: packets. */
export class Pie implements Queue {
  readonly #packets: Packet[] = [];
  #probability = 0;
  #accumulated = 0;
  #lastDelay = 0;
  #burst = MAX_BURST;
  #nextUpdate = UPDATE_INTERVAL;

  constructor(
    private readonly limit: number,
    private readonly random: Pick<Random, 'uniform'>,
  ) {}

  enqueue(packet: Packet, now: number): void {
    this.#updateUntil(now);
    if (this.#packets.length >= this.limit || this.#dropsEarly()) this.#accumulated = 0;
    else this.#packets.push(packet);
  }

  dequeue(now: number): Packet | undefined {
    this.#updateUntil(now);
    return this.#packets.shift();
  }

  #updateUntil(now: number): void {
    for (; this.#nextUpdate <= now; this.#nextUpdate += UPDATE_INTERVAL)
      this.#update(Math.max(0, this.#nextUpdate - (this.#packets[0]?.arrivedAt ?? this.#nextUpdate)));
  }

  /** §4.2 and §4.4. */
  #update(delay: number): void {
    const change = ALPHA * (delay - TARGET) + BETA * (delay - this.#lastDelay);
    const step = change / (DAMPING.find(([bound]) => this.#probability < bound)?.[1] ?? 1);
    this.#probability += this.#probability >= 0.1 ? Math.min(step, MAX_STEP) : step;
    if (delay === 0 && this.#lastDelay === 0) this.#probability *= DECAY;
    this.#probability = Math.min(1, Math.max(0, this.#probability));
    this.#burst = Math.max(0, this.#burst - UPDATE_INTERVAL);
    if (this.#probability === 0 && Math.max(delay, this.#lastDelay) < TARGET / 2) this.#burst = MAX_BURST;
    this.#lastDelay = delay;
  }

  /** §4.1 and §5.4. */
  #dropsEarly(): boolean {
    const isCalm = this.#lastDelay < TARGET / 2 && this.#probability < 0.2;
    if (this.#burst > 0 || isCalm || this.#packets.length < 2) return false;
    if (this.#probability === 0) this.#accumulated = 0;
    this.#accumulated += this.#probability;
    if (this.#accumulated >= ALWAYS) return true;
    return this.#accumulated >= NEVER && this.random.uniform() < this.#probability;
  }
}
