import { levelReached } from '../../src/delivery/index.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Transport } from './transport.js';

/** Seconds of pause that are worth a request (the authors' release). */
const SHORTEST_PAUSE = 0.07;

/** Share of the throughput that is asked for: what comes after the pause would be in the next segment's way. */
const COUNTED_ON = 0.9;

/** Bytes of a segment that are not here, and the score that they would add. */
interface Hole {
  readonly segmentIndex: number;
  readonly bytes: number;
  readonly gain: number;
}

/** Seconds, and bit/s to be expected in them. */
export interface Pause {
  readonly time: number;
  readonly until: number;
  readonly throughput: number;
}

/** What a pause has brought for one segment. */
export interface Regained {
  readonly segmentIndex: number;
  readonly bytes: number;
  readonly score: number;
}

/** A segment as it was first delivered. */
export interface Delivered {
  readonly segmentIndex: number;
  readonly segment: SegmentMap;
  readonly score: number;
  /** Unreliable bytes that were sent, and how many of those were lost. */
  readonly sent: number;
  readonly lost: number;
}

/**
 * Selective retransmission (thesis §6.2): in pauses between segments what is missing of segments that are not yet
 * played is fetched, lost or skipped, most score per byte first. Within a hole the score rises with the bytes evenly.
 */
export class Retransmission {
  #holes: Hole[] = [];

  add({ segmentIndex, segment, score, sent, lost }: Delivered): void {
    const { steps } = segment;
    const prefix = Math.max(score, steps[levelReached(steps, sent)]!.score);
    const whole = steps.at(-1)!;
    this.#holes.push(
      { segmentIndex, bytes: lost, gain: prefix - score },
      { segmentIndex, bytes: whole.bytes - sent, gain: whole.score - prefix },
    );
  }

  /** Fetches what should fit into a pause, of the segments from `firstUnplayed` on. */
  fetch(transport: Transport, { time, until, throughput }: Pause, firstUnplayed: number): Regained[] {
    this.#holes = this.#worthwhile(firstUnplayed);
    const expected = (COUNTED_ON * throughput * (until - time - transport.latency)) / 8;
    if (until - time < SHORTEST_PAUSE || this.#holes.length === 0 || expected <= 0) return [];
    let left = Math.min(expected, sumOf(this.#holes));
    transport.request(time, left);
    const regained: Regained[] = [];
    this.#holes = this.#holes.map((hole) => {
      if (left <= 0) return hole;
      const { arrived } = transport.receive(Math.min(left, hole.bytes), 'streams', until);
      left -= Math.min(left, hole.bytes);
      const { segmentIndex, bytes, gain } = hole;
      const score = gain * Math.min(1, arrived / bytes);
      regained.push({ segmentIndex, bytes: arrived, score });
      return { segmentIndex, bytes: bytes - arrived, gain: gain - score };
    });
    return regained;
  }

  #worthwhile(firstUnplayed: number): Hole[] {
    return this.#holes
      .filter(({ segmentIndex, bytes, gain }) => segmentIndex >= firstUnplayed && bytes >= 1 && gain > 0)
      .sort((a, b) => b.gain / b.bytes - a.gain / a.bytes);
  }
}

function sumOf(holes: readonly Hole[]): number {
  return holes.reduce((sum, { bytes }) => sum + bytes, 0);
}
