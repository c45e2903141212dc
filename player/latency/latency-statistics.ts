/** A picture that the browser showed. */
export interface ShownFrame {
  /** When, ms on a steady clock. */
  readonly at: number;
  /** How far behind the capture it was then, ms. */
  readonly latency: number;
  /** Seconds on the media time line. */
  readonly mediaTime: number;
  /** Pictures that the browser has shown so far, this one with them: a busy page is not told of each. */
  readonly count: number;
}

/** Seconds. */
export interface LatencySummary {
  /** Now: while no picture follows it grows with the clock. Undefined before the first one and while nothing is measured. */
  readonly latency: number | undefined;
  /** Weighted by time; undefined before there is any. */
  readonly mean: number | undefined;
  /** For 95 % of the time it was no longer, to 1 ms and at most a minute. */
  readonly p95: number | undefined;
  /** That were measured. */
  readonly seconds: number;
}

/** Seconds of media from one picture to the next; more is a jump: what was in between was never shown. */
const LONGEST_STEP = 0.1;

/** Milliseconds. Longer latencies are told apart no more, so that a forgotten page fills no memory. */
const LONGEST_LATENCY = 60_000;

const QUANTILE = 0.95;

/**
 * Latency as the viewer has it, over time instead of over pictures. A picture stands for its own duration at the latency
 * that it came with; where the next one is late, latency grows with the clock until that comes.
 */
export class LatencyStatistics {
  readonly #times = new LatencyTimes();
  #last: ShownFrame | undefined;
  /** Milliseconds that the last picture is to stand: as long as the one before. */
  #step = 0;

  add(frame: ShownFrame): void {
    const last = this.#last;
    if (last) {
      const pictures = Math.max(1, frame.count - last.count);
      const media = frame.mediaTime - last.mediaTime;
      const played = media > 0 && media <= pictures * LONGEST_STEP ? media * 1000 : 0;
      this.#times.count(last, frame.at, played);
      this.#step = played / pictures;
    }
    this.#last = frame;
  }

  /** Nothing is to be shown from now on, ms: what passes before the next picture does not count. */
  interrupt(now: number): void {
    if (this.#last) this.#times.count(this.#last, now, this.#step);
    this.#last = undefined;
  }

  summary(now: number): LatencySummary {
    const last = this.#last;
    if (!last) return { latency: undefined, ...this.#times.summary() };
    // In a copy: a page that was busy learns a moment later that there were pictures.
    const times = this.#times.copy();
    times.count(last, now, this.#step);
    return { latency: (last.latency + Math.max(0, now - last.at - this.#step)) / 1000, ...times.summary() };
  }
}

/** How long each latency lasted. */
class LatencyTimes {
  /** Milliseconds at each latency, rounded to 1 ms. */
  #times = new Map<number, number>();
  /** Milliseconds, and their sum weighted by latency. */
  #total = 0;
  #sum = 0;

  copy(): LatencyTimes {
    const copy = new LatencyTimes();
    copy.#times = new Map(this.#times);
    [copy.#total, copy.#sum] = [this.#total, this.#sum];
    return copy;
  }

  summary(): Omit<LatencySummary, 'latency'> {
    const total = this.#total;
    return {
      mean: total > 0 ? this.#sum / total / 1000 : undefined,
      p95: total > 0 ? this.#quantile() / 1000 : undefined,
      seconds: total / 1000,
    };
  }

  /** A picture stands until `end`, the first `stands` ms of it as long as it should. */
  count({ at, latency }: ShownFrame, end: number, stands: number): void {
    const shown = Math.max(0, end - at);
    const late = Math.max(0, shown - stands);
    this.#add(latency, shown - late);
    const last = Math.min(latency + late, LONGEST_LATENCY);
    let reached = latency;
    for (; reached < last; reached += Math.min(1, last - reached)) {
      const piece = Math.min(1, last - reached);
      this.#add(reached + piece / 2, piece);
    }
    const beyond = latency + late - reached;
    this.#add(reached + beyond / 2, beyond);
  }

  #add(latency: number, time: number): void {
    if (time <= 0) return;
    const place = Math.round(Math.min(latency, LONGEST_LATENCY));
    this.#times.set(place, (this.#times.get(place) ?? 0) + time);
    this.#total += time;
    this.#sum += latency * time;
  }

  #quantile(): number {
    const sorted = [...this.#times].sort(([a], [b]) => a - b);
    let left = this.#total * QUANTILE;
    for (const [latency, time] of sorted) {
      left -= time;
      if (left <= 0) return latency;
    }
    return sorted.at(-1)![0];
  }
}
