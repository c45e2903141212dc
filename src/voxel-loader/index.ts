export { deferred, type Deferred } from './deferred.js';
export { createEndpoint, discoverEndpoint, probeOrigin, type Ask } from './discovery.js';
export { VoxelError, type VoxelErrorCode } from './errors.js';
export { piecesOf } from './pieces-of.js';
export { readAtMost } from './read-at-most.js';
export { Receiver, type ReceiverOptions } from './receiver.js';
export type * from './types.js';
