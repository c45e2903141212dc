export { connect, type OpenSession } from './connect.js';
export { createEndpoint, discoverEndpoint, probeOrigin } from './discovery.js';
export { VoxelError, type VoxelErrorCode } from './errors.js';
export { downloadRanges } from './range-download.js';
export type * from './types.js';
