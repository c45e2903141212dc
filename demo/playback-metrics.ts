/** The media element's events that start-up and stalls follow from. */
export type PlaybackEvent = 'play' | 'playing' | 'waiting' | 'seeking' | 'seeked' | 'pause' | 'ended';

/**
 * ms; what is shorter nobody sees, as a picture of 25 fps stands that long anyway. Elements do wait a millisecond now and
 * then with a full buffer.
 */
const shortestStall = 40;

/** A span of media time, `[start, end]` in seconds. */
export type TimeSpan = readonly [start: number, end: number];

export interface StallSummary {
  /** From the play request to the first `playing`, ms; undefined until then. */
  readonly startupMs: number | undefined;
  readonly stalls: number;
  readonly stallSeconds: number;
}

/**
 * Start-up time and stalls as the viewer has them. A stall lasts from `waiting` to `playing`. The wait before the first
 * picture, after a viewer's seek, and for the end of the stream is none, and a pause ends one.
 */
export class PlaybackMetrics {
  #requestedAt: number | undefined;
  #startupMs: number | undefined;
  readonly #isViewers: boolean;
  #seeking = false;
  #stalledSince: number | undefined;
  #stalls = 0;
  #stalledMs = 0;

  /**
   * `requestedAt`: when playback was asked for (ms, the clock of `record`); absent: the first `play` event says so. `seeks`: who does, as
   * what a player jumps over is no end of a stall.
   */
  constructor(requestedAt?: number, seeks: 'viewer' | 'player' = 'viewer') {
    this.#requestedAt = requestedAt;
    this.#isViewers = seeks === 'viewer';
  }

  /** Takes events in their order; `at` in ms. */
  record(event: PlaybackEvent, at: number): void {
    switch (event) {
      case 'play':
        this.#requestedAt ??= at;
        break;
      case 'playing':
        this.#startupMs ??= at - (this.#requestedAt ?? at);
        this.#endStall(at);
        break;
      case 'waiting':
        if (this.#startupMs !== undefined && !this.#seeking) this.#stalledSince ??= at;
        break;
      case 'seeking':
        if (!this.#isViewers) break;
        this.#endStall(at);
        this.#seeking = true;
        break;
      case 'seeked':
        this.#seeking = false;
        break;
      case 'pause':
        this.#endStall(at);
        break;
      case 'ended':
        // The element also waits at the very end, until dash.js says that nothing follows.
        this.#stalledSince = undefined;
        break;
    }
  }

  /** A stall that still lasts counts up to `now` (ms). */
  summary(now: number): StallSummary {
    const open = this.#stalledSince === undefined ? 0 : now - this.#stalledSince;
    const counts = open >= shortestStall;
    return {
      startupMs: this.#startupMs,
      stalls: this.#stalls + (counts ? 1 : 0),
      stallSeconds: (this.#stalledMs + (counts ? open : 0)) / 1000,
    };
  }

  #endStall(at: number): void {
    if (this.#stalledSince === undefined) return;
    const stalled = at - this.#stalledSince;
    this.#stalledSince = undefined;
    if (stalled < shortestStall) return;
    this.#stalls++;
    this.#stalledMs += stalled;
  }
}

/** Seconds in all `spans` together. */
export function totalSeconds(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, [start, end]) => sum + (end - start), 0);
}
