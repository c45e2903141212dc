import { secondsAhead } from '../port/buffered-time.js';
import { HAVE_FUTURE_DATA } from '../port/playhead-watch.js';
import type { PlayerSettings, PlayerVideo } from '../port/player-segment.js';

/** Milliseconds between two looks; playback stands where two of them find the same. */
const LOOK_INTERVAL = 500;

/** Seconds that are enough to play on: browsers count less as nothing. */
const ENOUGH_BUFFERED = 0.5;

/** Seconds before the end in which the browser must know that nothing follows: a player that has not told it seeks back where it stands there. */
const END_NEAR = 2;

export interface StandingBufferCollaborators {
  readonly video: Pick<PlayerVideo, 'element' | 'end'>;
  readonly settings: Pick<PlayerSettings, 'holdMoreThan'>;
}

/**
 * Has playback go on that stands although all is here. In front of a full buffer the player is to ask for more: Chromium plays the last frames
 * that it has only when others follow; where removal leaves one frame of a segment of seconds, that is all of it. Before the end the browser is
 * told that nothing follows.
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
    const { element } = video;
    const place = element && waits(element) ? element.currentTime : undefined;
    const seconds = place === undefined ? 0 : (secondsAhead(element!.buffered, place) ?? 0);
    if (seconds < ENOUGH_BUFFERED) settings.holdMoreThan(0);
    if (place !== undefined && place === this.#place && seconds >= ENOUGH_BUFFERED) settings.holdMoreThan(seconds);
    this.#place = place;
    if (element && !element.paused && !element.seeking && element.duration - element.currentTime < END_NEAR)
      void video.end?.();
  }
}

function waits({ paused, readyState, seeking }: Pick<HTMLMediaElement, 'paused' | 'readyState' | 'seeking'>): boolean {
  return !paused && !seeking && readyState < HAVE_FUTURE_DATA;
}
