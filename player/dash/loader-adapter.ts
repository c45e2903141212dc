import {
  requestTypes,
  segmentDurationOf,
  type DashRepresentation,
  type FragmentRequest,
  type Load,
  type LoaderRequest,
  type LoaderResponse,
} from './dash-types.js';
import { PlayerError } from '../errors.js';
import { loadOverHttp } from './http-load.js';
import type { IndexLoader } from '../index-loader.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { representationKey, type Presentation } from './presentation.js';
import type { Decision, RateControl } from '../rate-control.js';
import type { Retransmission } from '../retransmission.js';
import { SegmentLoad } from './segment-load.js';
import type { SessionManager } from '../session-manager.js';
import type { PlayerSettings } from './settings.js';

export interface LoaderContext extends LoadContext {
  readonly sessions: SessionManager;
  readonly rateControl: RateControl | undefined;
  readonly settings: PlayerSettings;
  readonly presentation: () => Presentation | undefined;
  readonly indexes: IndexLoader;
  readonly retransmission: Retransmission | undefined;
  /** Starts to open a session with the server of that manifest. */
  readonly openSession: (manifestUrl: string) => void;
}

/** Takes over the requests for video segments that have VOXEL data; all others pass on to dash.js' own loader. */
export class LoaderAdapter {
  readonly #context: LoaderContext;
  readonly #loads = new Set<SegmentLoad>();
  /** Of the video segment that was last asked for. */
  #segmentIndex = 0;
  #isReleased = false;

  constructor(context: LoaderContext) {
    this.#context = context;
  }

  /** What the review of that request decided to download instead. */
  restartOf(request: FragmentRequest): Decision | undefined {
    return this.#find(request)?.restart;
  }

  /** True while that request is delivered over the session. */
  ownsRequest(request: FragmentRequest): boolean {
    return this.#find(request) !== undefined;
  }

  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const fragment = request.customData.request;
    // The session opens while the MPD is on its way.
    if (fragment.type === requestTypes.manifest) this.#context.openSession(request.url);
    if (fragment.mediaType === 'video' && fragment.representation) {
      if (fragment.type === requestTypes.initialization) return this.#loadInitialization(request, response, parentLoad);
      // dash.js takes an index box (`sidx`) for a media segment, too, but for one without a number.
      if (fragment.type === requestTypes.media && Number.isInteger(fragment.index)) {
        this.#context.retransmission?.suspend(fragment.startTime);
        return this.#loadWhenDescribed(request, response, parentLoad);
      }
    }
    return parentLoad(request, response);
  }

  /** Hands every download under way to dash.js' own loader. */
  release(): void {
    this.#isReleased = true;
    for (const load of this.#loads) load.release();
  }

  #loadInitialization(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const { repairers, settings, presentation, indexes } = this.#context;
    const { customData } = request;
    const representation = customData.request.representation!;
    const map = presentation()?.representation(representation);
    if (!map) return parentLoad(request, response);
    const onloadend = customData.onloadend;
    customData.onloadend = () => {
      const { data } = response;
      if (data instanceof ArrayBuffer)
        repairers.addInitialization(keyOf(representation), new Uint8Array(data.slice(0)));
      onloadend?.();
    };
    const started = parentLoad(request, response);
    // Beside the initialization segment, and after it: the segment that follows would wait for it.
    indexes.want([map], this.#segmentIndex);
    if (Number.isFinite(representation.segmentDuration)) settings.apply(representation.segmentDuration);
    return started;
  }

  /** At once, unless the segment's index is on its way. */
  #loadWhenDescribed(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const { presentation, indexes, journal, settings } = this.#context;
    const { representation, index } = request.customData.request;
    this.#segmentIndex = index;
    const map = presentation()?.representation(representation!);
    if (map) {
      indexes.want([map], index);
      // Where an index box or a time line tells durations, there is none in common: the first segment's counts.
      if (!settings.isApplied) settings.apply(segmentDurationOf(request.customData.request));
    }
    if (!map || !indexes.isPending(map, index)) return this.#loadSegment(request, response, parentLoad);
    let isAborted = false;
    request.customData.abort = () => {
      isAborted = true;
      request.customData.onabort?.();
    };
    void indexes.ready(map, index).then(() => {
      if (isAborted) return;
      if (this.#isReleased) return void parentLoad(request, response);
      if (indexes.isPending(map, index)) {
        journal.fallback(new PlayerError('index-late', 'its index is not here yet'), request.url, index);
      }
      this.#loadSegment(request, response, parentLoad);
    });
    return true;
  }

  #loadSegment(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const job = this.#createJob(request, response, parentLoad);
    if (!job) return parentLoad(request, response);
    if (this.#context.delivery === 'http') return loadOverHttp(this.#context, job);
    const load = new SegmentLoad(this.#context, job);
    this.#loads.add(load);
    void load.run().finally(() => this.#loads.delete(load));
    return true;
  }

  /** Undefined for a segment without VOXEL data, or with bad data. */
  #createJob(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): LoadJob | undefined {
    const { presentation, journal } = this.#context;
    const fragment = request.customData.request;
    try {
      const map = presentation()?.segment(fragment);
      if (!map) return undefined;
      const key = keyOf(fragment.representation!);
      const { origin } = presentation()!;
      return { request, response, parentLoad, key, map, decision: this.#decide(fragment), origin };
    } catch (error) {
      journal.fallback(error, request.url, fragment.index);
      return undefined;
    }
  }

  /** The decision that brought dash.js here, or one among the levels of the representation that it chose itself. */
  #decide(fragment: FragmentRequest): Decision | undefined {
    const { rateControl, settings, presentation, sessions, bufferLevel } = this.#context;
    const representation = presentation()?.representation(fragment.representation!);
    if (!representation || settings.isVideoPinned) return undefined;
    return rateControl?.decideLevel(representation, {
      segmentIndex: fragment.index,
      segmentDuration: segmentDurationOf(fragment),
      bufferLevel: bufferLevel(),
      segments: sessions.isOpen ? 'partial' : 'whole',
    });
  }

  #find(request: FragmentRequest): SegmentLoad | undefined {
    return [...this.#loads].find((load) => load.fragment === request);
  }
}

export function keyOf({ id, adaptation }: DashRepresentation): string {
  return representationKey(adaptation.period.index, id);
}
