export { attachVoxelHls } from './attach-hls.js';
export type { HlsPlayer } from './hls-types.js';
export type { VoxelHlsOptions } from './options.js';
export { AbrError, type AbrErrorCode } from '../../src/abr-star/index.js';
export { PlayerError, type ErrorCode, type PlayerErrorCode } from '../api/errors.js';
export type * from '../api/types.js';
