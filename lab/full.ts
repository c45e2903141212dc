/** The entry point `voxel-dash/full`, for one release: `voxel-dash/lab` by its old name. */
export * from './index.js';
