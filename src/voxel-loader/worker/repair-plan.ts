import { shifted } from '../../manifest/byte-range.js';
import type { RepairPlan } from '../../repair/index.js';
import type { SegmentLayout } from '../types.js';

/** What an index says of the repair of a segment, by positions from its first byte; undefined: nothing. */
export function repairPlan({ range, unreliable, needs, reach }: SegmentLayout): RepairPlan | undefined {
  const framesWith = <Facts>(facts: (index: number) => Facts) =>
    unreliable.map((place, index) => ({ ...shifted(place, -range.start), ...facts(index) }));
  if (needs) return { kind: 'remove', frames: framesWith((index) => ({ needs: needs[index]! })) };
  if (reach) return { kind: 'hold', frames: framesWith((index) => ({ reach: reach[index]! })) };
  return undefined;
}
