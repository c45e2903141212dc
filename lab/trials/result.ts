import type { SegmentRecord } from '../../player/api/types.js';
import type { Metrics } from '../sim/metrics.js';
import type { FirstPictures } from './first-pictures.js';
import type { FrameCounts } from './frame-counts.js';
import type { Outcome } from './job.js';
import type { LiveResult } from './live/live-result.js';
import type { OutageCounts } from './outage-counts.js';
import type { RecoveryCounts } from './recovery-counts.js';
import type { ControlName, ServerName } from './serving.js';
import type { SessionMeasure } from './session-measures.js';

/** One line of `trials.jsonl`: what a playback came to. Ratios of 1, seconds, bytes, bit/s. */
export interface TrialResult extends Omit<Metrics, 'startup' | 'scoreFirst'>, FrameCounts, RecoveryCounts {
  readonly id: string;
  readonly video: string;
  readonly trace: string;
  readonly shift: number;
  readonly startSeconds: number;
  /** Name of the path between server and client. */
  readonly path: string;
  readonly server: ServerName;
  readonly control: ControlName;
  readonly crossTraffic: string;
  /** Segments. */
  readonly buffer: number;
  readonly system: string;
  readonly label: string;
  readonly repetition: number;
  /** From 1 on: a trial that does not count is repeated. */
  readonly attempt: number;

  /** False: the machine, the browser or the link did not do what the trial is about; `problems` says what. */
  readonly valid: boolean;
  readonly problems: readonly string[];
  readonly outcome: Outcome;
  /** From the player's start until the video element says that it plays; null: it never did. */
  readonly startup: number | null;
  /** Seconds until a picture was on the screen. Absent from older results and live sessions. */
  readonly firstPictures?: FirstPictures;
  readonly stallSeconds: number;
  /** Seconds; absent from older results. */
  readonly longestStall?: number;
  /** Seconds that one picture stood at most, and new pictures in a second of playback. Absent from older results, and where a viewer jumps about. */
  readonly longestStill?: number;
  readonly picturesPerSecond?: number;
  /** Score of every segment as delivered, in order. */
  readonly scores: readonly number[];
  /** The same in other metrics, where the configuration asks for them. */
  readonly measures?: Partial<Readonly<Record<SessionMeasure, readonly number[]>>>;
  /** Place of every segment's representation in the ladder. Absent from older results. */
  readonly levels?: readonly number[];
  /** Shares of the segments that travelled so; `http`: dash.js' own requests. Absent from older results. */
  readonly carriers?: Readonly<Record<SegmentRecord['delivery'], number>>;
  /** Mean of what the first ten seconds show; null: nothing came. */
  readonly scoreFirst: number | null;
  /** What losses took of the score of whole segments, on average over segments without frames left out; null: there are none. */
  readonly scoreLost: number | null;

  readonly bytesDelivered: number;
  /** Left out on purpose, lost on the way, and fetched again. */
  readonly bytesSkipped: number;
  readonly bytesLost: number;
  readonly bytesRefetched: number;
  /** Media requests by `nextHopProtocol`. */
  readonly protocols: Readonly<Record<string, number>>;
  /** Over how many connections a segment came, on average; absent with one. */
  readonly connections?: number;
  /** What came over each path of a bundle, other traffic included: bytes of packets. Absent without. */
  readonly paths?: readonly PathResult[];
  /** Mean bit/s of each bulk download beside it while both ran, in the order of their starts. Absent without. */
  readonly bulkRates?: readonly number[];
  /** Share of the bytes that had come of each segment that stock dash.js gave up to ask for another representation's. Absent from older results. */
  readonly discards?: readonly number[];
  readonly notes: readonly string[];
  /** Figures of a live session; `stalls` and `stallSeconds` are then those since players had settled. Absent: on demand. */
  readonly live?: LiveResult;

  /** Decoded pictures that the browser did not show in time. */
  readonly lateFrames: number;
  readonly timerDelayMs: number;
  readonly linkLateMs: number;
  /** Share of what the link could carry from the first segment's delivery to the last one's that was left unused; null: too short. */
  readonly linkIdle: number | null;
  readonly versions: Versions;
  readonly date: string;
}

/** What came over one path of a bundle. */
export interface PathResult {
  readonly name: string;
  readonly bytes: number;
  readonly share: number;
  /** Absent where there are none, or the system has one path alone. */
  readonly outages?: readonly OutageCounts[];
}

/** What made a result. */
export interface Versions {
  /** Commit of this checkout; ends in `+` where files differ from it. */
  readonly commit: string;
  readonly browser: string;
  readonly dashjs: string;
  readonly node: string;
  readonly machine: string;
}

/** The simulator's part of a kept session. */
export interface SimulatedSession extends Pick<TrialResult, 'id' | 'bufRatio' | 'score' | 'bitrate'> {
  /** Whose simulator and rule it is. */
  readonly commit: string;
}
