import { PlayerError } from '../../errors.js';
import type { Journal } from '../record/journal.js';
import type { Retransmission } from '../record/retransmission.js';
import type { Content } from '../choose/content.js';
import type { Pipeline } from './pipeline.js';
import { segmentDurationOf, type PlayerSegment, type PlayerSettings } from '../../port/player-segment.js';
import type { PlayerRequest, RequestedSegment } from './requested-segment.js';
import type { SegmentChooser } from '../choose/segment-chooser.js';
import type { SegmentDownloads } from './segment-downloads.js';

export interface SegmentLoaderOptions {
  readonly content: Content;
  readonly journal: Pick<Journal, 'fallback'>;
  readonly settings: PlayerSettings;
  readonly chooser: SegmentChooser;
  readonly downloads: SegmentDownloads;
  readonly pipeline: Pick<Pipeline, 'learn'>;
  readonly retransmission: Pick<Retransmission, 'suspend'> | undefined;
}

/** Loads video segments: those that have VOXEL data as downloads of ours, the others with the player's own loader. */
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
  load(fragment: PlayerSegment, request: RequestedSegment['request'], answer: PlayerRequest): unknown {
    const { content, journal, settings, retransmission } = this.#options;
    const { index } = fragment;
    retransmission?.suspend(fragment.startTime);
    this.#lastIndex = index;
    const map = content.representation(fragment.representation!);
    if (!map || this.#isReleased) return answer.loadOwn();
    content.want([map], index);
    // Where an index box or a time line tells durations, there is none in common: the first segment's counts.
    if (!settings.isApplied) settings.apply(segmentDurationOf(fragment));
    if (!content.isPending(map, index)) return this.#loadDescribed(fragment, request, answer);
    let isAborted = false;
    answer.onAbort(() => (isAborted = true));
    void content.ready(map, index).then(() => {
      if (isAborted) return;
      if (this.#isReleased) return void answer.loadOwn();
      if (content.isPending(map, index)) {
        journal.fallback(new PlayerError('index-late', 'the index has not arrived in time'), request.url, index);
      }
      this.#loadDescribed(fragment, request, answer);
    });
    return true;
  }

  /** Hands every download under way to the player's own loader. */
  release(): void {
    this.#isReleased = true;
    this.#options.downloads.release();
  }

  #loadDescribed(fragment: PlayerSegment, request: RequestedSegment['request'], answer: PlayerRequest): unknown {
    const segment = this.#describe(fragment, request, answer);
    return segment ? this.#options.downloads.start(segment) : answer.loadOwn();
  }

  /** Undefined for a segment without VOXEL data, or with bad data. */
  #describe(
    fragment: PlayerSegment,
    request: RequestedSegment['request'],
    answer: PlayerRequest,
  ): RequestedSegment | undefined {
    const { content, journal, chooser, pipeline } = this.#options;
    const representation = fragment.representation!;
    try {
      const map = content.segment(fragment);
      if (!map) return undefined;
      const whole = content.representation(representation)!;
      pipeline.learn(whole, fragment, request);
      const decision = chooser.chooseLevel(whole, fragment);
      const { edition = 0 } = whole;
      return {
        request,
        fragment,
        answer,
        key: content.keyOf(representation),
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
