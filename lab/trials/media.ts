import type { Content } from '../sim/content/content.js';

/** A prepared video. */
export interface Media {
  readonly name: string;
  /** With manifest.mpd and the media files. */
  readonly folder: string;
  /** Digest of the manifest: the same digest, the same segments and scores. */
  readonly digest: string;
  /** Metric of its scores. */
  readonly metric: string;
  readonly content: Content;
  /** Folder of a video prepared otherwise, whose top level sessions are scored against; absent: its own. */
  readonly reference?: string;
  /** Duration of a live stream's picture, s. */
  readonly frameSeconds?: number;
}
