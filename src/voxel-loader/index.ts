export { createEndpoint, discoverEndpoint } from './discovery.js';
export { VoxelError, type VoxelErrorCode } from './errors.js';
export { downloadRanges, planRetransmission, type PartialSegment } from './retransmission.js';
export { downloadSegment } from './segment-download.js';
export { openSession } from './session.js';
export type { VoxelTransport } from './transport.js';
export type * from './types.js';
