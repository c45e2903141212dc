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
  VoxelVideoElement.dashjs = dashjs;
  if (!customElements.get('voxel-video')) customElements.define('voxel-video', VoxelVideoElement);
}
