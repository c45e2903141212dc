import { VoxelVideoElement, type DashNamespace } from './voxel-video.js';

export { VoxelVideoElement };
export type { DashNamespace, ElementPlayer } from './voxel-video.js';

declare global {
  interface HTMLElementTagNameMap {
    'voxel-video': VoxelVideoElement;
  }
}

/** Makes `<voxel-video>` work on this page, with the dash.js given or the page's global `dashjs`. */
export function defineVoxelVideo(dashjs?: DashNamespace): void {
  // Of a page that has the element twice, as a script and as a module, the first one stays.
  const known = customElements.get('voxel-video') as typeof VoxelVideoElement | undefined;
  if (!known) customElements.define('voxel-video', VoxelVideoElement);
  if (dashjs) (known ?? VoxelVideoElement).dashjs = dashjs;
}
