import type { Playhead } from '../../../src/delivery/chunk-queue.js';
import { secondsAhead } from '../buffered-video.js';

/** Milliseconds without progress after which playback is taken to stand still. */
const STANDING_MS = 300;

export type PlayingElement = Pick<HTMLMediaElement, 'buffered' | 'currentTime' | 'paused' | 'playbackRate' | 'seeking'>;

/**
 * Tells for when an element needs the chunks to come. After a stall browsers wait for more than they have, a second and longer after
 * several: then what comes after the buffer's end is due at once, although playback is not there. Otherwise both would wait for ever,
 * the browser for the chunk and the chunk, which has gaps, for its time.
 */
export class PlayheadWatch {
  #time = NaN;
  #since = 0;

  /** On a time line that is `offset` seconds behind the element's; undefined: nothing is to play. `now` in ms. */
  look(element: PlayingElement | undefined, offset: number, now: number): Playhead | undefined {
    if (!element || element.buffered.length === 0 || element.seeking) return undefined;
    const { buffered, currentTime, paused, playbackRate } = element;
    if (paused || currentTime !== this.#time) [this.#time, this.#since] = [currentTime, now];
    const isStanding = now - this.#since >= STANDING_MS;
    const ahead = isStanding ? (secondsAhead(buffered, currentTime) ?? 0) : 0;
    return { mediaTime: currentTime + ahead - offset, at: now, rate: playbackRate || 1 };
  }
}
