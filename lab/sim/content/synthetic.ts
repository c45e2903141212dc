import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import { makeContent, type Content } from './content.js';
import { THESIS_BITRATES, THESIS_SEGMENT_DURATION } from './ladder.js';
import measured from './measured.json' with { type: 'json' };
import type { MeasuredLevel, MeasuredSegment } from './measured.js';
import { layOut } from './segment-layout.js';
import { derivedSeed, seededRandom, type Random } from '../random.js';

/** Standard deviation of segment sizes against their mean: 3.77 Mbit/s at 10, Big Buck Bunny in the thesis (Table 6.1). */
const SIZE_DEVIATION = 0.377;

/** A segment's size against the mean: at most that of the thesis' capped VBR (§6.4.1), and never next to nothing. */
const LARGEST = 2;
const SMALLEST = 0.2;

/** From prepared clips of Big Buck Bunny; docs/TRIALS.md says with which commands. */
const SEGMENTS = measured as unknown as readonly MeasuredSegment[];

/**
 * A stream like the thesis' on machines without prepared video: its ladder, its variation of segment sizes, and for
 * each segment the scores, the reliable share and the droppability of a real one, drawn from measured.json. The same
 * seed gives the same stream. `segmentDuration`: in seconds.
 */
export function syntheticContent(
  segmentCount: number,
  seed: number,
  segmentDuration: number = THESIS_SEGMENT_DURATION,
): Content {
  const random = seededRandom(derivedSeed(seed, 'synthetic content'));
  const sizes = segmentSizes(segmentCount, random);
  const segments = sizes.map((size) => {
    const model = SEGMENTS[Math.floor(random.uniform() * SEGMENTS.length)]!;
    return THESIS_BITRATES.map((bitrate) => segmentLike(model, bitrate, size * segmentDuration));
  });
  const ladder = THESIS_BITRATES.map((bitrate, level) => ({
    bitrate,
    averageScore: segments.reduce((sum, levels) => sum + levels[level]!.steps.at(-1)!.score, 0) / segmentCount,
  }));
  return makeContent({ name: 'synthetic', segmentDuration, ladder, segments });
}

/** Sizes against the mean, with a mean of 1: all representations of a segment share its size, as they share its scene. */
function segmentSizes(count: number, random: Random): number[] {
  const sizes = Array.from({ length: count }, () =>
    Math.min(LARGEST, Math.max(SMALLEST, 1 + SIZE_DEVIATION * random.normal())),
  );
  const mean = sizes.reduce((sum, size) => sum + size, 0) / count;
  return sizes.map((size) => Math.min(LARGEST, size / mean));
}

/** `seconds`: of mean bitrate that it is as big as. */
function segmentLike(model: MeasuredSegment, bitrate: number, seconds: number): SegmentMap {
  const bytes = Math.round((bitrate / 8) * seconds);
  const { reliableShare, steps } = nearestLevel(model, bitrate);
  const score = scoreAt(model, bitrate);
  const reliableBytes = Math.round(bytes * reliableShare);
  const map = layOut({
    reliableBytes,
    steps: steps.map(([share, frames, scoreShare]) => ({
      frames,
      score: score * scoreShare,
      bytes: Math.round(bytes * share) - reliableBytes,
    })),
  });
  return { ...map, unreliable: spread(map) };
}

/** The golden ratio: steps of that share of a circle come nowhere near each other for long. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The frames in the order of their importance, in places of the file, which is in the order of time: those of any importance all over the segment. */
function spread({ unreliable, reliableBytes }: SegmentMap): ByteRange[] {
  const time = (index: number) => (index * GOLDEN) % 1;
  const places: ByteRange[] = [];
  let at = reliableBytes;
  for (const index of unreliable.map((_, place) => place).sort((a, b) => time(a) - time(b))) {
    const { start, end } = unreliable[index]!;
    places[index] = { start: at, end: at + end - start };
    at += end - start;
  }
  return places;
}

/** The measured level of the nearest bitrate: above the clip's own ladder its highest one. */
function nearestLevel({ levels }: MeasuredSegment, bitrate: number): MeasuredLevel {
  const distance = (level: MeasuredLevel) => Math.abs(Math.log(level.bitrate / bitrate));
  return levels.reduce((nearest, level) => (distance(level) < distance(nearest) ? level : nearest));
}

/**
 * The measured scores over the logarithm of the bitrate, stretched so that the clip's ladder covers the thesis': the clips'
 * ladders end lower, and the top level is what scores are measured against, so it must score 1.
 */
function scoreAt({ levels }: MeasuredSegment, bitrate: number): number {
  const position = (rate: number, [low, high]: readonly [number, number]) =>
    Math.log(rate / low) / Math.log(high / low);
  const place = position(bitrate, [THESIS_BITRATES[0]!, THESIS_BITRATES.at(-1)!]);
  const places = levels.map((level) => position(level.bitrate, [levels[0]!.bitrate, levels.at(-1)!.bitrate]));
  const above = places.findIndex((at) => at >= place);
  if (above <= 0) return levels.at(above)!.score;
  const share = (place - places[above - 1]!) / (places[above]! - places[above - 1]!);
  return levels[above - 1]!.score + share * (levels[above]!.score - levels[above - 1]!.score);
}
