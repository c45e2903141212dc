import { createAbr, type AbrName as NamedRule } from '../src/abr-star/index.js';
import { runOnPage } from '../src/voxel-loader/worker/run-on-page.js';
import { attachWith } from './attach.js';
import type { DashPlayer } from './dash/dash-types.js';
import type { AbrName, VoxelHandle, VoxelOptions } from './types.js';

export * from './index.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = NamedRule | AbrName;

export interface FullVoxelOptions extends Omit<VoxelOptions, 'abr'> {
  /** Default `abr-star`. */
  readonly abr?: RuleName | VoxelOptions['abr'];
}

/**
 * As `attachVoxel` of the plain build, with every rule by its name, and with sessions on the page's own thread where the
 * page's content security policy forbids workers from Blob URLs.
 */
export function attachVoxel(player: DashPlayer, options: FullVoxelOptions = {}): VoxelHandle {
  const { abr } = options;
  if (typeof abr !== 'string' || abr === 'dashjs') return attachWith(player, { ...options, abr }, runOnPage);
  return attachWith(player, { ...options, abr: createAbr(abr, options) }, runOnPage);
}
