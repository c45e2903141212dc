import type { LadderRepresentation, Option } from '../../../src/abr-star/index.js';
import { syntheticContent } from '../content/synthetic.js';
import { derivedSeed, seededRandom } from '../random.js';

/** Bit/s of the paper's levels (Table 1). */
const BITRATES = [91, 131, 174, 216, 257, 337, 431, 602, 764, 967, 1300, 1700, 2100, 2700, 3500, 4000, 4300].map(
  (kbps) => kbps * 1000,
);

export const SEGMENT_SECONDS = 2;

/** Standard deviation of segment sizes against their mean, and the least and most. Ours: the paper has it as a picture only (Fig. 10). */
const SIZE_DEVIATION = 0.2;
const SMALLEST = 0.5;
const LARGEST = 1.5;

/** The paper's ladder in segments of two seconds, with the scores that prepared clips have at such bitrates. */
export interface Video {
  readonly ladder: readonly LadderRepresentation[];
  /** Each representation of a segment, whole, by segment. */
  readonly segments: readonly (readonly Option[])[];
}

export function paperVideo(segmentCount: number, seed: number): Video {
  const scored = syntheticContent(100, seed, SEGMENT_SECONDS).ladder;
  const ladder = BITRATES.map((bitrate) => ({ bitrate, averageScore: scoreAt(scored, bitrate) }));
  const random = seededRandom(derivedSeed(seed, 'segment sizes'));
  const segments = Array.from({ length: segmentCount }, () => {
    const size = Math.min(LARGEST, Math.max(SMALLEST, 1 + SIZE_DEVIATION * random.normal()));
    return ladder.map(({ bitrate, averageScore }, representation) => {
      const bytes = Math.round((size * bitrate * SEGMENT_SECONDS) / 8);
      return { representation, level: 0, score: averageScore, bytes, reliableBytes: bytes };
    });
  });
  return { ladder, segments };
}

/** Between two levels over the logarithm of the bitrate; below the lowest, its score. */
function scoreAt(ladder: readonly LadderRepresentation[], bitrate: number): number {
  const above = ladder.findIndex((level) => level.bitrate >= bitrate);
  if (above <= 0) return ladder[0]!.averageScore;
  const [low, high] = [ladder[above - 1]!, ladder[above]!];
  const share = Math.log(bitrate / low.bitrate) / Math.log(high.bitrate / low.bitrate);
  return low.averageScore + share * (high.averageScore - low.averageScore);
}
