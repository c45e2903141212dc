import type { FrameState, SegmentRecord, VoxelSummary } from '../../../player/api/types.js';
import type { PlaybackSummary } from '../../../demo/video-observer.js';
import type { SystemDelivery, PlayerKind } from '../system.js';

/** What the page is told to play. */
export interface PageSettings {
  readonly manifest: string;
  readonly player: PlayerKind;
  readonly delivery: SystemDelivery;
  /** N of an "N-segment buffer". */
  readonly bufferSegments: number;
  /** Seconds. */
  readonly segmentDuration: number;
  /** Absent: on demand. */
  readonly live?: LiveSettings;
  /** Media times to jump to one after the other, s. Absent: the video is watched. */
  readonly seekTo?: readonly number[];
  /** Where the VOXEL server answers. Absent: as `voxel.json` says. */
  readonly endpoint?: { readonly url: string; readonly certificateHashes: readonly string[] };
  /** The server's addresses, where the player is to use several. */
  readonly paths?: readonly { readonly url: string; readonly cost: number }[];
}

export interface LiveSettings {
  /** How far behind the capture, s. */
  readonly latency: number;
  /** From the player's start, in which stalls do not count. */
  readonly settling: number;
}

/** A picture that was shown: when, in ms since 1970, its media time, s, and how many the browser had shown with it. */
export type ShownPicture = readonly [at: number, mediaTime: number, count: number];

/** A viewer jumped to another place. */
export interface SeekAction {
  /** Ms since 1970. */
  readonly at: number;
  /** Media time, s. */
  readonly to: number;
  /** The place was in the buffer. */
  readonly buffered: boolean;
}

/** What is known of a live playback besides. */
export interface LiveRecord {
  /** Over the session, once players had settled; late: playback had reached them. */
  readonly chunks: { readonly delivered: number; readonly repaired: number; readonly late: number };
  /** Those of all stalls that came while players settled. */
  readonly settled: { readonly stalls: number; readonly stallSeconds: number };
}

/** One moment of a playback. */
export interface Sample {
  /** Seconds since the player was started. */
  readonly at: number;
  /** Media time, s. */
  readonly position: number;
  /** Video in the buffer, s. */
  readonly buffer: number;
  /** The player's estimate, bit/s; null where it has none. */
  readonly throughput: number | null;
  /** Bytes that have come over each path, in the order of the settings. Absent where there is one. */
  readonly pathBytes?: readonly number[];
}

/** A path has become usable, or is not any more. */
export interface PathMoment {
  /** Seconds since the player was started. */
  readonly at: number;
  readonly url: string;
  readonly state: 'open' | 'failed';
}

/** A delivered segment; frames in decode order as r reliable, c complete, s skipped, x repaired. */
export type DeliveredSegment = Omit<SegmentRecord, 'delivery' | 'frames' | 'score'> & {
  /** The record's `delivery`, by the name that results have. */
  readonly transport: SegmentRecord['delivery'];
  /** Seconds since the player was started. */
  readonly deliveredAt: number;
  /** The player's own estimate; null where it has none. */
  readonly estimatedScore: number | null;
  readonly frames: string;
  /** Over how many connections it came; absent where there is one. */
  readonly connections?: number;
};

export const FRAME_LETTERS: Readonly<Record<FrameState, string>> = {
  reliable: 'r',
  complete: 'c',
  skipped: 's',
  repaired: 'x',
};

/** Where playback stands, for whoever waits for its end. */
export interface Progress {
  readonly ended: boolean;
  readonly failed: boolean;
  readonly started: boolean;
  /** Seconds. */
  readonly stalled: number;
  readonly position: number;
}

/** All that the page knows of a playback. */
export interface PlaybackRecord {
  readonly playback: PlaybackSummary;
  /** In the order of delivery. */
  readonly segments: readonly DeliveredSegment[];
  readonly samples: readonly Sample[];
  /** All, in order. */
  readonly pictures: readonly ShownPicture[];
  /** In order. Absent: the viewer only watched. */
  readonly seeks?: readonly SeekAction[];
  /** The player's start, its first request and the end of the session, ms since 1970. */
  readonly times: { readonly start: number; readonly request: number; readonly end: number };
  readonly pathMoments: readonly PathMoment[];
  /** `nextHopProtocol` of the media's requests, with how many there were; h3 is HTTP/3. */
  readonly protocols: Readonly<Record<string, number>>;
  /** Share of the bytes that had come of each segment that the rule gave up to ask for another representation's. Absent but of stock dash.js. */
  readonly discards?: readonly number[];
  /** Requests that took dash.js' own path although VOXEL was asked for, and what became of sessions; one line each. */
  readonly notes: readonly string[];
  /** Absent: on demand. */
  readonly live?: LiveRecord;
  /** The plugin's own summary of all that. Absent: stock dash.js. */
  readonly summary?: VoxelSummary;
}

/** What the page offers to the program that drives it. */
export interface TrialPage {
  start(settings: PageSettings): void;
  progress(): Progress;
  record(): PlaybackRecord;
  /** Base64 of the bytes that were appended last for a segment that is not whole; undefined for any other. */
  damagedSegment(index: number): string | undefined;
  /** Base64 of a piece of all that a live playback appended, from 0; empty behind the last one. */
  appended(piece: number): string;
}

declare global {
  interface Window {
    trialPage: TrialPage;
  }
}
