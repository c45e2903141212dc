import type { Decision } from '../choose/rate-control.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { Pipeline } from './pipeline.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { RequestedSegment } from './requested-segment.js';
import type { HttpDownloads } from './http-download.js';
import { SessionDownload, type SessionDownloadOptions } from './session-download.js';
import { watchSlowStart } from './slow-start.js';

export interface SegmentDownloadsOptions extends Omit<SessionDownloadOptions, 'sessions' | 'http'> {
  readonly sessions: SessionDownloadOptions['sessions'] & Pick<SessionManager, 'isOpen'>;
  readonly http: Pick<HttpDownloads, 'start'>;
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
    const { http, isHttpOnly } = this.#options;
    if (isHttpOnly) return http.start(segment);
    return segment.answer.earlyAt === undefined ? this.#startOverSession(segment) : this.#startOverHttp(segment);
  }

  #startOverSession(segment: RequestedSegment): unknown {
    const { http: plain, pipeline } = this.#options;
    const start = (failed: RequestedSegment): unknown =>
      download.hasStarted ? plain.start(failed) : this.#startOverHttp(failed);
    const download = new SessionDownload({ ...this.#options, http: { start } }, segment, pipeline.adopt(segment));
    this.#running.add(download);
    const run = async (): Promise<void> => {
      // What comes next counted on this one.
      if (!(await download.run())) pipeline.cancel();
    };
    void run().finally(() => this.#running.delete(download));
    return true;
  }

  /** As no session is open yet. */
  #startOverHttp(segment: RequestedSegment): unknown {
    const { http, recorder, sessions } = this.#options;
    const { isFirst } = recorder;
    const own = http.start(segment);
    // Without a decision all of it would be asked for again.
    if (isFirst && segment.decision) {
      watchSlowStart(segment.answer, {
        total: segment.map.range.end - segment.map.range.start,
        canTakeOver: () => sessions.isOpen,
        takeOver: () => this.#startOverSession(segment),
      });
    }
    return own;
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
