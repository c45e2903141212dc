import {
  VoxelError,
  type DeliveredSegment,
  type SegmentDownload,
  type SegmentRequest,
  type VoxelErrorCode,
  type VoxelSession,
} from '../../src/voxel-loader/index.js';
import { PlayerError } from '../errors.js';
import { refreshCache } from '../fetch-range.js';
import type { Decision } from '../rate-control.js';
import type { SessionManager } from '../session-manager.js';
import { SilenceWatch } from '../silence-watch.js';
import type { Content } from './content.js';
import type { FragmentRequest } from './dash-types.js';
import type { DeliveryRecorder } from './delivery-recorder.js';
import type { DownloadControl, DownloadPlan, DownloadPreferences } from './download-control.js';
import type { HttpDownloads } from './http-download.js';
import { requestTarget } from './request-target.js';
import { fragmentOf, type RequestedSegment } from './requested-segment.js';

/** Milliseconds between two reviews of a download (thesis §6.3). */
const REVIEW_INTERVAL = 50;

export interface SessionDownloadOptions {
  readonly sessions: Pick<SessionManager, 'ready' | 'abandon' | 'probe' | 'isPaused'>;
  readonly control: DownloadControl;
  readonly preferences: Pick<DownloadPreferences, 'headerHosts'>;
  readonly recorder: DeliveryRecorder;
  readonly content: Pick<Content, 'reload'>;
  /** For whatever the session cannot bring. */
  readonly http: HttpDownloads;
}

interface Delivered {
  readonly plan: DownloadPlan;
  readonly delivered: DeliveredSegment;
}

/** Brings one segment over the session or, whatever goes wrong on the way, over dash.js' own loader. */
export class SessionDownload {
  readonly #options: SessionDownloadOptions;
  readonly #segment: RequestedSegment;
  #download: SegmentDownload | undefined;
  #ended = false;
  #restart: Decision | undefined;

  constructor(options: SessionDownloadOptions, segment: RequestedSegment) {
    this.#options = options;
    this.#segment = segment;
  }

