import {
  VoxelError,
  type DeliveredSegment,
  type VoxelErrorCode,
  type VoxelSession,
} from '../../../src/voxel-loader/index.js';
import { refreshCache } from '../../network/fetch-range.js';
import type { Decision } from '../choose/rate-control.js';
import type { SessionManager } from '../../network/session-manager.js';
import { silentError, SilenceWatch } from '../../network/silence-watch.js';
import type { Content } from '../choose/content.js';
import type { DeliveryRecorder } from '../record/delivery-recorder.js';
import type { DownloadControl, DownloadPlan, DownloadPreferences } from './download-control.js';
import type { HttpDownloads } from './http-download.js';
import type { Pipeline } from './pipeline.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { RequestedSegment } from './requested-segment.js';
import { startDownload, type StartedDownload } from './segment-request.js';

/** Milliseconds between two reviews of a download (thesis §6.3). */
const REVIEW_INTERVAL = 50;

export interface SessionDownloadOptions {
  readonly sessions: Pick<SessionManager, 'ready' | 'abandon' | 'probe' | 'isPaused' | 'arrivals'>;
  readonly control: DownloadControl;
  readonly preferences: Pick<DownloadPreferences, 'headerHosts'>;
  readonly recorder: DeliveryRecorder;
  readonly content: Pick<Content, 'reload'>;
  /** For whatever the session cannot bring. */
  readonly http: Pick<HttpDownloads, 'start'>;
  readonly pipeline: Pick<Pipeline, 'look' | 'delivered'>;
}

interface Delivered extends StartedDownload {
  readonly delivered: DeliveredSegment;
}

/** Brings one segment over the session or, whatever goes wrong on the way, over the player's own loader. */
export class SessionDownload {
  readonly #options: SessionDownloadOptions;
  readonly #segment: RequestedSegment;
  readonly #adopted: StartedDownload['download'] | undefined;
  #started: StartedDownload | undefined;
  #ended = false;
  #restart: Decision | undefined;

  /** `adopted`: its download, where that is under way already. */
  constructor(options: SessionDownloadOptions, segment: RequestedSegment, adopted?: StartedDownload) {
    this.#options = options;
    this.#segment = segment;
    this.#started = adopted;
    this.#adopted = adopted?.download;
  }

  get fragment(): PlayerSegment {
    return this.#segment.fragment;
  }

  /** Whether a session was there to ask. */
  get hasStarted(): boolean {
    return this.#started !== undefined;
  }

  /** What a review decided to download instead: the player's adapter looks for it when it is told of progress. */
  get restart(): Decision | undefined {
    return this.#restart;
  }

