import type { CrossTraffic } from './cross-traffic.js';
import type { PageFiles } from './page-bundle.js';
import type { PageSettings, PlaybackRecord } from './page/types.js';

/** What one trial's two programs are told, as `job.json` in the trial's folder. */
export interface Job {
  readonly server: ServerJob;
  readonly client: ClientJob;
}

export interface ServerJob {
  readonly command: string;
  readonly args: readonly string[];
  /** Linux' name of the congestion control; undefined: nothing travels over TCP. */
  readonly tcpControl: string | undefined;
}

/** What the page is shown on, in pixels: the video fills it. */
export interface Screen {
  readonly width: number;
  readonly height: number;
}

export interface ClientJob {
  readonly chrome: string;
  /** Base64 SHA-256 of the server's public key: Chromium accepts its certificate. */
  readonly spki: string;
  readonly page: PageFiles;
  readonly screen: Screen;
  readonly settings: PageSettings;
  /** Seconds of the video, and of whatever is waited for on purpose. */
  readonly duration: number;
  /** Media time at which playback is left, s. Absent: the video's end. */
  readonly until?: number;
  /** The link's paths: how many there are, and which one the page and stock dash.js have. */
  readonly paths: { readonly count: number; readonly own: number };
  readonly crossTraffic: CrossTraffic | undefined;
  readonly seed: number;
  /** Absent: on demand. */
  readonly replay?: ReplayJob;
}

/** A recorded encode that is played again while a session lasts. */
export interface ReplayJob {
  /** `voxel-live`. */
  readonly command: string;
  readonly recording: string;
  /** What the server mounts. */
  readonly out: string;
  /** Seconds. */
  readonly latency: number;
}

/** Lead of a live stream's link: from the page's connection, with which the link's trace begins, to the player's start. */
export const LINK_LEAD_SECONDS = 3;

/** Files of a trial's folder that its programs share. */
export const FILES = {
  job: 'job.json',
  /** What voxel-serve prints when it answers. */
  ready: 'ready.json',
  observation: 'observation.json',
  /** Where the encode is replayed. */
  live: 'live',
  /** All that a live playback appended. */
  appended: 'appended.mp4',
  /** Where the video lies; kept on demand. */
  video: 'video.json',
  /** Segments with gaps, as they were appended. */
  segment: (index: number) => `segment-${index}.m4s`,
} as const;

/** How a session came to its end. `hopeless`: its bufRatio had reached 1, whatever followed. */
export type Outcome = 'ended' | 'failed' | 'hopeless';

/** What the client saw of a trial. */
export interface Observation extends PlaybackRecord {
  readonly outcome: Outcome;
  /** Mean bit/s of each bulk download beside it while both ran. */
  readonly bulkRates: readonly number[];
  readonly browser: string;
  /** Ms since 1970 at a live stream's media time 0. */
  readonly availabilityStart?: number;
  /** How late one of its chunks was written at most, ms; 0: hardly. */
  readonly replayLateMs?: number;
  /** The player's start, ms since 1970. */
  readonly startedAt?: number;
  /** How much later than asked the client's own timers fired, ms: the machine's share in whatever was slow. */
  readonly timerDelay: { readonly p99: number; readonly max: number };
}
