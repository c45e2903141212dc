/** Seconds of arrival of which a rate is made. */
const SAMPLE = 0.1;
/** Seconds that show anything, of a download that was over sooner. */
const LEAST_SAMPLE = 0.02;
/** Seconds after which what was seen of the rate weighs half. */
const HALF_LIFE = 0.5;
/** Milliseconds without a byte after which what was seen of the rate says nothing: a path that was slow is tried again. */
const FORGOTTEN = 10_000;
/** Bytes after which losses and arrivals weigh half. */
const REMEMBERED = 2e6;

/** What comes over one path, as far as it shows what the path carries. Times in ms on one clock. */
export class PathTraffic {
  /** All that was new. */
  bytes = 0;
  /** Milliseconds until the first byte of what was asked for over an idle path, at least. */
  firstByte: number | undefined;
  #rate: number | undefined;
  /** Bytes per second, as last known, however long ago. */
  lastRate: number | undefined;
  #lastArrival = 0;
  /** Since when bytes are owed. */
  #owedSince: number | undefined;
  /** Since when they come, and how many have. */
  #sample: { readonly since: number; bytes: number } | undefined;
  #arrived = 0;
  #lost = 0;

  arrived(bytes: number, now: number): void {
    this.bytes += bytes;
    this.#arrived += bytes;
    this.#lastArrival = now;
    if (this.#owedSince === undefined) return;
    // The first bytes began to come some time ago.
    if (this.#sample) this.#sample.bytes += bytes;
    else {
      this.#sample = { since: now, bytes: 0 };
      this.firstByte = Math.min(this.firstByte ?? Infinity, now - this.#owedSince);
    }
    const seconds = (now - this.#sample.since) / 1000;
    if (seconds >= SAMPLE) this.#take(seconds, now);
  }

  lost(bytes: number): void {
    this.#lost += bytes;
    if (this.#arrived + this.#lost < REMEMBERED) return;
    this.#lost /= 2;
    this.#arrived /= 2;
  }

  /** Whether bytes are owed now: what comes while there are none shows nothing. */
  owes(isOwing: boolean, now: number): void {
    if (isOwing) {
      this.#owedSince ??= now;
      return;
    }
    const seconds = this.#sample ? (this.#lastArrival - this.#sample.since) / 1000 : 0;
    if (seconds >= LEAST_SAMPLE) this.#take(seconds, now);
    this.#owedSince = this.#sample = undefined;
  }

  /** Seconds without a byte that is owed. */
  silence(now: number): number {
    return this.#owedSince === undefined ? 0 : (now - Math.max(this.#owedSince, this.#lastArrival)) / 1000;
  }

  /** Bytes per second; undefined: not known. */
  rate(now: number): number | undefined {
    return now - this.#lastArrival < FORGOTTEN ? this.#rate : undefined;
  }

  /** Forgets what was seen: with a new session everything begins anew. */
  forget(): void {
    this.#rate = this.#owedSince = this.#sample = this.firstByte = undefined;
  }

  get lossRate(): number {
    return this.#lost / Math.max(1, this.#lost + this.#arrived);
  }

  #take(seconds: number, now: number): void {
    const rate = this.#sample!.bytes / seconds;
    const weight = 1 - 2 ** (-seconds / HALF_LIFE);
    // In the beginning a path carries more with every round trip.
    if (rate > 0) this.#rate = this.#rate === undefined ? rate : this.#rate + weight * (rate - this.#rate);
    this.lastRate = this.#rate ?? this.lastRate;
    this.#sample = { since: now, bytes: 0 };
  }
}
