import type { PlayedSegment, SessionRecord } from './session.js';

/** What one playback came to. Ratios of 1, scores in the content's unit, bit/s, seconds. */
export interface Metrics {
  /** Stalled time without start-up over the video's duration, at most 1: one dead trace must not outweigh all others. */
  readonly bufRatio: number;
  readonly stalls: number;
  /** Mean score over segments, as delivered. */
  readonly score: number;
  /** Mean score of the first ten seconds of video. */
  readonly scoreFirst: number;
  /** Delivered bits over the video's duration. */
  readonly bitrate: number;
  /** Segments of another representation than the one before. */
  readonly switches: number;
  /** ClipStream's aSSIM: a frame period that stalls scores 0. */
  readonly aSSIM: number;
  /** aSSIM less half the mean score step between segments. */
  readonly qoe: number;
  /** Shares of segments by the opinion that their SSIM stands for (thesis §2.7). */
  readonly mos: MosShares;
  /** Share of segments of the top representation's full score. */
  readonly perfect: number;
  /** Share of segments that were played with frames missing. */
  readonly partial: number;
  readonly startup: number;
}

/** What viewers feel of all that, start-up and switches included. */
export interface Experience {
  /** Start-up and stalls together: what a viewer waits. */
  readonly waited: number;
  /** That as a share of all the time that the session takes. */
  readonly waitedShare: number;
  /** Seconds. */
  readonly longestStall: number;
  /** Seconds that a picture stands at most: a stall, or frames that are missing. Start-up is none. */
  readonly longestStill: number;
  /** New pictures in a second of playback, waits left out. */
  readonly picturesPerSecond: number;
  /** `qoe` with start-up counted as stalled and switches of representation charged. */
  readonly felt: number;
  /** SODA's measure: mean utility − 10 · bufRatio − share of segments that switch. */
  readonly soda: number;
}

export interface MosShares {
  readonly excellent: number;
  readonly good: number;
  readonly fair: number;
  readonly poor: number;
  readonly bad: number;
}

/** Lowest SSIM of each opinion. */
const MOS_FLOORS = { excellent: 0.99, good: 0.95, fair: 0.88, poor: 0.5, bad: -Infinity };

/** Scores are measured to five digits; what rounds to 1 is perfect. */
const PERFECT_SCORE = 0.99999;

/** Weight of the mean score step against the mean score. */
const STEP_WEIGHT = 0.5;

/** What a stall as long as the video costs in SODA's measure, against all of the ladder (Chen et al., SIGCOMM 2024, §6). */
const SODA_STALL_WEIGHT = 10;

interface Played extends Omit<SessionRecord, 'ladder' | 'longestStall' | 'busy' | 'segments'> {
  readonly segments: readonly PlayedSegment[];
}

export function metricsOf(record: Played): Metrics {
  const { segments, segmentDuration, stalled, stalls, startup } = record;
  const scores = segments.map(({ score }) => score);
  const duration = segments.length * segmentDuration;
  const bufRatio = Math.min(1, stalled / duration);
  const score = mean(scores);
  const share = (holds: (segment: PlayedSegment) => boolean) => segments.filter(holds).length / segments.length;
  const switches = segments.filter((one, i) => i > 0 && one.representation !== segments[i - 1]!.representation).length;
  return {
    bufRatio,
    stalls,
    score,
    scoreFirst: firstScore(scores, segmentDuration),
    bitrate: (segments.reduce((sum, { bytes }) => sum + bytes, 0) * 8) / duration,
    switches,
    aSSIM: score / (1 + bufRatio),
    qoe: qualityOfExperience(scores, bufRatio),
    mos: mosShares(scores),
    perfect: share((segment) => segment.score >= PERFECT_SCORE),
    partial: share((segment) => segment.missing >= 1),
    startup,
  };
}

export function experienceOf(record: Omit<SessionRecord, 'busy'>): Experience {
  const { bufRatio, switches } = metricsOf(record);
  const { segments, segmentDuration, stalled, longestStall, startup } = record;
  const duration = segments.length * segmentDuration;
  const scores = segments.map(({ score }) => score);
  return {
    waited: startup + stalled,
    longestStall,
    longestStill: Math.max(longestStall, ...segments.map(({ longestStill }) => longestStill)),
    picturesPerSecond: segments.reduce((sum, { pictures }) => sum + pictures, 0) / duration,
    waitedShare: (startup + stalled) / (startup + stalled + duration),
    felt: qualityOfExperience(scores, Math.min(1, (startup + stalled) / duration)) - switchCost(record, switches),
    soda: meanUtility(record) - SODA_STALL_WEIGHT * bufRatio - switches / segments.length,
  };
}

/** What another representation costs in it, of what separates the ends of the ladder. */
const SWITCH_WEIGHT = 0.16;

function switchCost({ segments, ladder }: Pick<SessionRecord, 'segments' | 'ladder'>, switches: number): number {
  const scores = ladder.map(({ averageScore }) => averageScore);
  return (SWITCH_WEIGHT * (Math.max(...scores) - Math.min(...scores)) * switches) / segments.length;
}

/**
 * Mean logarithm of the bitrate, 0 for the lowest representation and 1 for the highest. Of a segment with frames missing, the bitrate
 * of what arrived counts: a prefix is worth less than the representation that it is of.
 */
function meanUtility({ segments, ladder }: Pick<SessionRecord, 'segments' | 'ladder'>): number {
  const bitrates = ladder.map(({ bitrate }) => bitrate);
  const [lowest, highest] = [bitrates[0]!, bitrates.at(-1)!];
  const range = Math.log(highest / lowest) || 1;
  return mean(
    segments.map(({ representation, bytes, missing }) => {
      const bitrate = (bitrates[representation]! * bytes) / (bytes + missing);
      return Math.log(bitrate / lowest) / range;
    }),
  );
}

/** The measure that rules are compared by: mean score / (1 + bufRatio) − half the mean score step. */
export function qualityOfExperience(scores: readonly number[], bufRatio: number): number {
  const steps = scores.slice(1).map((score, index) => Math.abs(score - scores[index]!));
  return mean(scores) / (1 + bufRatio) - STEP_WEIGHT * mean(steps);
}

/** Seconds of video that make the first impression. */
const FIRST_SECONDS = 10;

function firstScore(scores: readonly number[], segmentDuration: number): number {
  let sum = 0;
  let seconds = 0;
  for (const score of scores) {
    const shown = Math.min(segmentDuration, FIRST_SECONDS - seconds);
    if (shown <= 0) break;
    sum += shown * score;
    seconds += shown;
  }
  return sum / seconds;
}

function mosShares(scores: readonly number[]): MosShares {
  const shares = { excellent: 0, good: 0, fair: 0, poor: 0, bad: 0 };
  const opinions = Object.keys(MOS_FLOORS) as (keyof MosShares)[];
  for (const score of scores) {
    shares[opinions.find((opinion) => score >= MOS_FLOORS[opinion])!] += 1 / scores.length;
  }
  return shares;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
