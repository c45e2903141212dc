export { connect, type OpenSession } from './connect.js';
export { createEndpoint, discoverEndpoint, probeOrigin } from './discovery.js';
export { VoxelError, type VoxelErrorCode } from './errors.js';
export { downloadRanges, planRetransmission, type PartialSegment } from './retransmission.js';
export type * from './types.js';
