import type { SegmentMap } from '../../manifest/segment-map.js';
import { segmentOptions } from '../options.js';
import type { LadderRepresentation, Option } from '../types.js';

/** The thesis' ladder in Mbit/s (§6.4) and scores of the shape that SSIM against the top level shows. */
const THESIS_MBPS = [0.16, 0.23, 0.37, 0.56, 0.75, 1.05, 1.75, 2.35, 3, 4.3, 5.8, 7.4, 10];
const THESIS_SCORES = [0.8, 0.83, 0.865, 0.89, 0.905, 0.922, 0.945, 0.957, 0.966, 0.978, 0.987, 0.993, 1];

/** Virtual levels: share of a segment's bytes, of which the first is reliable, and share of its score that is kept. */
const VIRTUAL_LEVELS = [
  { bytes: 0.15, score: 0.7 },
  { bytes: 0.35, score: 0.82 },
  { bytes: 0.5, score: 0.9 },
  { bytes: 0.6, score: 0.94 },
  { bytes: 0.7, score: 0.965 },
  { bytes: 0.8, score: 0.982 },
  { bytes: 0.9, score: 0.994 },
  { bytes: 1, score: 1 },
];

export const thesisLadder: readonly LadderRepresentation[] = THESIS_MBPS.map((mbps, index) => ({
  bitrate: mbps * 1e6,
  averageScore: THESIS_SCORES[index]!,
}));

/** The options of a segment at constant bitrate times `scale`. */
export function ladderOptions(ladder: readonly LadderRepresentation[], segmentDuration: number, scale = 1): Option[] {
  return segmentOptions(
    ladderSegments(ladder, segmentDuration, scale).map((sizes) => ({
      ...sizes,
      ...{ range: { start: 0, end: 0 }, reliable: [], unreliable: [] },
    })),
  );
}

/** The segment in every representation of the ladder. */
export function ladderSegments(
  ladder: readonly LadderRepresentation[],
  segmentDuration: number,
  scale = 1,
): Pick<SegmentMap, 'reliableBytes' | 'steps'>[] {
  return ladder.map(({ bitrate, averageScore }) => {
    const whole = (bitrate / 8) * segmentDuration * scale;
    const reliableBytes = Math.round(whole * VIRTUAL_LEVELS[0]!.bytes);
    const steps = VIRTUAL_LEVELS.map((level, frames) => ({
      score: averageScore * level.score,
      frames,
      bytes: Math.round(whole * level.bytes) - reliableBytes,
    }));
    return { reliableBytes, steps };
  });
}
