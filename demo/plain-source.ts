import type { MediaPlayerClass } from 'dashjs';
import { NO_COUNTS } from '../src/delivery/index.js';
import type { SegmentRecord } from '../player/api/types.js';
import type { SegmentSource } from './segment-source.js';

/** The parts of dash.js' `fragmentLoadingCompleted` event that say what a segment was (its `index.d.ts` lacks some). */
export interface FragmentLoadingCompleted {
  readonly error?: unknown;
  readonly request: {
    readonly mediaType: string;
    readonly type: string;
    readonly index: number;
    readonly startTime: number;
    readonly duration: number;
    readonly bytesLoaded: number;
    readonly startDate: Date;
    readonly endDate: Date;
    readonly representation: { readonly id: string; readonly bandwidth: number };
  };
}

/** Reads a dash.js without the plugin. */
export function plainSource(player: MediaPlayerClass): SegmentSource {
  const segments: SegmentRecord[] = [];
  const listeners: ((segment: SegmentRecord) => void)[] = [];
  player.on('fragmentLoadingCompleted', (event: object) => {
    const segment = plainSegment(event as FragmentLoadingCompleted);
    if (!segment) return;
    segments.push(segment);
    for (const listener of listeners) listener(segment);
  });
  return {
    segments: () => segments,
    onSegment: (listener) => listeners.push(listener),
    delivery: () => 'http',
    choice: () => segments.at(-1),
    // dash.js gives kbit/s, and 0 or NaN where it does not know.
    throughput: () => player.getAverageThroughput('video') * 1000 || undefined,
    buffer: () => player.getBufferLength('video') || undefined,
    chunks: () => ({ delivered: 0, repaired: 0, late: 0 }),
  };
}

/** A whole video segment that plain dash.js fetched; undefined for anything else. What became of its frames is not known. */
export function plainSegment({ error, request }: FragmentLoadingCompleted): SegmentRecord | undefined {
  if (error || request.mediaType !== 'video' || request.type !== 'MediaSegment') return undefined;
  const milliseconds = Math.max(1, request.endDate.getTime() - request.startDate.getTime());
  return {
    index: request.index,
    startTime: request.startTime,
    duration: request.duration,
    representation: request.representation.id,
    bandwidth: request.representation.bandwidth,
    level: 0,
    levels: 1,
    delivery: 'http',
    early: false,
    ...NO_COUNTS,
    bytesReliable: request.bytesLoaded,
    bytesRefetched: 0,
    framesTotal: 0,
    framesSkipped: 0,
    framesRepaired: 0,
    score: undefined,
    seconds: milliseconds / 1000,
    throughput: (8 * request.bytesLoaded * 1000) / milliseconds,
    frames: [],
    removed: [],
  };
}
