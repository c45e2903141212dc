import type { Candidates } from './candidates.js';
import type { Prospect } from './prospects.js';
import type { Option } from '../types.js';
import { axesOf, ValueTable } from './value-table.js';

/** Seconds: a link that is down makes all options equally bad, not infinitely. */
const LONGEST_STALL = 60;

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
  /** What a change of score costs, against the score itself. */
  readonly stepWeight: number;
  /** What another representation than that of the segment before costs, in units of score. */
  readonly switchCharge: number;
}

/** What remains to be downloaded of an option. */
export type Download = Pick<Option, 'representation' | 'bytes' | 'reliableBytes' | 'score'>;

/** What is worth the segments still to come, by the representation of the one before them. */
export interface Plan {
  readonly tables: readonly (ValueTable | undefined)[];
  /** Where the representation is none of those. */
  readonly otherwise: ValueTable;
}

/** What to expect of downloads that begin with certain buffer levels, where `after` is what follows them. */
export class Expectation {
  readonly #outlook: Outlook;
  readonly #bufferLevels: readonly number[];
  readonly #after: Plan;
  readonly #worths: Float64Array;
  /** A dip is paid for as such, and as a step down and one up again. */
  readonly #dipWeight: number;

  /** `bufferLevels`: in seconds. */
  constructor(outlook: Outlook, bufferLevels: readonly number[], after: Plan) {
    this.#outlook = outlook;
    this.#bufferLevels = bufferLevels;
    this.#after = after;
    this.#worths = new Float64Array(bufferLevels.length);
    this.#dipWeight = 1 + 2 * outlook.stepWeight;
  }

  /**
   * For each of the buffer levels, the worth of a download and of all that follows it; the array is the next call's, too. What
   * is late is played as far as it has come when the buffer is empty; playback stalls only for reliable bytes. `floor`: score
   * of the reliable bytes alone.
   */
  worthsOf({ representation, bytes, reliableBytes, score }: Download, floor: number): Float64Array {
    const { segmentDuration, bufferCapacity, latency, prospects, stallWeight } = this.#outlook;
    const after = this.#after.tables[representation] ?? this.#after.otherwise;
    const fullest = bufferCapacity - segmentDuration;
    const unreliableBytes = bytes - reliableBytes;
    const column = after.columnOf(score);
    for (let index = 0; index < this.#bufferLevels.length; index++) {
      const open = this.#bufferLevels[index]! - latency;
      let worth = score;
      let chanceOfDelay = 0;
      for (const { secondsPerByte, probability } of prospects) {
        const spare = open - bytes * secondsPerByte;
        if (spare >= 0) {
          worth += probability * after.at(Math.min(spare + segmentDuration, fullest), column);
          continue;
        }
        chanceOfDelay += probability;
        const missing = Math.min(unreliableBytes, bytes - open / secondsPerByte);
        if (missing > 0)
          worth -= probability * this.#dipWeight * dip(missing / unreliableBytes) * Math.max(0, score - floor);
        const stall = reliableBytes * secondsPerByte - open;
        if (stall > 0) worth -= probability * stallWeight * Math.min(stall, LONGEST_STALL);
      }
      if (chanceOfDelay > 0) worth += chanceOfDelay * after.at(segmentDuration, column);
      this.#worths[index] = worth;
    }
    return this.#worths;
  }
}

/**
 * What is lost with a share of a segment's unreliable bytes, as a share of the score that they bring: less at first, as the
 * least important come last. Measured (docs/TRIALS.md, "Content"): 8, 31 and 47 % of the bytes for 1, 5 and 10 % of the score.
 */
function dip(missingShare: number): number {
  return (missingShare * (1 + missingShare)) / 2;
}

/**
 * What `segments` are worth before the first of them, as dynamic programming has it: backwards, of each the best candidate
 * for every buffer level, every score and every representation of the segment before.
 */
export function plan(
  segments: readonly Candidates[],
  outlook: Outlook,
  worthAtEnd: (bufferLevel: number) => number,
): Plan {
  // A segment that has just come is in the buffer, and there is room for the next.
  const { segmentDuration, bufferCapacity, stepWeight, switchCharge } = outlook;
  const axes = axesOf([segmentDuration, bufferCapacity - segmentDuration], scoresOf(segments));
  const { bufferLevels } = axes;
  const atEnd = new ValueTable(axes);
  bufferLevels.forEach((level, row) => atEnd.fill(row, worthAtEnd(level)));
  let after: Plan = { tables: [], otherwise: atEnd };
  for (let index = segments.length - 1; index >= 0; index--) {
    const { options, floors } = segments[index]!;
    const expectation = new Expectation(outlook, bufferLevels, after);
    const tables: ValueTable[] = [];
    for (const option of options) {
      const worths = expectation.worthsOf(option, floors[option.representation]!);
      const table = (tables[option.representation] ??= new ValueTable(axes));
      for (let row = 0; row < worths.length; row++) table.raise(row, worths[row]!, option.score, stepWeight);
    }
    const otherwise = new ValueTable(axes);
    // Sparse: only representations with candidates have a table.
    tables.forEach((table) => otherwise.raiseTo(table, switchCharge));
    tables.forEach((table) => table.raiseTo(otherwise, 0));
    after = { tables, otherwise };
  }
  return after;
}

/** The lowest and the highest score among the candidates of all segments. */
function scoresOf(segments: readonly Candidates[]): readonly [number, number] {
  if (segments.length === 0) return [0, 0];
  return [Math.min(...segments.map(({ scores }) => scores[0])), Math.max(...segments.map(({ scores }) => scores[1]))];
}
