import type { SessionRecord } from './session.js';

/** What one playback came to. Ratios of 1, scores in the content's unit, bit/s, seconds. */
export interface Metrics {
  /** Stalled time without start-up over the video's duration, at most 1: one dead trace must not outweigh all others. */
  readonly bufRatio: number;
  readonly stalls: number;
  /** Mean score over segments, as delivered. */
  readonly score: number;
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

export function metricsOf({ segments, segmentDuration, stalled, stalls, startup }: SessionRecord): Metrics {
  const scores = segments.map(({ score }) => score);
  const duration = segments.length * segmentDuration;
  const bufRatio = Math.min(1, stalled / duration);
  const score = mean(scores);
  const share = (holds: (segment: SessionRecord['segments'][number]) => boolean) =>
    segments.filter(holds).length / segments.length;
  return {
    bufRatio,
    stalls,
    score,
    bitrate: (segments.reduce((sum, { bytes }) => sum + bytes, 0) * 8) / duration,
    switches: segments.filter((one, i) => i > 0 && one.representation !== segments[i - 1]!.representation).length,
    aSSIM: score / (1 + bufRatio),
    qoe: qualityOfExperience(scores, bufRatio),
    mos: mosShares(scores),
    perfect: share((segment) => segment.score >= PERFECT_SCORE),
    partial: share((segment) => segment.missing >= 1),
    startup,
  };
}

/** The measure that rules are compared by: mean score / (1 + bufRatio) − half the mean score step. */
export function qualityOfExperience(scores: readonly number[], bufRatio: number): number {
  const steps = scores.slice(1).map((score, index) => Math.abs(score - scores[index]!));
  return mean(scores) / (1 + bufRatio) - STEP_WEIGHT * mean(steps);
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
