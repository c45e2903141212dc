/** What start-up, stalls and seeks follow from: events of the media element, and the first picture after a seek. */
export type PlaybackEvent = 'play' | 'playing' | 'waiting' | 'seeking' | 'seeked' | 'found' | 'pause' | 'ended';

/**
 * ms; what is shorter nobody sees, as a picture of 25 fps stands that long anyway. Elements do wait a millisecond now and
 * then with a full buffer.
 */
const shortestStall = 40;

export interface StallSummary {
  /** From the play request to the first `playing`, ms; undefined until then. */
  readonly startupMs: number | undefined;
  readonly stalls: number;
  readonly stallSeconds: number;
  readonly longestStall: number;
  /** Jumps of the viewer after the first picture, and seconds until a picture of the place was there, where somebody says `found`. */
  readonly seeks: number;
  readonly seekSeconds: number;
  /** Seconds of the clock in which the video played: without start-up, stalls, seeks, pauses, and what follows its end. */
  readonly watchedSeconds: number;
}

/**
 * Start-up time, stalls and seeks as the viewer has them. A stall lasts from `waiting` to `playing`. The wait before the first
 * picture, after a viewer's seek, and for the end of the stream is none, and a pause ends one.
 */
export class PlaybackMetrics {
  #requestedAt: number | undefined;
  #startupMs: number | undefined;
  readonly #isViewers: boolean;
  #seeking = false;
  #paused = false;
  #stalledSince: number | undefined;
  #stalls = 0;
  #stalledMs = 0;
  #longestMs = 0;
  #soughtAt: number | undefined;
  #seeks = 0;
  #seekMs = 0;
  #watchingSince: number | undefined;
  #watchedMs = 0;

  /**
   * `requestedAt`: when playback was asked for (ms, the clock of `record`); absent: the first `play` event says so. `seeks`: who does, as
   * what a player jumps over is no end of a stall.
   */
  constructor(requestedAt?: number, seeks: 'viewer' | 'player' = 'viewer') {
    this.#requestedAt = requestedAt;
    this.#isViewers = seeks === 'viewer';
  }

  /** Playback was asked for anew, before it has started. */
  asked(at: number): void {
    this.#requestedAt = at;
  }

  /** ms; undefined: not yet. */
  get requestedAt(): number | undefined {
    return this.#requestedAt;
  }

  get hasStarted(): boolean {
    return this.#startupMs !== undefined;
  }

  /** Playback waits for data. */
  get isStalled(): boolean {
    return this.#stalledSince !== undefined;
  }

  /** From a viewer's seek until `found`. */
  get isSeeking(): boolean {
    return this.#soughtAt !== undefined;
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
        this.#paused = false;
        this.#watch(at);
        break;
      case 'waiting':
        if (!this.hasStarted || this.#seeking) break;
        this.#stalledSince ??= at;
        this.#leave(at);
        break;
      case 'seeking':
        if (!this.#isViewers) break;
        this.#endStall(at);
        this.#leave(at);
        this.#seeking = true;
        if (this.hasStarted) this.#soughtAt ??= at;
        break;
      case 'seeked':
        this.#seeking = false;
        break;
      case 'found':
        if (this.#soughtAt === undefined) break;
        this.#seeks++;
        this.#seekMs += at - this.#soughtAt;
        this.#soughtAt = undefined;
        if (!this.#paused && !this.isStalled) this.#watch(at);
        break;
      case 'pause':
        this.#paused = true;
        this.#endStall(at);
        this.#leave(at);
        break;
      case 'ended':
        // The element also waits at the very end, until dash.js says that nothing follows.
        this.#paused = true;
        this.#stalledSince = undefined;
        this.#leave(at);
        break;
    }
  }

  /** What still lasts counts up to `now` (ms). */
  summary(now: number): StallSummary {
    const since = (start: number | undefined): number => (start === undefined ? 0 : now - start);
    const open = since(this.#stalledSince);
    const counts = open >= shortestStall;
    const stalled = counts ? open : 0;
    return {
      startupMs: this.#startupMs,
      stalls: this.#stalls + (counts ? 1 : 0),
      stallSeconds: (this.#stalledMs + stalled) / 1000,
      longestStall: Math.max(this.#longestMs, stalled) / 1000,
      seeks: this.#seeks + (this.isSeeking ? 1 : 0),
      seekSeconds: (this.#seekMs + since(this.#soughtAt)) / 1000,
      watchedSeconds: (this.#watchedMs + since(this.#watchingSince)) / 1000,
    };
  }

  #endStall(at: number): void {
    if (this.#stalledSince === undefined) return;
    const stalled = at - this.#stalledSince;
    this.#stalledSince = undefined;
    if (stalled < shortestStall) {
      this.#watchedMs += stalled;
      return;
    }
    this.#stalls++;
    this.#stalledMs += stalled;
    this.#longestMs = Math.max(this.#longestMs, stalled);
  }

  #watch(at: number): void {
    if (!this.isSeeking) this.#watchingSince ??= at;
  }

  #leave(at: number): void {
    if (this.#watchingSince !== undefined) this.#watchedMs += at - this.#watchingSince;
    this.#watchingSince = undefined;
  }
}
