import type { PageFiles } from '../../trials/page-bundle.js';

/** dash.js alone over HTTP/3, or with the plugin over datagrams. */
export type PlayerName = 'plain' | 'voxel';

/** What both players are told alike. */
export interface PlaySettings {
  readonly manifest: string;
  /** Bitrate of the level to play, kbit/s. Neither changes it: what is compared are the players, not their rules. */
  readonly bitrate: number;
  /** Seconds. */
  readonly segmentDuration: number;
}

export interface BenchJob {
  readonly chrome: string;
  readonly spki: string;
  /** The server writes its first line there. */
  readonly ready: string;
  readonly page: PageFiles;
  /** Pairs of start-ups. */
  readonly startups: number;
  readonly settings: PlaySettings;
  readonly playbacks: {
    readonly pairs: number;
    readonly settings: PlaySettings;
    /** Measured from there on, when the buffer is full: media time, s. */
    readonly from: number;
    readonly seconds: number;
  };
}

/** Figures of the two players one after the other. */
export type Pair = Readonly<Record<PlayerName, number>>;

export interface Measurements {
  /** Seconds to the first frame. */
  readonly startup: readonly Pair[];
  /** Seconds of the main thread for each played second. */
  readonly cpu: readonly Pair[];
}

/** What the page offers. */
export interface BenchPage {
  /** Resolves with the seconds from `initialize()` to the first frame. */
  startUp(player: PlayerName, settings: PlaySettings): Promise<number>;
  play(player: PlayerName, settings: PlaySettings): void;
}
