import { secondsAhead, TIME_TOLERANCE } from '../port/buffered-time.js';
import { HAVE_FUTURE_DATA } from '../port/playhead-watch.js';
import type { PlayerSettings, PlayerVideo } from '../port/player-segment.js';

/** Milliseconds between two looks; playback stands where two of them find the same. */
const LOOK_INTERVAL = 500;

/** Seconds that are enough to play on: browsers count less as nothing. */
const ENOUGH_BUFFERED = 0.5;

/**
 * Seconds before the end in which the browser must know that nothing follows: a player that has not told it seeks back where it stands there;
 * and in which dash.js jumps to the end where playback stands for a second (its `smallGapLimit`, 1.5).
 */
const END_NEAR = 2;

/** Looks in a row, ten seconds, for which playback may stand there: what is missing of a live stream's period may never come. */
const END_PATIENCE = 20;

export interface StandingBufferCollaborators {
  readonly video: Pick<PlayerVideo, 'element' | 'end' | 'isComplete' | 'secondsToEnd'>;
  readonly settings: Pick<PlayerSettings, 'holdMoreThan' | 'mayJumpToEnd'>;
}

/**
 * Has playback go on that stands although all is here. In front of a full buffer the player is to ask for more: Chromium plays the last frames
 * that it has only when others follow; where removal leaves one frame of a segment of seconds, that is all of it. Before the end the browser is
 * told that nothing follows. And the player does not jump to the end, of a period too, over what it has or what is on its way: where a segment
 * plays as it comes, playback may stand in the middle of the last one, and on a busy machine anywhere.
 */
export class StandingBuffer {
  readonly #timer = setInterval(() => this.#look(), LOOK_INTERVAL);
  /** Where playback was at the last look, in seconds; undefined: paused or seeking. */
  #place: number | undefined;
  /** For how many looks it has stood there. */
  #looks = 0;

  constructor(private readonly collaborators: StandingBufferCollaborators) {}

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { settings, video } = this.collaborators;
    const { element } = video;
    const place = element && !element.paused && !element.seeking ? element.currentTime : undefined;
    const ahead = place === undefined ? 0 : (secondsAhead(element!.buffered, place) ?? 0);
    this.#looks = place !== undefined && place === this.#place ? this.#looks + 1 : 0;
    this.#place = place;
    if (!(ahead >= ENOUGH_BUFFERED && element!.readyState < HAVE_FUTURE_DATA)) settings.holdMoreThan(0);
    else if (this.#looks > 0) settings.holdMoreThan(ahead);
    const isEndNear = place !== undefined && video.secondsToEnd! < END_NEAR;
    const isWaitedFor = isEndNear && (ahead > TIME_TOLERANCE || !video.isComplete) && this.#looks < END_PATIENCE;
    settings.mayJumpToEnd?.(!isWaitedFor);
    if (place !== undefined && element!.duration - place < END_NEAR) void video.end?.();
  }
}
