import type { Playhead } from '../../src/delivery/piece-queue.js';

/** Milliseconds without progress after which playback is taken to wait, whatever the element has: after stalls browsers wait for more. */
const STANDING_MS = 300;

/** `HTMLMediaElement.HAVE_FUTURE_DATA` */
export const HAVE_FUTURE_DATA = 3;

export type PlayingElement = Pick<
  HTMLMediaElement,
  'buffered' | 'currentTime' | 'paused' | 'playbackRate' | 'readyState' | 'seeking'
>;

/**
 * Tells for when an element needs the pieces to come. Where it waits they are worth waiting for: handed over with gaps as soon as they
 * can be played, each of them would be late again.
 */
export class PlayheadWatch {
  #time = NaN;
  #since = 0;

  /** On a time line that is `offset` seconds behind the element's; undefined: nothing is to play. `now` in ms. */
  look(element: PlayingElement | undefined, offset: number, now: number): Playhead | undefined {
    if (!element || element.buffered.length === 0 || element.seeking) return undefined;
    const { currentTime, paused, playbackRate, readyState } = element;
    if (paused || currentTime !== this.#time) [this.#time, this.#since] = [currentTime, now];
    const isShort = readyState < HAVE_FUTURE_DATA;
    const isWaiting = !paused && (isShort || now - this.#since >= STANDING_MS);
    return { mediaTime: currentTime - offset, at: now, rate: playbackRate || 1, isWaiting };
  }
}