  /** Resolves when the segment is delivered (true), aborted or handed to the player's loader. */
  async run(): Promise<boolean> {
    const { answer } = this.#segment;
    answer.onAbort(() => this.#end());
    const timeout = answer.timeout > 0 ? setTimeout(this.#onTimeout, answer.timeout) : undefined;
    const result = await this.#fetch().catch((error: unknown) => this.#onFailed(error));
    clearTimeout(timeout);
    if (!result) return false;
    const isWanted = this.#end();
    if (isWanted) this.#complete(result);
    else result.delivered.kept?.release();
    return isWanted;
  }

  /** Goes on over HTTP: the plugin is being detached. */
  release(): void {
    if (!this.#end()) return;
    this.#segment.answer.loadOwn();
  }

  async #onFailed(error: unknown): Promise<undefined> {
    const { request } = this.#segment;
    if (hasCode(error, 'file-changed')) {
      this.#options.content.reload(this.fragment.representation!);
      await refreshCache(request.url);
    }
    this.#fallBack(error);
  }

  /** Over the session: as planned, or on streams when that fails. */
  async #fetch(): Promise<Delivered | undefined> {
    const { sessions, recorder } = this.#options;
    const started = this.#started ?? (await this.#start());
    if (!started) return undefined;
    const { session, plan } = started;
    try {
      return await this.#follow(started);
    } catch (error) {
      // Anew when the page is shown again.
      if (sessions.isPaused) {
        this.#started = undefined;
        return this.#fetch();
      }
      if (hasCode(error, 'timeout')) sessions.abandon(session, error);
      if (plan.delivery === 'streams' || !this.#isWorthAnotherTry(error)) throw error;
      recorder.fellBack(this.#segment, error, 'streams');
      return this.#follow(this.#startOver(session, { ...plan, delivery: 'streams' }));
    }
  }

  async #start(): Promise<StartedDownload | undefined> {
    const { sessions, control, recorder } = this.#options;
    // The very first segment is what the viewer waits for.
    const session = await sessions.ready(recorder.isFirst ? 'now' : 'soon');
    const plan = await control.plan(this.#segment);
    return this.#ended ? undefined : this.#startOver(session, plan);
  }

  #startOver(session: VoxelSession, plan: DownloadPlan): StartedDownload {
    this.#started = startDownload(session, this.#segment, plan, this.#options.preferences);
    return this.#started;
  }

  /** This request failed on a session that goes on, and the server did not refuse it. */
  #isWorthAnotherTry(error: unknown): boolean {
    return !this.#ended && hasCode(error, 'bad-response', 'incomplete');
  }

  async #follow(started: StartedDownload): Promise<Delivered> {
    const { download } = started;
    const { sessions } = this.#options;
    const silence = new SilenceWatch(() => sessions.probe(this.#segment.origin), sessions.arrivals, performance.now());
    const review = setInterval(() => {
      this.#review(started);
      this.#watch(started, silence);
    }, REVIEW_INTERVAL);
    return { ...started, delivered: await download.result.finally(() => clearInterval(review)) };
  }

  #review(started: StartedDownload): void {
    const { download } = started;
    const progress = download.progress();
    const loaded = progress.bytesReliable + progress.bytesUnreliable;
    if (!this.#restart) {
      const review = this.#options.control.review(this.#segment.decision, progress);
      if (review.action === 'keep') download.keep();
      if (review.action === 'restart') this.#restart = review.decision;
    }
    if (!this.#restart) this.#options.pipeline.look({ ...started, segment: this.#segment }, progress);
    // Players take the first progress for the first byte, and dash.js asks its abandonment rules on every one.
    if (loaded > 0 || this.#restart) this.#reportProgress(loaded, progress.bytesRequested);
  }

  #watch({ session, download }: StartedDownload, silence: SilenceWatch): void {
    const { bytesReliable, bytesUnreliable } = download.progress();
    if (this.#ended || !silence.look(bytesReliable + bytesUnreliable, performance.now())) return;
    const error = silentError();
    // What has arrived may do; a session that is closed takes its downloads along.
    if (!download.keep()) this.#fallBack(error);
    void download.result.catch(() => undefined).then(() => this.#options.sessions.abandon(session, error));
  }

  #complete({ plan, download, delivered }: Delivered): void {
    const { recorder, pipeline } = this.#options;
    const asked = { level: plan.level, delivery: plan.delivery, early: download === this.#adopted };
    const order = recorder.arrived(this.#segment, asked, delivered);
    pipeline.delivered(delivered, asked.early);
    this.#reportProgress(delivered.received.size, delivered.received.size);
    this.#segment.answer.deliver(delivered.bytes);
    recorder.delivered(this.#segment, asked, delivered, order);
  }

  readonly #onTimeout = (): void => {
    this.#fallBack(new VoxelError('timeout', `not delivered within ${this.#segment.answer.timeout} ms`));
  };

  #fallBack(error: unknown): void {
    if (!this.#end()) return;
    this.#options.recorder.fellBack(this.#segment, error, 'http');
    this.#options.http.start(this.#segment);
  }

  #reportProgress(loaded: number, total: number): void {
    this.#segment.answer.progress(loaded, total);
  }

  /** From here on nothing of this download reaches the player. False: that was so already. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#started?.download.abort();
    return true;
  }
}

function hasCode(error: unknown, ...codes: VoxelErrorCode[]): boolean {
  return error instanceof VoxelError && codes.includes(error.code);
}
