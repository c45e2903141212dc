import type { Decision } from '../rate-control.js';
import type { FragmentRequest } from './dash-types.js';
import type { RequestedSegment } from './requested-segment.js';
import type { Pipeline } from './pipeline.js';
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
    if (isHttpOnly || http.has(segment)) return http.start(segment);
    const download = new SessionDownload(this.#options, segment, pipeline.adopt(segment));
    this.#running.add(download);
    const run = async (): Promise<void> => {
      // What comes next counted on this one.
      if (!(await download.run())) pipeline.cancel();
    };
    void run().finally(() => this.#running.delete(download));
    return true;
  }

  has(request: FragmentRequest): boolean {
    return this.#find(request) !== undefined;
  }

  /** What a review of that request decided to download instead. */
  restartOf(request: FragmentRequest): Decision | undefined {
    return this.#find(request)?.restart;
  }

  /** Hands every download to dash.js' own loader. */
  release(): void {
    this.#options.pipeline.stop();
    for (const download of this.#running) download.release();
  }

  #find(request: FragmentRequest): SessionDownload | undefined {
    return [...this.#running].find(({ fragment }) => fragment === request);
  }
}
