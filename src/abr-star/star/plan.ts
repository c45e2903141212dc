import type { Candidates } from './candidates.js';
import type { Prospect } from './prospects.js';
import type { Option } from '../types.js';
import { atLevel, axesOf, BUFFER_POINTS, ValueTable } from './value-table.js';

/** Seconds: a link that is down makes all options equally bad, not infinitely. */
const LONGEST_STALL = 60;

/** Share of a segment's duration that is next to nothing. */
const NO_TIME = 0.125;

/** The link, the player and the measure as a plan takes them to be. Seconds, and scores in the content's unit. */
export interface Outlook {
  readonly segmentDuration: number;
  /** Seconds of the pieces in which the player gets a segment that is waited for; undefined: it gets whole segments alone. */
  readonly pieceSeconds?: number | undefined;
  /** At least two segments. */
  readonly bufferCapacity: number;
  /** From a request to its first byte. */
  readonly latency: number;
  /** What is left to play when a late download is kept as it is. */
  readonly lastMoment: number;
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

/** What remains of a segment of which the player has the first pieces. */
export interface Rest {
  readonly download: Download;
  /** Bytes that come behind it, before anything of the next segment, where it is cut short. */
  readonly bytesBehind: number;
  /** Score of what is here. */
  readonly floor: number;
  /** Seconds until all of the segment has been shown. */
  readonly level: number;
}

/** Share of the rate with which all that is left must come in time before playback begins (src/delivery/begin.ts). */
const KEEPS_UP = 0.8;

/** What to expect of downloads that begin with certain buffer levels, where `after` is what follows them. */
export class Expectation {
  readonly #worths: Float64Array;
  readonly #ahead = new Float64Array(BUFFER_POINTS);
  /** A dip is paid for as such, and as a step down and one up again. */
  readonly #dipWeight: number;

  /** `bufferLevels`: in seconds. */
  constructor(
    private readonly outlook: Outlook,
    private readonly bufferLevels: readonly number[],
    private readonly after: ValueTable,
  ) {
    this.#worths = new Float64Array(bufferLevels.length);
    this.#dipWeight = 1 + 2 * outlook.stepWeight;
  }

  /**
   * For each of the buffer levels, the worth of a download and of all that follows it; the array is the next call's, too. What
   * is late is played as far as it has come when the buffer is empty; playback stalls only for reliable bytes, and where it waits
   * already, for the first piece. `floor`: score of the reliable bytes alone.
   */
  worthsOf({ representation, bytes, reliableBytes, score }: Download, floor: number): Float64Array {
    // Hundreds of times a decision: what does not change is looked up once.
    const { segmentDuration, pieceSeconds, bufferCapacity, latency, lastMoment, prospects, stallWeight } = this.outlook;
    const pieceShare = (pieceSeconds ?? segmentDuration) / segmentDuration;
    const { axes } = this.after;
    const ahead = this.#ahead;
    const worths = this.#worths;
    const bufferLevels = this.bufferLevels;
    this.after.after(representation, score, ahead);
    const mostSpare = bufferCapacity - 2 * segmentDuration;
    const worthOfFull = ahead[BUFFER_POINTS - 1]!;
    const unreliableBytes = bytes - reliableBytes;
    const dipCost = this.#dipWeight * Math.max(0, score - floor);
    for (let index = 0; index < worths.length; index++) {
      const open = bufferLevels[index]! - latency;
      let worth = score;
      let chanceOfDelay = 0;
      for (let place = 0; place < prospects.length; place++) {
        const { secondsPerByte, probability } = prospects[place]!;
        const spare = open - bytes * secondsPerByte;
        if (spare >= mostSpare) worth += probability * worthOfFull;
        else if (spare >= lastMoment) worth += probability * atLevel(ahead, spare + segmentDuration, axes);
        else if (pieceSeconds !== undefined && bufferLevels[index]! <= 0) {
          // Playback waits: it begins with the first piece once the rest keeps up.
          const first = (reliableBytes + unreliableBytes * pieceShare) * secondsPerByte - open;
          const rest = -spare - KEEPS_UP * (segmentDuration - pieceSeconds);
          const wait = Math.max(first, rest);
          worth += probability * this.#worthFrom(segmentDuration + spare + wait);
          worth -= probability * stallWeight * Math.min(wait, LONGEST_STALL);
        } else {
          chanceOfDelay += probability;
          const missing = Math.min(unreliableBytes, bytes - (open - lastMoment) / secondsPerByte);
          if (missing > 0) worth -= probability * dipCost * dip(missing / unreliableBytes);
          const stall = reliableBytes * secondsPerByte - open;
          if (stall > 0) worth -= probability * stallWeight * Math.min(stall, LONGEST_STALL);
        }
      }
      // A late segment is all that is in the buffer when it has come: the lowest level of the table.
      worths[index] = chanceOfDelay > 0 ? worth + chanceOfDelay * ahead[0]! : worth;
    }
    return worths;
  }

