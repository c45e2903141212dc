import { REVIEW_INTERVAL } from '../../src/delivery/index.js';
import type { RepairedSegment } from '../../src/repair/types.js';
import {
  VoxelError,
  type DeliveredSegment,
  type SegmentDownload,
  type SegmentRequest,
  type SessionDelivery,
  type VoxelSession,
} from '../../src/voxel-loader/index.js';
import type { FragmentRequest } from './dash-types.js';
import { PlayerError } from '../errors.js';
import { loadOverHttp } from './http-load.js';
import type { LoadContext, LoadJob } from './load-context.js';
import type { Decision } from '../rate-control.js';
import { APPEND_TIME, noteDelivery, recordDelivery, type Way } from './record-delivery.js';
import { requestTarget } from './request-target.js';
import { SilenceWatch } from '../silence-watch.js';

interface SessionWay extends Way {
  readonly delivery: SessionDelivery;
}

interface Fetched {
  readonly way: Way;
  readonly delivered: DeliveredSegment;
  /** Undefined for a segment that came whole: it needs no repair. */
  readonly repaired: RepairedSegment | undefined;
}

/** Brings one segment over the session, or, whatever goes wrong on the way, over dash.js' own loader. */
export class SegmentLoad {
  readonly #context: LoadContext;
  readonly #job: LoadJob;
  #download: SegmentDownload | undefined;
  #ended = false;
  #restart: Decision | undefined;

  constructor(context: LoadContext, job: LoadJob) {
    this.#context = context;
    this.#job = job;
  }

  get fragment(): FragmentRequest {
    return this.#job.request.customData.request;
  }

  /** What a review decided to download instead: dash.js learns of it when it asks its abandonment rules. */
  get restart(): Decision | undefined {
    return this.#restart;
  }

