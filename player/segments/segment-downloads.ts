import type { Decision } from '../rate-control.js';
import type { Pipeline } from './pipeline.js';
import type { PlayerSegment } from './player-segment.js';
import type { RequestedSegment } from './requested-segment.js';
import { SessionDownload, type SessionDownloadOptions } from './session-download.js';

export interface SegmentDownloadsOptions extends SessionDownloadOptions {
  readonly pipeline: Pick<Pipeline, 'look' | 'delivered' | 'adopt' | 'cancel' | 'stop'>;
  /** True: no segment is asked for over a session. */
  readonly isHttpOnly: boolean;
}

/** Starts the downloads of segments, and keeps those that are under way over the session. */
export class SegmentDownloads {
  readonly #options: SegmentDownloadsOptions;
  readonly #running = new Set<SessionDownload>();

  constructor(options: SegmentDownloadsOptions) {
    this.#options = options;
  }

  start(segment: RequestedSegment): unknown {
    const { http, isHttpOnly, pipeline } = this.#options;
    if (isHttpOnly || segment.answer.earlyAt !== undefined) return http.start(segment);
    const download = new SessionDownload(this.#options, segment, pipeline.adopt(segment));
    this.#running.add(download);
    const run = async (): Promise<void> => {
      // What comes next counted on this one.
      if (!(await download.run())) pipeline.cancel();
    };
    void run().finally(() => this.#running.delete(download));
    return true;
  }

  has(request: PlayerSegment): boolean {
    return this.#find(request) !== undefined;
  }

  /** What a review of that request decided to download instead. */
  restartOf(request: PlayerSegment): Decision | undefined {
    return this.#find(request)?.restart;
  }

  /** Hands every download to the player's own loader. */
  release(): void {
    this.#options.pipeline.stop();
    for (const download of this.#running) download.release();
  }

  #find(request: PlayerSegment): SessionDownload | undefined {
    return [...this.#running].find(({ fragment }) => fragment === request);
  }
}
