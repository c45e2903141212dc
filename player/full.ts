import { createAbr, type AbrName as NamedRule } from '../src/abr-star/index.js';
import { attachVoxel as attach } from './attach.js';
import type { DashPlayer } from './dash-types.js';
import type { AbrName, VoxelHandle, VoxelOptions } from './types.js';

export * from './index.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = NamedRule | AbrName;

export interface FullVoxelOptions extends Omit<VoxelOptions, 'abr'> {
  /** Default `abr-star`. */
  readonly abr?: RuleName | VoxelOptions['abr'];
}

/** As `attachVoxel` of the plain build, with every rule by its name. */
export function attachVoxel(player: DashPlayer, options: FullVoxelOptions = {}): VoxelHandle {
  const { abr } = options;
  if (typeof abr !== 'string' || abr === 'dashjs') return attach(player, { ...options, abr });
  return attach(player, { ...options, abr: createAbr(abr, options) });
}
