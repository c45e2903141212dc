import type { LaneNow } from '../types.js';
import type { RecordedLane } from './format.js';

/** How far picture and recorded position may be apart while it plays, and while it stands, s. */
const TOLERANCE = { playing: 0.2, still: 0.02 };

/** Plays in a video element what a recorded player had appended, where it had been: it stands still where that waited. */
export class ReplayedVideo {
  readonly #video: HTMLVideoElement;
  readonly #lane: RecordedLane;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #buffer: SourceBuffer | undefined;
  #appended = 0;
  /** s since the start: what had been appended by then. */
  #until = 0;

  /** Throws an error where the browser cannot play it. */
  constructor(video: HTMLVideoElement, lane: RecordedLane, bytes: Uint8Array<ArrayBuffer>) {
    // Some browsers on phones have no Media Source Extensions at all.
    if (!('MediaSource' in globalThis) || !MediaSource.isTypeSupported(lane.mimeType))
      throw new Error(`this browser cannot play ${lane.mimeType} piece by piece`);
    this.#video = video;
    this.#lane = lane;
    this.#bytes = bytes;
    const source = new MediaSource();
    source.addEventListener('sourceopen', () => {
      this.#buffer = source.addSourceBuffer(lane.mimeType);
      this.#buffer.addEventListener('updateend', () => this.#append());
      this.#append();
    });
    video.src = URL.createObjectURL(source);
  }

  /** Follows the recording. `isRunning`: its clock runs. */
  follow({ at, position, isFrozen, hasEnded }: LaneNow, isRunning: boolean): void {
    this.#until = at;
    this.#append();
    const video = this.#video;
    const plays = isRunning && !isFrozen && !hasEnded && position > 0;
    const apart = Math.abs(video.currentTime - position);
    if (apart > (plays ? TOLERANCE.playing : TOLERANCE.still) && isBuffered(video, position))
      video.currentTime = position;
    if (plays && video.paused) void video.play().catch(() => undefined);
    if (!plays && !video.paused) video.pause();
  }

  /** One piece after the other: later ones may lie over former ones. */
  #append(): void {
    const next = this.#lane.appends[this.#appended];
    if (!next || next.at > this.#until || !this.#buffer || this.#buffer.updating) return;
    this.#appended++;
    this.#buffer.appendBuffer(this.#bytes.subarray(next.offset, next.offset + next.length));
  }
}

function isBuffered({ buffered }: HTMLVideoElement, position: number): boolean {
  return Array.from({ length: buffered.length }).some(
    (_, index) => buffered.start(index) <= position && position < buffered.end(index),
  );
}
