export { createEndpoint, discoverEndpoint, probeOrigin } from './discovery.js';
export { VoxelError, type VoxelErrorCode } from './errors.js';
export { Receiver } from './receiver.js';
export type * from './types.js';
