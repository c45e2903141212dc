import type { MediaPlayerClass } from 'dashjs';
import type { VoxelHandle } from '../player/types.js';
import type { Report } from './report.js';

/** What headless runs and curious people find as `window.voxelDemo`. */
export interface VoxelDemo {
  report(): Report;
  readonly ended: boolean;
  readonly video: HTMLVideoElement;
  readonly player: MediaPlayerClass;
  readonly handle: VoxelHandle | undefined;
}

declare global {
  interface Window {
    voxelDemo: VoxelDemo;
  }
}
