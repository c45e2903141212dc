import type { BufferedSegment, PlayerSegment, PlayerVideo } from '../port/player-segment.js';
import { HlsBuffer } from './hls-buffer.js';
import { detailsOf, nextIndex, segmentOf } from './hls-segments.js';
import { levelsOf, takesPieces, type HlsFragment, type HlsPlayer } from './hls-types.js';

/** The video that hls.js holds. */
export class HlsVideo implements PlayerVideo {
  #underWay: HlsFragment | undefined;

  readonly buffer: HlsBuffer;

  constructor(private readonly hls: HlsPlayer) {
    this.buffer = new HlsBuffer(hls);
  }

  /** The segment that hls.js is loading. */
  get underWay(): HlsFragment | undefined {
    return this.#underWay?.stats.aborted ? undefined : this.#underWay;
  }

  set underWay(fragment: HlsFragment | undefined) {
    this.#underWay = fragment;
  }

  get element(): HTMLMediaElement | undefined {
    return this.hls.media ?? undefined;
  }

  get takesPieces(): boolean {
    return takesPieces(this.hls);
  }

  get bufferLevel(): number {
    return this.hls.mainForwardBufferInfo?.len ?? 0;
  }

  get playbackRate(): number {
    const { element } = this;
    return !element || element.paused || element.seeking ? 0 : element.playbackRate;
  }

  get isLastRequested(): boolean {
    return detailsOf(this.hls) !== undefined && !this.nextRequest;
  }

  get nextRequest(): PlayerSegment | undefined {
    const hls = this.hls;
    const details = levelsOf(hls)[hls.loadLevel]?.details;
    if (!details) return undefined;
    const { underWay } = this;
    const index = underWay ? Number(underWay.sn) - details.startSN + 1 : nextIndex(details, hls);
    const fragment = details.fragments[index];
    return fragment && segmentOf(hls, fragment);
  }

  /** hls.js asks for it in the task after the seek. */
  placeAfterSeek(): undefined {
    return undefined;
  }

  /** hls.js asks for an initialization segment and waits for it: nothing is asked for beside it. */
  startsIn(): boolean {
    return false;
  }

  holds(segment: BufferedSegment): boolean {
    return this.buffer.holds(segment);
  }

  replace(segment: BufferedSegment, media: Uint8Array): Promise<boolean> {
    return this.buffer.replace(segment, media);
  }
}
