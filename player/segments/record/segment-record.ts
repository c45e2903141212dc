import { estimateScore } from '../../../src/manifest/score-estimate.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { IntervalSet } from '../../../src/manifest/interval-set.js';
import type { SegmentRecord } from '../../types.js';

/** What a record says beside what the delivery says. */
type Estimated = Pick<
  SegmentRecord,
  'levels' | 'framesTotal' | 'framesSkipped' | 'framesRepaired' | 'score' | 'throughput'
>;

/** What one delivery says about a segment. */
export interface SegmentOutcome extends Omit<SegmentRecord, keyof Estimated | 'firstPass'> {
  readonly map: SegmentMap;
  /** Positions from the segment's first byte. */
  readonly received: Pick<IntervalSet, 'contains'>;
  /** Bytes that came within `seconds`. */
  readonly bytesMeasured: number;
}

/** Counts the frames of a delivered segment by their state and estimates its score. */
export function createSegmentRecord({ map, received, bytesMeasured, ...facts }: SegmentOutcome): SegmentRecord {
  const { frames, seconds } = facts;
  return {
    ...facts,
    levels: map.steps.length,
    framesTotal: frames.length,
    framesSkipped: frames.filter((state) => state === 'skipped').length,
    framesRepaired: frames.filter((state) => state === 'repaired').length,
    score: estimateScore(map, ({ start, end }) => received.contains(start - map.range.start, end - map.range.start)),
    // A download can end within one tick of a coarse clock.
    throughput: seconds > 0 ? (bytesMeasured * 8) / seconds : 0,
  };
}
