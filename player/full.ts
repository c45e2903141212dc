import { createAbr, type AbrName as NamedRule } from '../src/abr-star/index.js';
import { strategyOf, type StrategyName } from '../src/delivery/strategies.js';
import { runOnPage } from '../src/voxel-loader/worker/run-on-page.js';
import { attachWith } from './attach.js';
import type { DashPlayer } from './dash/dash-types.js';
import type { AbrName, VoxelHandle, VoxelOptions } from './types.js';

export * from './index.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = NamedRule | AbrName;

export interface FullVoxelOptions extends Omit<VoxelOptions, 'abr' | 'strategy'> {
  /** Default `abr-star`. */
  readonly abr?: RuleName | VoxelOptions['abr'];
  /** Default `voxel`. */
  readonly strategy?: StrategyName | VoxelOptions['strategy'];
}

/**
 * As `attachVoxel` of the plain build, with every rule and strategy by its name, and with sessions on the page's own thread where the
 * page's content security policy forbids workers from Blob URLs.
 */
export function attachVoxel(player: DashPlayer, options: FullVoxelOptions = {}): VoxelHandle {
  const { abr: rule, strategy: name } = options;
  const abr = typeof rule !== 'string' || rule === 'dashjs' ? rule : createAbr(rule, options);
  const strategy = typeof name === 'string' ? strategyOf(name) : name;
  return attachWith(player, { ...options, abr, strategy }, runOnPage);
}