  /** Resolves when the segment is delivered, aborted or handed to dash.js' loader. */
  async run(): Promise<void> {
    const { request } = this.#job;
    request.customData.abort = () => {
      this.#end();
      request.customData.onabort?.();
    };
    const timeout = request.timeout > 0 ? setTimeout(this.#onTimeout, request.timeout) : undefined;
    const result = await this.#fetch().catch((error: unknown) => this.#fallBack(error));
    clearTimeout(timeout);
    if (result && this.#end()) this.#complete(result);
  }

  /** Goes on over HTTP: the plugin is being detached. */
  release(): void {
    if (!this.#end()) return;
    this.#job.parentLoad(this.#job.request, this.#job.response);
  }

  /** Holes in what cannot be repaired would be of no use. */
  #chooseWay(): SessionWay {
    const { decision, map, key } = this.#job;
    const { delivery, ruleChoosesDelivery, repairers } = this.#context;
    const whole = map.steps.length - 1;
    if (!repairers.canRepair(key)) return { level: whole, delivery: 'streams' };
    const onStreams = delivery === 'streams' || (ruleChoosesDelivery && decision?.delivery === 'streams');
    return { level: decision?.option.level ?? whole, delivery: onStreams ? 'streams' : 'datagrams' };
  }

  /** Over the session: as chosen, or on streams when that fails. */
  async #fetch(): Promise<Fetched | undefined> {
    // The very first segment is what the viewer waits for.
    const urgency = this.#context.throughput.throughput === undefined ? 'now' : 'soon';
    const session = await this.#context.sessions.ready(urgency);
    if (this.#ended) return undefined;
    const way = this.#chooseWay();
    try {
      return await this.#fetchOver(session, way);
    } catch (error) {
      if (isTimeout(error)) this.#context.sessions.abandon(session, error);
      if (way.delivery === 'streams' || !this.#isWorthAnotherTry(error)) throw error;
      this.#context.journal.fallback(error, this.#job.request.url, this.fragment.index, 'streams');
      return this.#fetchOver(session, { ...way, delivery: 'streams' });
    }
  }

  /** This request failed on a session that goes on, and the server did not refuse it. */
  #isWorthAnotherTry(error: unknown): boolean {
    return !this.#ended && error instanceof VoxelError && ['bad-response', 'incomplete'].includes(error.code);
  }

  async #fetchOver(session: VoxelSession, way: SessionWay): Promise<Fetched> {
    const download = session.download(this.#segmentRequest(way));
    this.#download = download;
    const { probe } = this.#context;
    const silence = new SilenceWatch(() => probe(this.#job.origin), performance.now());
    const review = setInterval(() => {
      this.#review(download);
      this.#watch(session, download, silence);
    }, 1000 * REVIEW_INTERVAL);
    const delivered = await download.result.finally(() => clearInterval(review));
    const isWhole = delivered.received.contains(0, delivered.bytes.length);
    return { way, delivered, repaired: isWhole ? undefined : this.#repair(delivered) };
  }

  #segmentRequest({ level, delivery }: SessionWay): SegmentRequest {
    const { request, map, origin } = this.#job;
    checkOrigin(request.url, origin);
    const headers = Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'range');
    return {
      target: requestTarget(request.url),
      map,
      unreliableBytes: map.steps[level]!.bytes,
      delivery,
      headers: Object.fromEntries(headers),
      deadline: this.#context.deadline(),
    };
  }

  #review(download: SegmentDownload): void {
    const { rateControl, bufferLevel } = this.#context;
    const { decision } = this.#job;
    const progress = download.progress();
    const loaded = progress.bytesReliable + progress.bytesUnreliable;
    if (rateControl && decision && !this.#restart) {
      const review = rateControl.review(decision, progress, bufferLevel());
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
    // What is here may do; a session that is closed takes its downloads along.
    if (!download.keep()) this.#fallBack(error);
    void download.result.catch(() => undefined).then(() => this.#context.sessions.abandon(session, error));
  }

  #repair(delivered: DeliveredSegment): RepairedSegment {
    return this.#context.repairers.repair(this.#job.key, delivered);
  }

  #complete({ way, delivered, repaired }: Fetched): void {
    const { request, response } = this.#job;
    noteDelivery(this.#context, this.#job, way, delivered);
    this.#reportProgress(delivered.received.size, delivered.received.size);
    const { bytes } = repaired ?? delivered;
    const fillsBuffer = bytes.byteLength === bytes.buffer.byteLength;
    Object.assign(response, {
      status: 206,
      statusText: 'Partial Content',
      url: request.url,
      headers: {},
      data: fillsBuffer ? bytes.buffer : bytes.slice().buffer,
    });
    request.customData.onloadend?.();
    const record = (found: RepairedSegment): void => recordDelivery(this.#context, this.#job, way, delivered, found);
    if (repaired) record(repaired);
    else setTimeout(() => record(this.#repair(delivered)), APPEND_TIME);
  }

  readonly #onTimeout = (): void => {
    this.#fallBack(new VoxelError('timeout', `not here after ${this.#job.request.timeout} ms`));
  };

  #fallBack(error: unknown): void {
    if (!this.#end()) return;
    this.#context.journal.fallback(error, this.#job.request.url, this.fragment.index);
    loadOverHttp(this.#context, this.#job);
  }

  #reportProgress(loaded: number, total: number): void {
    this.#job.request.customData.onprogress?.({ loaded, total, lengthComputable: true });
  }

  /** From here on nothing of this load reaches dash.js. False: that was so already. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#download?.abort();
    return true;
  }
}

/** Nothing came for so long that nothing else would. */
function isTimeout(error: unknown): boolean {
  return error instanceof VoxelError && error.code === 'timeout';
}

/** Throws `PlayerError` unless the VOXEL server has the file. */
function checkOrigin(url: string, origin: string): void {
  const { origin: mediaOrigin } = new URL(url);
  if (mediaOrigin === origin) return;
  throw new PlayerError('other-origin', `${mediaOrigin} is not ${origin}, the origin of the manifest`);
}
