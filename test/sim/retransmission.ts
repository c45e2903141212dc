import type { ContentSegment } from './content.js';
import { levelSent } from './delivered-score.js';
import type { Transport } from './transport.js';

/** Seconds of pause that are worth a request (the authors' release). */
const SHORTEST_PAUSE = 0.07;

/** Bytes of a segment that are not here, and the score that they would add. */
interface Hole {
  readonly segmentIndex: number;
  readonly bytes: number;
  readonly gain: number;
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
  readonly segment: ContentSegment;
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
    const prefix = steps[levelSent(segment, sent)]!;
    const whole = steps.at(-1)!;
    this.#holes.push(
      { segmentIndex, bytes: lost, gain: prefix.score - score },
      { segmentIndex, bytes: whole.bytes - sent, gain: whole.score - prefix.score },
    );
  }

  /** Fetches from `time` until `until`, of the segments from `firstUnplayed` on. */
  fetch(transport: Transport, { time, until }: { time: number; until: number }, firstUnplayed: number): Regained[] {
    const holes = this.#worthwhile(firstUnplayed);
    this.#holes = holes;
    if (until - time < SHORTEST_PAUSE || holes.length === 0) return [];
    transport.request(time, sumOf(holes));
    return holes.map((hole, index) => {
      const { arrived } = transport.receive(hole.bytes, 'reliable', until);
      const share = Math.min(1, arrived / hole.bytes);
      const { segmentIndex, bytes, gain } = hole;
      this.#holes[index] = { segmentIndex, bytes: bytes - arrived, gain: gain * (1 - share) };
      return { segmentIndex, bytes: arrived, score: gain * share };
    });
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
