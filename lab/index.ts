export * from '../player/live/index.js';
export { attachVoxel, type LabOptions as FullVoxelOptions, type RuleName } from './attach-lab.js';
export type {
  LiveHandle as FullVoxelHandle,
  LivePluginEventMap as FullEventMap,
  LivePluginStatistics as FullStatistics,
} from '../player/api/types.js';