  /** The worth of the rest of a segment that plays already, and of all that follows. */
  worthOfRest({ download, bytesBehind, floor, level }: Rest): number {
    const { pieceSeconds = 0, prospects } = this.outlook;
    const { representation, bytes, reliableBytes, score } = download;
    this.after.after(representation, score, this.#ahead);
    const dipCost = this.#dipWeight * Math.max(0, score - floor);
    let worth = score;
    for (const { secondsPerByte, probability } of prospects) {
      const over = bytes * secondsPerByte - (level - pieceSeconds);
      const missing = Math.min(1, over / secondsPerByte / (bytes - reliableBytes));
      if (over > 0) worth -= probability * dipCost * dip(missing);
      worth += probability * this.#worthFrom(level - (bytes + bytesBehind) * secondsPerByte);
    }
    return worth;
  }

  /** What follows, where the player has so many seconds of this segment left; without any it waits for the next one. */
  #worthFrom(level: number): number {
    const stall = Math.min(LONGEST_STALL, Math.max(0, -level));
    return atLevel(this.#ahead, level, this.after.axes) - this.outlook.stallWeight * stall;
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
): ValueTable {
  // A segment that has just come is in the buffer, and there is room for the next.
  const { segmentDuration, bufferCapacity, stepWeight, switchCharge } = outlook;
  const axes = axesOf([segmentDuration, bufferCapacity - segmentDuration], scoresOf(segments));
  let after = new ValueTable(axes, 0);
  after.fill(axes.bufferLevels.map(worthAtEnd));
  for (let index = segments.length - 1; index >= 0; index--) {
    const { options, floors } = segments[index]!;
    const expectation = new Expectation(outlook, axes.bufferLevels, after);
    const before = new ValueTable(axes, floors.length);
    for (const option of sensible(options, outlook)) {
      const { representation, score } = option;
      before.raise(representation, score, expectation.worthsOf(option, floors[representation]!), stepWeight);
    }
    before.spread(stepWeight, switchCharge);
    after = before;
  }
  return after;
}

/**
 * Without those that take longer than all that the buffer can hold, and those that take next to no time where a better one does, too: on most links
 * half of a ladder. Never none.
 */
function sensible(
  options: readonly Option[],
  { prospects, bufferCapacity, segmentDuration }: Outlook,
): readonly Option[] {
  const { secondsPerByte } = prospects[prospects.length >> 1]!;
  const most = bufferCapacity / secondsPerByte;
  const least = (NO_TIME * segmentDuration) / secondsPerByte;
  let cheap = options[0]!;
  for (const option of options) if (option.bytes < least && option.score > cheap.score) cheap = option;
  return options.filter((option) => option === cheap || (option.bytes >= least && option.bytes <= most));
}

/** The lowest and the highest score among the candidates of all segments. */
function scoresOf(segments: readonly Candidates[]): readonly [number, number] {
  if (segments.length === 0) return [0, 0];
  return [Math.min(...segments.map(({ scores }) => scores[0])), Math.max(...segments.map(({ scores }) => scores[1]))];
}
