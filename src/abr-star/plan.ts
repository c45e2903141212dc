import type { Candidate } from './candidates.js';
import type { Prospect } from './prospects.js';

/** What a change of score from one segment to the next costs, against the score itself (the measure of docs/ABR.md). */
export const STEP_WEIGHT = 0.5;

/** A dip is paid for as such, and as a step down and one up again. */
const DIP_WEIGHT = 1 + 2 * STEP_WEIGHT;

/** Seconds: a link that is down makes all options equally bad, not infinitely. */
const LONGEST_STALL = 60;

/** Points of the table: buffer levels, closer together where the buffer is low, and scores of the segment before. */
const BUFFER_POINTS = 9;
const SCORE_POINTS = 8;

/** The link, the player and the measure as a plan takes them to be. Seconds, and scores in the content's unit. */
export interface Outlook {
  readonly segmentDuration: number;
  /** At least two segments. */
  readonly bufferCapacity: number;
  /** From a request to its first byte. */
  readonly latency: number;
  readonly prospects: readonly Prospect[];
  /** What a second of stall costs, in units of score. */
  readonly stallWeight: number;
}

/** What the segments still to come are worth, for any buffer level and any score of the segment before. */
export interface ValueToGo {
  at(bufferLevel: number, score: number): number;
}

/** What remains to be downloaded of an option, and what its parts are worth. */
export type Download = Omit<Candidate, 'option'>;

/**
 * The worth to expect of a download and of all that follows it. What is late is played as far as it has come when the buffer
 * is empty; playback stalls only for reliable bytes.
 */
export function expectedWorth(download: Download, bufferLevel: number, outlook: Outlook, after: ValueToGo): number {
  const { segmentDuration, bufferCapacity, latency, stallWeight } = outlook;
  const { bytes, reliableBytes, score, floor } = download;
  let worth = score;
  for (const { rate, probability } of outlook.prospects) {
    const spare = bufferLevel - latency - (bytes * 8) / rate;
    if (spare >= 0) {
      worth += probability * after.at(Math.min(spare + segmentDuration, bufferCapacity - segmentDuration), score);
      continue;
    }
    const arrived = Math.max(0, ((bufferLevel - latency) * rate) / 8);
    const stall = Math.min(Math.max(0, latency + (reliableBytes * 8) / rate - bufferLevel), LONGEST_STALL);
    const share = arrived > reliableBytes ? (arrived - reliableBytes) / (bytes - reliableBytes) : 0;
    const dip = (score - floor) * (1 - share);
    worth += probability * (after.at(segmentDuration, score) - DIP_WEIGHT * dip - stallWeight * stall);
  }
  return worth;
}

/** The worth of a segment's best download, candidates against the score of the segment before, as dynamic programming has it. */
export function plan(
  segments: readonly (readonly Candidate[])[],
  outlook: Outlook,
  worthAtEnd: (bufferLevel: number) => number,
): ValueToGo {
  const most = outlook.bufferCapacity - outlook.segmentDuration;
  const scores = scoreAxis(segments);
  const levels = Array.from({ length: BUFFER_POINTS }, (_, index) => most * (index / (BUFFER_POINTS - 1)) ** 2);
  let after: ValueToGo = { at: worthAtEnd };
  for (const candidates of segments.toReversed()) {
    const values = new Float64Array(BUFFER_POINTS * SCORE_POINTS).fill(-Infinity);
    levels.forEach((bufferLevel, row) => {
      for (const candidate of candidates) {
        const worth = expectedWorth(candidate, bufferLevel, outlook, after);
        for (let column = 0; column < SCORE_POINTS; column++) {
          const before = scores.lowest + column * scores.step;
          const value = worth - STEP_WEIGHT * Math.abs(candidate.score - before);
          const cell = row * SCORE_POINTS + column;
          if (value > values[cell]!) values[cell] = value;
        }
      }
    });
    after = new ValueTable(values, most, scores);
  }
  return after;
}

interface ScoreAxis {
  readonly lowest: number;
  readonly step: number;
}

function scoreAxis(segments: readonly (readonly Candidate[])[]): ScoreAxis {
  const lowest = Math.min(...segments.map((candidates) => candidates[0]!.score));
  const highest = Math.max(...segments.map((candidates) => candidates.at(-1)!.score));
  return { lowest, step: (highest - lowest) / (SCORE_POINTS - 1) || 1 };
}

/** Values at the points of both axes, linear between them, and constant beyond. */
class ValueTable implements ValueToGo {
  readonly #values: Float64Array;
  readonly #most: number;
  readonly #scores: ScoreAxis;

  constructor(values: Float64Array, most: number, scores: ScoreAxis) {
    this.#values = values;
    this.#most = most;
    this.#scores = scores;
  }

  at(bufferLevel: number, score: number): number {
    const y = Math.sqrt(Math.min(1, bufferLevel / this.#most)) * (BUFFER_POINTS - 1);
    const x = Math.min(SCORE_POINTS - 1, Math.max(0, (score - this.#scores.lowest) / this.#scores.step));
    const row = Math.min(BUFFER_POINTS - 2, Math.floor(y));
    const column = Math.min(SCORE_POINTS - 2, Math.floor(x));
    const cell = row * SCORE_POINTS + column;
    const lower = this.#between(cell, x - column);
    return lower + (y - row) * (this.#between(cell + SCORE_POINTS, x - column) - lower);
  }

  #between(cell: number, share: number): number {
    return this.#values[cell]! + share * (this.#values[cell + 1]! - this.#values[cell]!);
  }
}
