import type { SegmentRecord, Delivery, VoxelHandle } from '../player/types.js';

/** What was chosen for a segment. */
export type Choice = Pick<SegmentRecord, 'representation' | 'bandwidth' | 'level' | 'levels'>;

/** Where the page learns what a player downloads: from the plugin, or from plain dash.js. */
export interface SegmentSource {
  /** In the order of delivery. */
  segments(): readonly SegmentRecord[];
  onSegment(listener: (segment: SegmentRecord) => void): void;
  /** How the next segment will be asked for. */
  delivery(): Delivery;
  /** For the latest segment; undefined before the first. */
  choice(): Choice | undefined;
  /** Estimate, bit/s. */
  throughput(): number | undefined;
  /** Video in the buffer, s. */
  buffer(): number | undefined;
}

/** Reads the plugin's events and statistics. */
export function voxelSource(handle: VoxelHandle): SegmentSource {
  let choice: Choice | undefined;
  handle.on('decision', (decision) => (choice = decision));
  // A review may have restarted the download lower than decided.
  handle.on('delivered', ({ record }) => (choice = record));
  return {
    segments: () => handle.statistics().segments,
    onSegment: (listener) => handle.on('delivered', ({ record }) => listener(record)),
    delivery: () => handle.statistics().delivery,
    choice: () => choice,
    throughput: () => handle.statistics().throughput,
    buffer: () => handle.statistics().buffer,
  };
}
