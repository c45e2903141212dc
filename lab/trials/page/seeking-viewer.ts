import { isRightPicture } from '../first-pictures.js';
import { PATIENCE, WATCHED_SECONDS } from '../viewer.js';
import type { SeekAction, ShownPicture } from './types.js';

const LOOKING_MS = 50;

/** A place that cannot be watched for so many times its seconds is left all the same. */
const WATCHING_PATIENCE = 10;

/** Jumps from place to place as a page's control does, by `currentTime`, and watches a little of each. */
export class SeekingViewer {
  readonly #video: HTMLVideoElement;
  readonly #pictures: readonly ShownPicture[];
  readonly #seeks: SeekAction[] = [];
  #isDone = false;

  /** `pictures`: those that the video shows, as they come. */
  constructor(video: HTMLVideoElement, pictures: readonly ShownPicture[], places: readonly number[]) {
    this.#video = video;
    this.#pictures = pictures;
    void this.#watch(places);
  }

  get seeks(): readonly SeekAction[] {
    return this.#seeks;
  }

  /** All places have been watched. */
  get isDone(): boolean {
    return this.#isDone;
  }

  async #watch(places: readonly number[]): Promise<void> {
    await this.#until(() => this.#pictures.length > 0, Infinity);
    await this.#watchFrom(this.#pictures[0]![1]);
    for (const to of places) {
      const seek = { at: performance.timeOrigin + performance.now(), to, buffered: isBuffered(this.#video, to) };
      this.#seeks.push(seek);
      this.#video.currentTime = to;
      await this.#until(() => this.#pictures.some((picture) => isRightPicture(picture, seek)), PATIENCE);
      await this.#watchFrom(to);
    }
    this.#isDone = true;
  }

  #watchFrom(place: number): Promise<void> {
    const until = place + WATCHED_SECONDS;
    return this.#until(() => this.#video.currentTime >= until, WATCHING_PATIENCE * WATCHED_SECONDS);
  }

  async #until(holds: () => boolean, seconds: number): Promise<void> {
    const deadline = performance.now() + 1000 * seconds;
    while (!holds() && performance.now() < deadline)
      await new Promise((resolve) => {
        setTimeout(resolve, LOOKING_MS);
      });
  }
}

function isBuffered({ buffered }: HTMLVideoElement, time: number): boolean {
  return Array.from({ length: buffered.length }, (_, index) => index).some(
    (index) => buffered.start(index) <= time && buffered.end(index) > time,
  );
}
