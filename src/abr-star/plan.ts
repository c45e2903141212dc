import type { Candidate } from './candidates.js';
import type { Prospect } from './prospects.js';
import { axesOf, ValueTable, type ValueByBuffer } from './value-table.js';

/** What a change of score from one segment to the next costs, against the score itself (the measure of docs/ABR.md). */
export const STEP_WEIGHT = 0.5;

/** A dip is paid for as such, and as a step down and one up again. */
const DIP_WEIGHT = 1 + 2 * STEP_WEIGHT;

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
}

/** What remains to be downloaded of an option, and what its parts are worth. */
export type Download = Omit<Candidate, 'option'>;

/**
 * The worth to expect of a download and of all that follows it. What is late is played as far as it has come when the buffer
 * is empty; playback stalls only for reliable bytes. `after`: what follows a segment of the download's score.
 */
export function expectedWorth(
  { bytes, reliableBytes, score, floor }: Download,
  bufferLevel: number,
  { segmentDuration, bufferCapacity, latency, prospects, stallWeight }: Outlook,
  after: ValueByBuffer,
): number {
  const open = bufferLevel - latency;
  let worth = score;
  for (const { rate, probability } of prospects) {
    const spare = open - (bytes * 8) / rate;
    if (spare >= 0) {
      worth += probability * after.at(Math.min(spare + segmentDuration, bufferCapacity - segmentDuration));
      continue;
    }
    const arrived = Math.max(0, (open * rate) / 8);
    const stall = Math.min(Math.max(0, (reliableBytes * 8) / rate - open), LONGEST_STALL);
    const share = arrived > reliableBytes ? (arrived - reliableBytes) / (bytes - reliableBytes) : 0;
    const dip = (score - floor) * (1 - share);
    worth += probability * (after.at(segmentDuration) - DIP_WEIGHT * dip - stallWeight * stall);
  }
  return worth;
}

/**
 * What `segments` are worth before the first of them, as dynamic programming has it: backwards, of each the best candidate
 * for every buffer level and every score of the segment before.
 */
export function plan(
  segments: readonly (readonly Candidate[])[],
  outlook: Outlook,
  worthAtEnd: (bufferLevel: number) => number,
): ValueTable {
  // A segment that has just come is in the buffer, and there is room for the next.
  const { segmentDuration, bufferCapacity } = outlook;
  const axes = axesOf([segmentDuration, bufferCapacity - segmentDuration], scoresOf(segments));
  const { bufferLevels } = axes;
  let after = new ValueTable(axes);
  bufferLevels.forEach((level, row) => after.fill(row, worthAtEnd(level)));
  for (let index = segments.length - 1; index >= 0; index--) {
    const before = new ValueTable(axes);
    for (const candidate of segments[index]!) {
      const follows = after.following(candidate.score);
      for (let row = 0; row < bufferLevels.length; row++) {
        const worth = expectedWorth(candidate, bufferLevels[row]!, outlook, follows);
        before.raise(row, worth, candidate.score, STEP_WEIGHT);
      }
    }
    after = before;
  }
  return after;
}

/** The lowest and the highest score among the candidates of all segments. */
function scoresOf(segments: readonly (readonly Candidate[])[]): readonly [number, number] {
  if (segments.length === 0) return [0, 0];
  const lowest = Math.min(...segments.map((candidates) => candidates[0]!.score));
  const highest = Math.max(...segments.map((candidates) => candidates.at(-1)!.score));
  return [lowest, highest];
}
