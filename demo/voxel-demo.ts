import type { MediaPlayerClass } from 'dashjs';
import type { FullVoxelHandle } from '../lab/index.js';
import type { Report } from './report.js';

/** What headless runs and curious people find as `window.voxelDemo`. */
export interface VoxelDemo {
  report(): Report;
  readonly ended: boolean;
  readonly video: HTMLVideoElement;
  readonly player: MediaPlayerClass;
  readonly handle: FullVoxelHandle | undefined;
}

declare global {
  interface Window {
    voxelDemo: VoxelDemo;
  }
}
