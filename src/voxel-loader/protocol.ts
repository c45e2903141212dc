/** Wire version (docs/PROTOCOL.md). */
export const PROTOCOL = 'voxel-1';
