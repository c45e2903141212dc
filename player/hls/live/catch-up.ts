/** Share of the rate by which playback catches up, as low-latency DASH does. */
const CATCH_UP = 0.04;

/** Seconds behind the target from which on it begins, and at which it ends. */
const BEGINS = 0.1;
const ENDS = 0.02;

/** Whoever is further behind wants to be, or waits for minutes. */
const MOST = 3;

/** Where a live playback is: how far behind the live edge, and how far it should be, in seconds; null: not known. */
export interface Behind {
  readonly latency: number | null;
  readonly target: number | null;
}

export type RatedElement = Pick<HTMLMediaElement, 'paused' | 'playbackRate' | 'seeking'>;

/** Has playback catch up with what its start, or a stall, has cost: hls.js by itself leaves the rate as it is. */
export class CatchUp {
  /** Whether the rate is the one that was set here. */
  #isOn = false;

  look(element: RatedElement | undefined, { latency, target }: Behind): void {
    if (!element) return;
    const isOwn = this.#isOn && element.playbackRate === 1 + CATCH_UP;
    // The page has another rate.
    if (!isOwn && element.playbackRate !== 1) return void (this.#isOn = false);
    const behind = latency === null || target === null ? 0 : latency - target;
    const isDue = !element.paused && !element.seeking && behind > (isOwn ? ENDS : BEGINS) && behind < MOST;
    this.#isOn = isDue;
    if (isDue !== isOwn) element.playbackRate = isDue ? 1 + CATCH_UP : 1;
  }

  /** Playback is somebody else's. */
  end(element: RatedElement | undefined): void {
    this.look(element, { latency: null, target: null });
  }
}
