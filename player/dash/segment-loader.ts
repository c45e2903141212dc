import { PlayerError } from '../errors.js';
import type { Journal } from '../journal.js';
import type { Retransmission } from '../retransmission.js';
import type { Content } from './content.js';
import { segmentDurationOf, type Load, type LoaderRequest, type LoaderResponse } from './dash-types.js';
import type { Pipeline } from './pipeline.js';
import { keyOf } from './presentation.js';
import type { RequestedSegment } from './requested-segment.js';
import type { SegmentChooser } from './segment-chooser.js';
import type { SegmentDownloads } from './segment-downloads.js';
import type { PlayerSettings } from './settings.js';

export interface SegmentLoaderOptions {
  readonly content: Content;
  readonly journal: Pick<Journal, 'fallback'>;
  readonly settings: PlayerSettings;
  readonly chooser: SegmentChooser;
  readonly downloads: SegmentDownloads;
  readonly pipeline: Pick<Pipeline, 'learn'>;
  readonly retransmission: Pick<Retransmission, 'suspend'> | undefined;
}

/** Loads video segments: those that have VOXEL data as downloads of ours, the others with dash.js' own loader. */
export class SegmentLoader {
  readonly #options: SegmentLoaderOptions;
  #lastIndex = 0;
  #isReleased = false;

  constructor(options: SegmentLoaderOptions) {
    this.#options = options;
  }

  /** Of the segment that was last asked for. */
  get lastIndex(): number {
    return this.#lastIndex;
  }

  /** At once, unless the segment's index is on its way. */
  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const { content, journal, settings, retransmission } = this.#options;
    const fragment = request.customData.request;
    const { index } = fragment;
    retransmission?.suspend(fragment.startTime);
    this.#lastIndex = index;
    const map = content.representation(fragment.representation!);
    if (!map) return parentLoad(request, response);
    content.want([map], index);
    // Where an index box or a time line tells durations, there is none in common: the first segment's counts.
    if (!settings.isApplied) settings.apply(segmentDurationOf(fragment));
    if (!content.isPending(map, index)) return this.#loadDescribed(request, response, parentLoad);
    let isAborted = false;
    request.customData.abort = () => {
      isAborted = true;
      request.customData.onabort?.();
    };
    void content.ready(map, index).then(() => {
      if (isAborted) return;
      if (this.#isReleased) return void parentLoad(request, response);
      if (content.isPending(map, index)) {
        journal.fallback(new PlayerError('index-late', 'the index has not arrived in time'), request.url, index);
      }
      this.#loadDescribed(request, response, parentLoad);
    });
    return true;
  }

  /** Hands every download under way to dash.js' own loader. */
  release(): void {
    this.#isReleased = true;
    this.#options.downloads.release();
  }

  #loadDescribed(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const segment = this.#describe(request, response, parentLoad);
    return segment ? this.#options.downloads.start(segment) : parentLoad(request, response);
  }

  /** Undefined for a segment without VOXEL data, or with bad data. */
  #describe(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): RequestedSegment | undefined {
    const { content, journal, chooser, pipeline } = this.#options;
    const fragment = request.customData.request;
    const representation = fragment.representation!;
    try {
      const map = content.segment(fragment);
      if (!map) return undefined;
      const whole = content.representation(representation)!;
      pipeline.learn(whole, request);
      const decision = chooser.chooseLevel(whole, fragment);
      const { edition = 0 } = whole;
      return {
        request,
        response,
        parentLoad,
        key: keyOf(representation),
        map,
        edition,
        decision,
        origin: content.origin,
      };
    } catch (error) {
      journal.fallback(error, request.url, fragment.index);
      return undefined;
    }
  }
}
