import type { Delivery, FallbackEvent, FrameState, SegmentRecord } from '../player/api/types.js';
import type { LatencySummary } from '../lab/index.js';
import type { ChunkCounts } from './live-segments.js';
import type { Settings } from './settings.js';
import type { PlaybackSummary } from './video-observer.js';

/** One segment of a report: the record with `score` null where unknown, and its frames as one letter each. */
export type ReportSegment = Omit<SegmentRecord, 'delivery' | 'frames' | 'score'> & {
  /** Programs read this name: the record's `delivery`. */
  readonly transport: Delivery;
  readonly score: number | null;
  /** In decode order: r reliable, c complete, s skipped, x repaired. */
  readonly frames: string;
};

const frameLetters: Readonly<Record<FrameState, string>> = {
  reliable: 'r',
  complete: 'c',
  skipped: 's',
  repaired: 'x',
};

/** A run's delivery by its full name: a report is read without the plugin's types beside it. */
export type ReportTransport = 'webtransport-datagrams' | 'webtransport-reliable' | 'http';

const transportNames: Readonly<Record<Delivery, ReportTransport>> = {
  datagrams: 'webtransport-datagrams',
  streams: 'webtransport-reliable',
  http: 'http',
};

/** What a run was, as one JSON object: headless runs print it, the page exports it. */
export interface Report extends Omit<PlaybackSummary, 'startupMs' | 'duration'> {
  /** How most of the segments were delivered. */
  readonly transport: ReportTransport;
  /** From the play request (with autoplay: from the navigation) to the first picture, ms; null: there was none. */
  readonly startupMs: number | null;
  /** s; null while unknown. */
  readonly duration: number | null;
  readonly segments: readonly ReportSegment[];
  /** How far behind the capture, s, stalls included: mean over time, 95th percentile, and what dash.js aims at. null: not live, or no picture yet. */
  readonly latency: number | null;
  readonly latencyP95: number | null;
  readonly latencyTarget: number | null;
  /** null: not live. */
  readonly chunks: ChunkCounts | null;
  /** Requests that took dash.js' own HTTP path although VOXEL was asked for. Playback went on: these are no errors. */
  readonly fallbacks: readonly FallbackEvent[];
  readonly settings: Omit<Settings, 'delivery'> & { readonly transport: Settings['delivery'] };
}

/** What is measured of a live stream beside what every playback has. */
export interface LivePlayback extends LatencySummary {
  /** s. */
  readonly target: number;
  readonly chunks: ChunkCounts;
}

export interface ReportInput {
  readonly playback: PlaybackSummary;
  readonly segments: readonly SegmentRecord[];
  /** Undefined: not live. */
  readonly live: LivePlayback | undefined;
  readonly fallbacks: readonly FallbackEvent[];
  readonly settings: Settings;
}

export function buildReport({ playback, segments, live, fallbacks, settings }: ReportInput): Report {
  const { delivery, ...rest } = settings;
  return {
    transport: transportNames[mainDelivery(segments)],
    ...playback,
    startupMs: playback.startupMs ?? null,
    duration: playback.duration ?? null,
    segments: segments.map(reportSegment),
    latency: live?.mean ?? null,
    latencyP95: live?.p95 ?? null,
    latencyTarget: live?.target ?? null,
    chunks: live?.chunks ?? null,
    fallbacks,
    settings: { ...rest, transport: delivery },
  };
}

/** The delivery of most segments; HTTP where there are none. */
function mainDelivery(segments: readonly SegmentRecord[]): Delivery {
  const counts = { http: 0, datagrams: 0, streams: 0 };
  for (const { delivery } of segments) counts[delivery]++;
  if (counts.datagrams > Math.max(counts.streams, counts.http)) return 'datagrams';
  return counts.streams > counts.http ? 'streams' : 'http';
}

function reportSegment({ delivery, score, frames, ...record }: SegmentRecord): ReportSegment {
  return {
    ...record,
    // Losses are those of the first delivery, whether they were made good later or not.
    ...record.firstPass,
    transport: delivery,
    score: score ?? null,
    frames: frames.map((state) => frameLetters[state]).join(''),
  };
}
