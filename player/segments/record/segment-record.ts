import { estimateScore } from '../../../src/manifest/score-estimate.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { IntervalSet } from '../../../src/manifest/interval-set.js';
import type { DeliveredSegment } from '../../../src/voxel-loader/types.js';
import type { SegmentRecord } from '../../api/types.js';

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

/** An outcome into which more can be fetched. */
export type ReceivedOutcome = SegmentOutcome & { readonly received: IntervalSet };

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

/** The record of a segment into which more has been fetched since `outcome`; `former` is the latest one of it. */
export function improveSegmentRecord(
  former: SegmentRecord,
  outcome: ReceivedOutcome,
  { received, bytesLost, frames }: Pick<DeliveredSegment, 'received' | 'bytesLost' | 'frames'>,
): SegmentRecord {
  const { firstPass = { bytesLost: former.bytesLost, framesRepaired: former.framesRepaired } } = former;
  const bytesRefetched = received.size - outcome.received.size;
  const bytesUnreliable = outcome.bytesUnreliable + bytesRefetched;
  const { states, removed } = frames;
  const better = { received, bytesUnreliable, bytesLost, bytesRefetched, frames: states, removed };
  return { ...createSegmentRecord({ ...outcome, ...better }), firstPass };
}
