import { AdaptiveConnections } from './adaptive-connections.js';
import { fixedConnections, MOST_CONNECTIONS, type ConnectionsRule } from './connections.js';
import { VoxelConnections } from './voxel-connections.js';

/** How many connections to one address: always so many, or as a rule says (docs/DELIVERY.md). */
export type Connections = number | 'adaptive' | 'voxel';

/** Throws `RangeError` for what is none. */
export function connectionsRule(flows: Connections): ConnectionsRule {
  if (flows === 'adaptive') return new AdaptiveConnections();
  if (flows === 'voxel') return new VoxelConnections();
  if (Number.isInteger(flows) && flows >= 1 && flows <= MOST_CONNECTIONS) return fixedConnections(flows);
  throw new RangeError(`flows must be a whole number from 1 to ${MOST_CONNECTIONS}, adaptive or voxel, got ${flows}`);
}
