import { AdaptiveFlows } from './adaptive-flows.js';
import { fixedFlows, MOST_FLOWS, type FlowsRule } from './flows.js';
import { VoxelFlows } from './voxel-flows.js';

/** How many connections to one address: always so many, or as a rule says (docs/DELIVERY.md). */
export type Flows = number | 'adaptive' | 'voxel';

/** Throws `RangeError` for what is none. */
export function flowsRule(flows: Flows): FlowsRule {
  if (flows === 'adaptive') return new AdaptiveFlows();
  if (flows === 'voxel') return new VoxelFlows();
  if (Number.isInteger(flows) && flows >= 1 && flows <= MOST_FLOWS) return fixedFlows(flows);
  throw new RangeError(`flows must be a whole number from 1 to ${MOST_FLOWS}, adaptive or voxel, got ${flows}`);
}
