import type { Abr } from '../../src/abr-star/index.js';
import type { VoxelOptions } from '../api/types.js';

/** Options as for dash.js. With hls.js 1.5 what is in the buffer is never fetched again. */
export interface VoxelHlsOptions extends Omit<VoxelOptions, 'abr'> {
  /** `hlsjs`: hls.js chooses the level, and its segments come whole. A rule of the page's own serves one player. Default `abr-star`. */
  readonly abr?: 'abr-star' | 'hlsjs' | Abr;
}
