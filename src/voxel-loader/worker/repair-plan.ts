import { shifted } from '../../manifest/byte-range.js';
import type { RepairPlan } from '../../repair/index.js';
import type { SegmentLayout } from '../types.js';

/** What an index says of the repair of a segment, by positions from its first byte; undefined: nothing. */
export function repairPlan({ range, unreliable, needs, reach }: SegmentLayout): RepairPlan | undefined {
  const places = unreliable.map((place) => shifted(place, -range.start));
  if (needs) return { kind: 'remove', frames: places.map((place, index) => ({ ...place, needs: needs[index]! })) };
  if (reach) return { kind: 'hold', frames: places.map((place, index) => ({ ...place, reach: reach[index]! })) };
  return undefined;
}
