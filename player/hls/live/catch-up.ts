/** Share of the rate by which playback catches up, as low-latency DASH does. */
const CATCH_UP = 0.04;

/** Seconds behind the target from which on it begins, and at which it ends. */
const BEGINS = 0.1;
const ENDS = 0.02;

/** Whoever is further behind wants to be, or has stood for long: playback then goes on at the target. */
const MOST = 3;

/** `HAVE_CURRENT_DATA` of media elements: it waits for more. */
const WAITS = 2;

/** Where a live playback is: how far behind the live edge, and how far it should be, in seconds; null: not known. */
export interface Behind {
  readonly latency: number | null;
  readonly target: number | null;
  /** Where it should be, on the element's time line, as far as there is anything: null where the stream has ended, too. */
  readonly goal: number | null;
}

export type RatedElement = Pick<HTMLMediaElement, 'currentTime' | 'paused' | 'playbackRate' | 'readyState' | 'seeking'>;

/**
 * Has playback catch up with what its start, or a stall, has cost, and go on at the live edge where a stall has cost more than that: hls.js by
 * itself leaves the rate as it is, and plays on where it stood.
 */
export class CatchUp {
  /** Whether the rate is the one that was set here. */
  #isOn = false;
  /** Whether the viewer is where playback should be, or was before it stood. */
  #isLive = false;
  #lastTime = 0;

  look(element: RatedElement | undefined, where: Behind): void {
    if (!element) return;
    this.#rejoin(element, where);
    this.#adapt(element, where);
  }

  /** Playback is somebody else's. */
  end(element: RatedElement | undefined): void {
    this.look(element, { latency: null, target: null, goal: null });
  }

  #adapt(element: RatedElement, { latency, target }: Behind): void {
    const isOwn = this.#isOn && element.playbackRate === 1 + CATCH_UP;
    // The page has another rate.
    if (!isOwn && element.playbackRate !== 1) return void (this.#isOn = false);
    const behind = latency === null || target === null ? 0 : latency - target;
    const isDue = !element.paused && !element.seeking && behind > (isOwn ? ENDS : BEGINS) && behind < MOST;
    this.#isOn = isDue;
    if (isDue !== isOwn) element.playbackRate = isDue ? 1 + CATCH_UP : 1;
  }

  #rejoin(element: RatedElement, { goal }: Behind): void {
    const { currentTime, paused, playbackRate, readyState } = element;
    const isFar = goal !== null && goal - currentTime > MOST;
    // Whoever pauses, goes back or plays slowly wants to be behind. Where playback stands hls.js goes forward a little by itself.
    if (paused || playbackRate < 1 || currentTime < this.#lastTime) this.#isLive = false;
    else if (isFar && this.#isLive) element.currentTime = goal;
    else if (readyState > WAITS) this.#isLive = !isFar;
    this.#lastTime = currentTime;
  }
}
