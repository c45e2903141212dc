import type { Delivery, FallbackEvent, FrameState, SegmentRecord } from '../player/types.js';
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
  /** Requests that took dash.js' own HTTP path although VOXEL was asked for. Playback went on: these are no errors. */
  readonly fallbacks: readonly FallbackEvent[];
  readonly settings: Omit<Settings, 'delivery'> & { readonly transport: Settings['delivery'] };
}

export interface ReportInput {
  readonly playback: PlaybackSummary;
  readonly segments: readonly SegmentRecord[];
  readonly fallbacks: readonly FallbackEvent[];
  readonly settings: Settings;
}

export function buildReport({ playback, segments, fallbacks, settings }: ReportInput): Report {
  const { delivery, ...rest } = settings;
  return {
    transport: transportNames[mainDelivery(segments)],
    ...playback,
    startupMs: playback.startupMs ?? null,
    duration: playback.duration ?? null,
    segments: segments.map(reportSegment),
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
