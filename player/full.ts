import { createAbr, type AbrName as RuleName } from '../src/abr-star/index.js';
import { attachVoxel as attach } from './attach.js';
import type { DashPlayer } from './dash-types.js';
import type { AbrName as PlainAbrName, VoxelHandle, VoxelOptions as PlainOptions } from './types.js';

export * from './index.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type AbrName = RuleName | PlainAbrName;

export interface VoxelOptions extends Omit<PlainOptions, 'abr'> {
  /** Default `abr-star`. */
  readonly abr?: AbrName | PlainOptions['abr'];
}

/** As `attachVoxel` of the plain build, with every rule by its name. */
export function attachVoxel(player: DashPlayer, options: VoxelOptions = {}): VoxelHandle {
  const { abr } = options;
  if (typeof abr !== 'string' || abr === 'dashjs') return attach(player, { ...options, abr });
  return attach(player, { ...options, abr: createAbr(abr, options) });
}