  get fragment(): FragmentRequest {
    return fragmentOf(this.#segment);
  }

  /** What a review decided to download instead: dash.js learns of it when it asks its abandonment rules. */
  get restart(): Decision | undefined {
    return this.#restart;
  }

  /** Resolves when the segment is delivered, aborted or handed to dash.js' loader. */
  async run(): Promise<void> {
    const { request } = this.#segment;
    request.customData.abort = () => {
      this.#end();
      request.customData.onabort?.();
    };
    const timeout = request.timeout > 0 ? setTimeout(this.#onTimeout, request.timeout) : undefined;
    const result = await this.#fetch().catch((error: unknown) => this.#onFailed(error));
    clearTimeout(timeout);
    if (!result) return;
    if (this.#end()) this.#complete(result);
    else result.delivered.kept?.release();
  }

  /** Goes on over HTTP: the plugin is being detached. */
  release(): void {
    if (!this.#end()) return;
    this.#segment.parentLoad(this.#segment.request, this.#segment.response);
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
    const { sessions, control, recorder } = this.#options;
    // The very first segment is what the viewer waits for.
    const session = await sessions.ready(recorder.isFirst ? 'now' : 'soon');
    const plan = await control.plan(this.#segment);
    if (this.#ended) return undefined;
    try {
      return await this.#fetchOver(session, plan);
    } catch (error) {
      // Anew when the page is shown again.
      if (sessions.isPaused) return this.#fetch();
      if (hasCode(error, 'timeout')) sessions.abandon(session, error);
      if (plan.delivery === 'streams' || !this.#isWorthAnotherTry(error)) throw error;
      recorder.fellBack(this.#segment, error, 'streams');
      return this.#fetchOver(session, { ...plan, delivery: 'streams' });
    }
  }

  /** This request failed on a session that goes on, and the server did not refuse it. */
  #isWorthAnotherTry(error: unknown): boolean {
    return !this.#ended && hasCode(error, 'bad-response', 'incomplete');
  }

  async #fetchOver(session: VoxelSession, plan: DownloadPlan): Promise<Delivered> {
    const request = requestFor(this.#segment, plan);
    const hosts = [new URL(this.#segment.request.url).hostname, ...this.#options.preferences.headerHosts];
    const isTrusted = hosts.includes(session.hostname);
    const download = session.download(isTrusted ? request : { ...request, headers: {} });
    this.#download = download;
    const silence = new SilenceWatch(() => this.#options.sessions.probe(this.#segment.origin), performance.now());
    const review = setInterval(() => {
      this.#review(download);
      this.#watch(session, download, silence);
    }, REVIEW_INTERVAL);
    return { plan, delivered: await download.result.finally(() => clearInterval(review)) };
  }

  #review(download: SegmentDownload): void {
    const progress = download.progress();
    const loaded = progress.bytesReliable + progress.bytesUnreliable;
    if (!this.#restart) {
      const review = this.#options.control.review(this.#segment.decision, progress);
      if (review.action === 'keep') download.keep();
      if (review.action === 'restart') this.#restart = review.decision;
    }
    // dash.js takes the first progress event for the first byte, and asks its abandonment rules on every one.
    if (loaded > 0 || this.#restart) this.#reportProgress(loaded, progress.bytesRequested);
  }

  #watch(session: VoxelSession, download: SegmentDownload, silence: SilenceWatch): void {
    const { bytesReliable, bytesUnreliable } = download.progress();
    if (this.#ended || !silence.look(bytesReliable + bytesUnreliable, performance.now())) return;
    const error = new VoxelError('timeout', 'the session is silent while its server answers over HTTP');
    // What has arrived may do; a session that is closed takes its downloads along.
    if (!download.keep()) this.#fallBack(error);
    void download.result.catch(() => undefined).then(() => this.#options.sessions.abandon(session, error));
  }

  #complete({ plan, delivered }: Delivered): void {
    const { request, response } = this.#segment;
    const { recorder } = this.#options;
    const order = recorder.arrived(this.#segment, plan, delivered);
    this.#reportProgress(delivered.received.size, delivered.received.size);
    Object.assign(response, {
      status: 206,
      statusText: 'Partial Content',
      url: request.url,
      headers: {},
      data: delivered.bytes.buffer,
    });
    request.customData.onloadend?.();
    const { level, delivery } = plan;
    recorder.delivered(this.#segment, { level, delivery }, delivered, order);
  }

  readonly #onTimeout = (): void => {
    this.#fallBack(new VoxelError('timeout', `not delivered within ${this.#segment.request.timeout} ms`));
  };

  #fallBack(error: unknown): void {
    if (!this.#end()) return;
    this.#options.recorder.fellBack(this.#segment, error, 'http');
    this.#options.http.start(this.#segment);
  }

  #reportProgress(loaded: number, total: number): void {
    this.#segment.request.customData.onprogress?.({ loaded, total, lengthComputable: true });
  }

  /** From here on nothing of this download reaches dash.js. False: that was so already. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#download?.abort();
    return true;
  }
}

/** Throws `PlayerError` unless the VOXEL server has the file. */
function requestFor(
  { request, map, key, edition, origin }: RequestedSegment,
  { level, delivery, recovery, deadline, parity }: DownloadPlan,
): SegmentRequest {
  const { origin: mediaOrigin } = new URL(request.url);
  if (mediaOrigin !== origin) {
    throw new PlayerError('other-origin', `the manifest is on ${origin}, its media on ${mediaOrigin}`);
  }
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'range');
  return {
    representation: key,
    target: requestTarget(request.url),
    map,
    edition,
    unreliableBytes: map.steps[level]!.bytes,
    delivery,
    recovery,
    parity,
    headers: Object.fromEntries(headers),
    deadline,
  };
}

function hasCode(error: unknown, ...codes: VoxelErrorCode[]): boolean {
  return error instanceof VoxelError && codes.includes(error.code);
}
