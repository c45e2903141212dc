import type { Delivery, FrameState } from '../../player/api/types.js';

export type LaneId = 'dynamic' | 'streams' | 'datagrams';

/** What a lane plays, in the order of the page. `delivery`: undefined: plain dash.js. */
export interface LaneKind {
  readonly id: LaneId;
  readonly title: string;
  readonly about: string;
  readonly delivery: Delivery | undefined;
}

export const laneKinds: readonly LaneKind[] = [
  { id: 'dynamic', title: 'dash.js', about: 'its Dynamic rule, HTTP', delivery: undefined },
  { id: 'streams', title: 'VOXEL over streams', about: 'skips frames, loses none', delivery: 'streams' },
  { id: 'datagrams', title: 'VOXEL over datagrams', about: 'skips frames, repairs losses', delivery: 'datagrams' },
];

/** A segment as it was shown. */
export interface ShownSegment {
  readonly index: number;
  /** Media time and length, s. */
  readonly startTime: number;
  readonly duration: number;
  /** `Representation@id`. */
  readonly representation: string;
  readonly frames: readonly FrameState[];
  /** In the manifest's metric; undefined: not known. */
  readonly score: number | undefined;
  readonly bytes: number;
}

/** Where a playback stood at a moment. */
export interface Moment {
  /** Seconds since the start. */
  readonly at: number;
  /** Media time, s. */
  readonly position: number;
  /** Seconds of start-up and stalls so far. */
  readonly waited: number;
}

/** The links at a moment, counted since the start. */
export interface LinkMoment {
  /** Seconds since the start. */
  readonly at: number;
  /** Bytes that each link could have carried. */
  readonly capacity: number;
  /** Bytes that each player's link has carried. */
  readonly sent: readonly number[];
  /** Packets that each link has lost. */
  readonly lost: readonly number[];
}

/** A representation of the ladder. */
export interface Rung {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Bit/s. */
  readonly bandwidth: number;
  readonly codecs: string;
}

/** What is known of a video off the emulated links: the page's own knowledge, no player's. */
export interface Catalogue {
  readonly ladder: readonly Rung[];
  /** Of the whole segment, in the manifest's metric; undefined: not known, or not yet. */
  score(representation: string, index: number): number | undefined;
  /** The segment as it was encoded. */
  segment(representation: string, index: number): Promise<Uint8Array>;
  initialization(representation: string): Promise<Uint8Array>;
}

/** What is compared on, as the page says it. */
export interface PresetInfo {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** What plays is a live stream. */
  readonly isLive: boolean;
}

/** The figures of one player. */
export interface LaneReport {
  readonly id: LaneId;
  /** Seconds of start-up and stalls together, and both. */
  readonly waited: number;
  readonly startup: number | undefined;
  readonly stalled: number;
  readonly stalls: number;
  /** Mean distance from the capture, s, stalls included; undefined: not live. */
  readonly latency: number | undefined;
  /** Mean score of the segments that were shown; undefined: none. */
  readonly ssim: number | undefined;
  /** What the viewer got to see, as `SeenPictures` has it. */
  readonly picturesPerSecond: number | undefined;
  /** s. */
  readonly longestStill: number;
  readonly stillShare: number;
  /** Bytes that its link carried, headers and all. */
  readonly bytes: number;
  readonly packetsLost: number;
  readonly segments: number;
  readonly hasEnded: boolean;
  /** Requests that took HTTP although VOXEL was wanted, and what went wrong with playback. */
  readonly fallbacks: readonly string[];
  readonly errors: readonly string[];
}

/** Of one lane, what the page shows. */
export interface Lane {
  readonly kind: LaneKind;
  readonly moments: readonly Moment[];
  /** In order of media time. */
  readonly segments: () => readonly ShownSegment[];
  readonly now: () => LaneNow;
}

/** A lane at this moment. */
export interface LaneNow extends Moment {
  /** How far behind the capture, s; after the end the mean. Undefined: not live, or not known. */
  readonly latency?: number | undefined;
  readonly isFrozen: boolean;
  readonly hasEnded: boolean;
}

/** One comparison, running or recorded, as the page shows it. */
export interface Comparison {
  readonly lanes: readonly Lane[];
  /** Seconds since the start. */
  readonly elapsed: () => number;
  readonly link: () => readonly LinkMoment[];
}
