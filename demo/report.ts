import type { FallbackEvent, FrameState, SegmentRecord, SegmentTransport } from '../player/types.js';
import type { Settings } from './settings.js';
import type { PlaybackSummary } from './video-observer.js';

/** One segment of a report: the record with `score` null where unknown, and its frames as one letter each. */
export type ReportSegment = Omit<SegmentRecord, 'frames' | 'score'> & {
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

/** A run's transport by its full name: a report is read without the plugin's types beside it. */
export type ReportTransport = 'webtransport-datagrams' | 'webtransport-reliable' | 'http';

const transportNames: Readonly<Record<SegmentTransport, ReportTransport>> = {
  datagrams: 'webtransport-datagrams',
  reliable: 'webtransport-reliable',
  http: 'http',
};

/** What a run was, as one JSON object: headless runs print it, the page exports it. */
export interface Report extends Omit<PlaybackSummary, 'startupMs' | 'duration'> {
  /** What carried most of the segments. */
  readonly transport: ReportTransport;
  /** From the play request (with autoplay: from the navigation) to the first picture, ms; null: there was none. */
  readonly startupMs: number | null;
  /** s; null while unknown. */
  readonly duration: number | null;
  readonly segments: readonly ReportSegment[];
  /** Requests that took dash.js' own HTTP path although VOXEL was asked for. Playback went on: these are no errors. */
  readonly fallbacks: readonly FallbackEvent[];
  readonly settings: Settings;
}

export interface ReportInput {
  readonly playback: PlaybackSummary;
  readonly segments: readonly SegmentRecord[];
  readonly fallbacks: readonly FallbackEvent[];
  readonly settings: Settings;
}

export function buildReport({ playback, segments, fallbacks, settings }: ReportInput): Report {
  return {
    transport: transportNames[mainTransport(segments)],
    ...playback,
    startupMs: playback.startupMs ?? null,
    duration: playback.duration ?? null,
    segments: segments.map(reportSegment),
    fallbacks,
    settings,
  };
}

/** The transport that carried most segments; HTTP where there are none. */
function mainTransport(segments: readonly SegmentRecord[]): SegmentTransport {
  const counts = { http: 0, datagrams: 0, reliable: 0 };
  for (const segment of segments) counts[segment.transport]++;
  if (counts.datagrams > Math.max(counts.reliable, counts.http)) return 'datagrams';
  return counts.reliable > counts.http ? 'reliable' : 'http';
}

function reportSegment(record: SegmentRecord): ReportSegment {
  const frames = record.frames.map((state) => frameLetters[state]).join('');
  // Losses are those on the way, whether they were made good later or not.
  return { ...record, ...record.firstPass, score: record.score ?? null, frames };
}
