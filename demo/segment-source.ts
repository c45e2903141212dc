import type { FullVoxelHandle } from '../lab/index.js';
import type { SegmentRecord, Delivery } from '../player/api/types.js';
import { LiveSegments, type ChunkCounts } from './live-segments.js';

/** What was chosen for a segment. Live ones have no virtual levels: `level` is the share of the unreliable bytes that came, `levels` 2. */
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
  /** Of a live stream, over the session. */
  chunks(): ChunkCounts;
}

/** Live segments that are kept for the report: some hours of them. */
const LIVE_SEGMENTS_KEPT = 20_000;

/** Reads the plugin's events and statistics. */
export function voxelSource(handle: FullVoxelHandle): SegmentSource {
  let choice: Choice | undefined;
  const listeners: ((segment: SegmentRecord) => void)[] = [];
  const live = new LiveSegments();
  const liveRecords: SegmentRecord[] = [];
  handle.on('decision', (decision) => (choice = decision));
  handle.on('delivered', ({ record }) => {
    // A review may have restarted the download lower than decided.
    choice = record;
    for (const listener of listeners) listener(record);
  });
  handle.on('chunk', (chunk) => {
    if (chunk.mediaType !== 'video') return;
    const { delivery, throughput = 0 } = handle.statistics();
    const segment = live.add(chunk, { delivery, throughput });
    if (!segment) return;
    const { record, share } = segment;
    choice = { ...record, level: share, levels: 2 };
    liveRecords.push(record);
    if (liveRecords.length > LIVE_SEGMENTS_KEPT) liveRecords.shift();
    for (const listener of listeners) listener(record);
  });
  return {
    segments: () => [...handle.statistics().segments, ...liveRecords],
    onSegment: (listener) => listeners.push(listener),
    delivery: () => handle.statistics().delivery,
    choice: () => choice,
    throughput: () => handle.statistics().throughput,
    buffer: () => handle.statistics().buffer,
    chunks: () => live.counts,
  };
}
