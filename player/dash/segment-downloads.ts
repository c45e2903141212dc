import type { Decision } from '../rate-control.js';
import type { FragmentRequest } from './dash-types.js';
import type { RequestedSegment } from './requested-segment.js';
import { SessionDownload, type SessionDownloadOptions } from './session-download.js';

export interface SegmentDownloadsOptions extends SessionDownloadOptions {
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
    const { http, isHttpOnly } = this.#options;
    if (isHttpOnly) return http.start(segment);
    const download = new SessionDownload(this.#options, segment);
    this.#running.add(download);
    void download.run().finally(() => this.#running.delete(download));
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
    for (const download of this.#running) download.release();
  }

  #find(request: FragmentRequest): SessionDownload | undefined {
    return [...this.#running].find(({ fragment }) => fragment === request);
  }
}
