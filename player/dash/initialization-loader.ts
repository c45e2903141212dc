import { readRange, totalBytes } from '../../src/manifest/byte-range.js';
import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { Receiver } from '../../src/voxel-loader/index.js';
import type { FetchRange } from '../network/fetch-range.js';
import { withoutCmcd } from '../network/cmcd.js';
import type { Content } from '../segments/choose/content.js';
import type { Pipeline } from '../segments/fetch/pipeline.js';
import type { SegmentLoader } from '../segments/fetch/segment-loader.js';
import type { DownloadPreferences } from '../segments/fetch/segment-requests.js';
import { segmentDurationOf, type PlayerSettings } from '../port/player-segment.js';
import type { Presentation } from '../port/presentation.js';
import type { SessionManager } from '../network/session-manager.js';
import type { DashRepresentation, FragmentRequest, Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import type { FirstPicture } from './first-picture.js';
import type { HeadStart } from './head-start.js';
import { answer, PARTIAL_CONTENT } from './player-request.js';
import { keyOf } from './presentation.js';

export interface InitializationLoaderOptions {
  readonly content: {
    readonly presentation: Pick<Presentation, 'representation' | 'fileUrl'>;
    readonly indexes: Pick<Content['indexes'], 'want' | 'ready'>;
  };
  readonly settings: Pick<PlayerSettings, 'apply' | 'isApplied'>;
  readonly sessions: Pick<SessionManager, 'session'>;
  readonly preferences: Pick<DownloadPreferences, 'strategy'>;
  readonly receiver: Pick<Receiver, 'addInitialization' | 'expect'>;
  readonly pipeline: Pick<Pipeline, 'learn'>;
  readonly segments: Pick<SegmentLoader, 'begin'>;
  readonly headStart: Pick<HeadStart, 'begin' | 'isRunning'>;
  readonly firstPicture: Pick<FirstPicture, 'skip'>;
  readonly fetchRange: FetchRange;
}

interface Initialization {
  readonly bytes: Uint8Array;
  readonly url: string;
  readonly range: string | null;
  /** Edition of the representation when it came. */
  readonly edition: number | undefined;
}

/**
 * Brings initialization segments: has dash.js load each once, and fetches those of other representations before dash.js asks, so
 * that their first segments can be asked for early, too. The receiver gets those of VOXEL video.
 */
export class InitializationLoader {
  readonly #kept = new WeakMap<RepresentationMap, Initialization>();
  readonly #wanted = new WeakSet<RepresentationMap>();
  /** The last one that dash.js has loaded as a part of its file. */
  #model: LoaderRequest | undefined;
  readonly #stopped = new AbortController();

  constructor(private readonly options: InitializationLoaderOptions) {}

  /** `segmentIndex`: of the segment that was last asked for. */
  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load, segmentIndex: number): void {
    const { content, settings, receiver, pipeline, segments, headStart, firstPicture } = this.options;
    const { presentation, indexes } = content;
    const { customData } = request;
    const representation = customData.request.representation!;
    const map = presentation.representation(representation);
    if (!map) return parentLoad(request, response);
    this.#wanted.add(map);
    const before = this.#kept.get(map);
    const isSame = before?.url === withoutCmcd(request.url) && before.range === customData.request.range;
    // The bytes with which it would be answered.
    const kept = isSame && before.edition === map.edition ? before.bytes : undefined;
    const onloadend = customData.onloadend;
    customData.onloadend = () => {
      const { data, status } = response;
      if (data instanceof ArrayBuffer) {
        if (kept) pipeline.learn(map, customData.request, request);
        else this.#keep(map, request, new Uint8Array(data.slice(0)));
        if (status === PARTIAL_CONTENT) this.#model = request;
        // What waits for the index sees it first.
        void indexes.ready(map, segmentIndex).then(() => headStart.isRunning || segments.begin(map));
      }
      onloadend?.();
    };
    // Not before dash.js is ready for it.
    if (kept) queueMicrotask(() => answer(request, response, kept.slice().buffer));
    else parentLoad(request, response);
    // Beside the initialization segment, and after it: the segment that follows would wait for it.
    headStart.begin(request);
    // Then the first segment comes over the session, if that is open by then.
    if (!headStart.isRunning) firstPicture.skip();
    indexes.want([map], segmentIndex);
    const { codecs, mediaInfo } = representation;
    const expected = mediaInfo?.contentProtection?.length ? 'encv' : codecs;
    if (expected) receiver.expect(expected);
    if (Number.isFinite(representation.segmentDuration)) settings.apply(representation.segmentDuration);
  }

  /** Where an index box or a time line tells durations, there is none in common: the first segment's counts. */
  followedBy(fragment: FragmentRequest): void {
    const { content, settings } = this.options;
    const hasData = content.presentation.representation(fragment.representation!) !== undefined;
    if (hasData && !settings.isApplied) settings.apply(segmentDurationOf(fragment));
  }

  /**
   * Fetches what dash.js may ask for next, each once. Not where nothing is asked for early, nor where the page changes addresses:
   * only dash.js can tell those.
   */
  want(representations: readonly DashRepresentation[]): void {
    const { content, sessions, preferences } = this.options;
    const model = this.#model;
    if (!sessions.session || preferences.strategy.pipelineAt === undefined) return;
    if (!model || withoutCmcd(model.url) !== content.presentation.fileUrl(model.customData.request.representation!))
      return;
    for (const representation of representations) void this.#fetch(representation, model);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #fetch(representation: DashRepresentation, model: LoaderRequest): Promise<void> {
    const { content, fetchRange } = this.options;
    const { initialization, range } = representation;
    const map = content.presentation.representation(representation);
    const url = content.presentation.fileUrl(representation);
    if (!map || !url || initialization || typeof range !== 'string' || this.#wanted.has(map)) return;
    this.#wanted.add(map);
    const wanted = readRange(range);
    const options = { signal: this.#stopped.signal, cache: 'default' } as const;
    const sent = await fetchRange(url, wanted, options).catch(() => undefined);
    // Otherwise dash.js will ask for it.
    if (sent?.range.start !== wanted.start || sent.bytes.length !== totalBytes([wanted]) || this.#kept.has(map)) return;
    const request = { ...model.customData.request, url, range, representation };
    this.#keep(map, { ...model, url, customData: { request } }, sent.bytes);
  }

  #keep(map: RepresentationMap, request: LoaderRequest, bytes: Uint8Array): void {
    const { receiver, pipeline } = this.options;
    const { representation, range } = request.customData.request;
    this.#kept.set(map, { bytes, url: withoutCmcd(request.url), range, edition: map.edition });
    receiver.addInitialization(keyOf(representation!), bytes);
    pipeline.learn(map, request.customData.request, request);
  }
}
