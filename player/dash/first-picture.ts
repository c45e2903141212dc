import { deferred, type Deferred } from '../../src/voxel-loader/index.js';
import type { FirstLink } from '../../src/delivery/index.js';

/** Milliseconds in which the manifest of a near server is here. */
const SOON = 100;
/** Seconds to a near server and back. */
const NEAR = 0.05;
/** Milliseconds after the manifest that the first picture may take. */
const LONGEST = 250;

/**
 * Says when something may begin that takes processors from the first picture and that it does not need: from a near server its segment
 * comes over HTTP before a session could be open, while a worker that starts and a session that is opened take as long as its bytes.
 * From a far one they have time enough to begin at once.
 */
export class FirstPicture {
  readonly #over: Deferred<void> = deferred();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The manifest is asked for. Resolves when the rest may begin. */
  begin(): Promise<void> {
    this.#timer ??= setTimeout(() => this.skip(), SOON);
    return this.#over.promise;
  }

  /** The manifest is here. */
  come({ roundTrip, rate }: FirstLink, element: HTMLMediaElement | HTMLVideoElement | undefined): void {
    // What was in a cache says nothing of the link.
    if (!element || roundTrip > NEAR || !Number.isFinite(rate)) return this.skip();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.skip(), LONGEST);
    const skip = (): void => this.skip();
    // To show it takes processors, too, after it is decoded; a page in the background shows none.
    if ('requestVideoFrameCallback' in element) element.requestVideoFrameCallback(skip);
    else element.addEventListener('loadeddata', skip, { once: true });
  }

  /** Nothing waits for it any more. */
  skip(): void {
    clearTimeout(this.#timer);
    this.#over.resolve();
  }
}
