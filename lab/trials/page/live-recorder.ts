import type { ChunkEvent } from '../../../lab/index.js';
import type { PlaybackSummary } from '../../../demo/video-observer.js';
import { addCounts, NO_COUNTS } from '../../../src/delivery/index.js';
import { concatenate } from '../../../src/concatenate.js';
import { base64 } from './base64.js';
import { FRAME_LETTERS, type DeliveredSegment, type LiveRecord, type ShownPicture } from './types.js';

/** How much of what was appended is handed out at once. */
const PIECE_BYTES = 3 * 2 ** 20;

/** A chunk is late that comes when playback has reached it, give or take a picture. */
const PICTURE_SECONDS = 1 / 30;

const NO_CHUNKS = { delivered: 0, repaired: 0, late: 0 };

/** Whole segments are known by their number; times are not exact. */
const ROUNDING = 1e-3;

/** What a live playback shows: its chunks, and all bytes that were appended. */
export class LiveRecorder {
  readonly #video: HTMLVideoElement;
  readonly #segmentDuration: number;
  readonly #pictures: readonly ShownPicture[];
  readonly #appended: Uint8Array[] = [];
  readonly #segments = new Map<number, DeliveredSegment>();
  #chunks = { ...NO_CHUNKS };
  #settled: Pick<PlaybackSummary, 'stalls' | 'stallSeconds'> | undefined;

  /** `pictures`: those that the video shows, as they come; `settled`: what of stalls belongs to the time before players have settled, which lasts that many seconds. Chunks count from then on. */
  constructor(
    video: HTMLVideoElement,
    segmentDuration: number,
    pictures: readonly ShownPicture[],
    settled: { readonly seconds: number; readonly summary: () => PlaybackSummary },
  ) {
    this.#video = video;
    this.#segmentDuration = segmentDuration;
    this.#pictures = pictures;
    this.#watchAppends();
    setTimeout(() => {
      this.#settled = settled.summary();
      this.#chunks = { ...NO_CHUNKS };
    }, 1000 * settled.seconds);
  }

  get record(): LiveRecord {
    const { stalls, stallSeconds } = this.#settled ?? { stalls: 0, stallSeconds: 0 };
    return { chunks: this.#chunks, settled: { stalls, stallSeconds } };
  }

  /** Base64 of a piece of what was appended, in order; empty behind the last one. */
  appended(piece: number): string {
    const at = piece * PIECE_BYTES;
    return base64(concatenate(this.#appended).subarray(at, at + PIECE_BYTES));
  }

  /** The number of the segment at a media time, from 0. */
  numberAt(seconds: number): number {
    return Math.floor(seconds / this.#segmentDuration + ROUNDING);
  }

  /** A chunk of video came over the session. */
  add(chunk: ChunkEvent, at: number, delivery: 'datagrams' | 'streams'): void {
    const isRepaired = chunk.framesRepaired > 0;
    const isLate = this.#pictures.length > 0 && this.#video.currentTime > chunk.startTime - PICTURE_SECONDS;
    const { delivered, repaired, late } = this.#chunks;
    this.#chunks = { delivered: delivered + 1, repaired: repaired + Number(isRepaired), late: late + Number(isLate) };
    const index = this.numberAt(chunk.startTime);
    const before = this.#segments.get(index);
    const former = before?.representation === chunk.representation ? before : this.#begin(chunk, index, delivery);
    const { framesTotal, framesRepaired } = chunk;
    this.#segments.set(index, {
      ...former,
      deliveredAt: at,
      ...addCounts(former, chunk),
      framesTotal: former.framesTotal + framesTotal,
      framesRepaired: former.framesRepaired + framesRepaired,
      // In any order: which frame it was is seen from what was appended.
      frames:
        former.frames +
        FRAME_LETTERS.complete.repeat(framesTotal - framesRepaired) +
        FRAME_LETTERS.repaired.repeat(framesRepaired),
    });
  }

  /** The segment as its chunks came over the session; undefined: none of them did. */
  segment(index: number, representation: string): DeliveredSegment | undefined {
    const segment = this.#segments.get(index);
    return segment?.representation === representation ? segment : undefined;
  }

  #begin(chunk: ChunkEvent, index: number, transport: DeliveredSegment['transport']): DeliveredSegment {
    return {
      ...NO_COUNTS,
      ...{ index, startTime: index * this.#segmentDuration, duration: this.#segmentDuration },
      ...{ representation: chunk.representation, bandwidth: chunk.bandwidth, level: 0, levels: 1 },
      ...{ transport, early: false, bytesRefetched: 0 },
      ...{ framesTotal: 0, framesSkipped: 0, framesRepaired: 0, frames: '', removed: [] },
      ...{ seconds: this.#segmentDuration, throughput: 0, deliveredAt: 0, estimatedScore: null },
    };
  }

  /** There is video alone. */
  #watchAppends(): void {
    const appended = this.#appended;
    const { prototype } = SourceBuffer;
    // oxlint-disable-next-line typescript/unbound-method -- called with its own object
    const append = prototype.appendBuffer;
    prototype.appendBuffer = function (data) {
      const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
      appended.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice());
      append.call(this, data);
    };
  }
}
