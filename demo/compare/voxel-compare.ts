import type { LaneReport, PresetInfo } from './types.js';
import type { CompareSettings } from './settings.js';

/** What a comparison was, as one JSON object: headless runs print it, the page saves it. */
export interface CompareReport {
  readonly preset: PresetInfo;
  readonly settings: Omit<CompareSettings, 'autoplay'>;
  /** Of the code, and what served. */
  readonly commit: string;
  readonly server: string;
  readonly browser: string;
  /** ISO 8601. */
  readonly date: string;
  /** Of the video and of the comparison, s. */
  readonly duration: number;
  readonly elapsed: number;
  readonly players: readonly LaneReport[];
}

/** What headless runs find as `window.voxelCompare`. */
export interface VoxelCompare {
  /** Undefined: nothing has been started. */
  report(): CompareReport | undefined;
  readonly hasEnded: boolean;
  /** Why the page cannot go on. */
  readonly failure: string | undefined;
  /** Gives the command the files of the recording. */
  saveRecording(): Promise<void>;
}

declare global {
  interface Window {
    voxelCompare: VoxelCompare;
  }
}
