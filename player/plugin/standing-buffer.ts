import { secondsAhead } from '../port/buffered-time.js';
import { HAVE_FUTURE_DATA } from '../port/playhead-watch.js';
import type { PlayerSettings, PlayerVideo } from '../port/player-segment.js';

/** Milliseconds between two looks; playback stands where two of them find the same. */
const LOOK_INTERVAL = 500;

/** Seconds that are enough to play on: browsers count less as nothing. */
const ENOUGH_BUFFERED = 0.5;

export interface StandingBufferCollaborators {
  readonly video: Pick<PlayerVideo, 'element'>;
  readonly settings: Pick<PlayerSettings, 'holdMoreThan'>;
}

/**
 * Has a player ask for more than its buffer holds where playback stands in front of a full one. Chromium plays the last frames that it
 * has only when others follow: where removal leaves one frame of a segment of seconds, that is all of it.
 */
export class StandingBuffer {
  readonly #timer = setInterval(() => this.#look(), LOOK_INTERVAL);
  /** Where playback stood at the last look, in seconds; undefined: it did not. */
  #place: number | undefined;

  constructor(private readonly collaborators: StandingBufferCollaborators) {}

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { settings, video } = this.collaborators;
    const seconds = video.element ? secondsUnplayed(video.element) : 0;
    const place = seconds > 0 ? video.element?.currentTime : undefined;
    if (place === undefined) settings.holdMoreThan(0);
    else if (place === this.#place) settings.holdMoreThan(seconds);
    this.#place = place;
  }
}

type Element = Pick<HTMLMediaElement, 'buffered' | 'currentTime' | 'paused' | 'readyState' | 'seeking'>;

/** Seconds of picture and sound in the buffer before which playback waits; 0: it does not. */
function secondsUnplayed({ buffered, currentTime, paused, readyState, seeking }: Element): number {
  const seconds = secondsAhead(buffered, currentTime) ?? 0;
  const waits = !paused && !seeking && readyState < HAVE_FUTURE_DATA;
  return waits && seconds >= ENOUGH_BUFFERED ? seconds : 0;
}
