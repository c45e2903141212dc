import type { ByteRange } from '../manifest/byte-range.js';

/** A gap is a loss once so many datagrams that were sent after it have come (RFC 9002 section 6.1.1). */
const PACKET_THRESHOLD = 3;

/** A gap is a loss once it is open for this share of a round trip: a sender waits 9/8 of one (RFC 9002 section 6.1.2). */
export const TIME_THRESHOLD = 1 / 8;

/** Milliseconds that a gap stays open at least: timers and threads are late by as much. */
const GRANULARITY_MS = 10;

/** Milliseconds in which losses gather, so that those of one burst share a request. */
const GATHERING_MS = 10;

/** Round trips until what is asked for is here: there and back, and its own time in the queue. */
export const RECOVERY_ROUND_TRIPS = 1.25;

/** Bytes of a body that should have come; nothing later than `openedAt` has shown whether they are late or lost. */
interface Gap extends ByteRange {
  readonly openedAt: number;
  /** Datagrams sent after it that have come. */
  later: number;
  /** When that became enough. */
  lostAt: number | undefined;
}

/**
 * Finds the losses of one body that travels as datagrams, in the order of its bytes, while it travels. Positions count from
 * its first byte, times in milliseconds on one clock. What a late datagram fills after all is for the caller to leave out.
 */
export class LossDetection {
  #gaps: Gap[] = [];
  /** End of the furthest byte that has come, or was sent. */
  #reached = 0;

  /** Bytes `[start, end)` have come. */
  arrived(start: number, end: number, now: number): void {
    for (const gap of this.#gaps) {
      if (start >= gap.end && ++gap.later >= PACKET_THRESHOLD) gap.lostAt ??= now;
    }
    if (start > this.#reached) {
      this.#gaps.push({ start: this.#reached, end: start, openedAt: now, later: 1, lostAt: undefined });
    }
    this.#reached = Math.max(this.#reached, end);
  }

  /** The server has sent all that it will, up to `end`. */
  sentUpTo(end: number, now: number): void {
    if (end <= this.#reached) return;
    this.#gaps.push({ start: this.#reached, end, openedAt: now, later: 0, lostAt: undefined });
    this.#reached = end;
  }

  get hasGaps(): boolean {
    return this.#gaps.length > 0;
  }

  /** When `take` should be called; undefined: no gap is open. `window`: how long a datagram may be late, in ms. */
  due(window: number): number | undefined {
    const times = this.#gaps.map(({ openedAt, lostAt }) =>
      lostAt === undefined ? openedAt + window : Math.min(lostAt + GATHERING_MS, openedAt + window),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** What counts as lost, once that is due; each byte is given once. */
  take(now: number, window: number): ByteRange[] {
    if (now < (this.due(window) ?? Infinity)) return [];
    const isLost = ({ openedAt, lostAt }: Gap) => lostAt !== undefined || now >= openedAt + window;
    const lost = this.#gaps.filter(isLost);
    this.#gaps = this.#gaps.filter((gap) => !isLost(gap));
    return lost.map(({ start, end }) => ({ start, end }));
  }
}

/**
 * How long a datagram may be late before it counts as lost, in ms. Where losses are not asked for again, each of them costs a
 * frame: a whole round trip.
 */
export function reorderingWindow(roundTrip: number, isRecovered: boolean): number {
  return Math.max(GRANULARITY_MS, roundTrip * (isRecovered ? TIME_THRESHOLD : 1));
}

/**
 * Whether what is asked for again now should be here in time. `deadline` and `elapsed`: milliseconds since the segment was
 * asked for. Bytes are asked for in the order of their worth, so a gap is worth at least what comes after it.
 */
export function comesInTime(deadline: number | undefined, elapsed: number, roundTrip: number): boolean {
  return deadline === undefined || elapsed + RECOVERY_ROUND_TRIPS * roundTrip <= deadline;
}
