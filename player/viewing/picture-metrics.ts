/** ms that a picture may stand: longer, and viewers call it still. WebRTC's `freezeCount` draws its line there, too, at 150 ms and a picture of 20 to 25 fps. */
const LONGEST_PICTURE = 200;

/** Sums over the time in which pictures were to be shown. */
export interface PictureSummary {
  readonly pictures: number;
  /** Seconds in which pictures were to be shown: from the first on, stalls with them. */
  readonly seconds: number;
  /** Seconds of pictures that stood for more than .2 s, all of each, and of the longest. */
  readonly stillSeconds: number;
  readonly longestStill: number;
}

/** How long pictures stand, by when each was shown. Times in ms on one clock. */
export class PictureMetrics {
  #last: { readonly at: number; readonly count: number | undefined } | undefined;
  #pictures = 0;
  #shownMs = 0;
  #stillMs = 0;
  #longestMs = 0;

  /**
   * A picture was shown. `count`: pictures that the browser has shown so far, this one with them: a busy page is not told of each, and
   * the others came evenly between two of which it is.
   */
  add(at: number, count: number): void {
    const last = this.#last;
    if (last) this.#stood(at - last.at, Math.max(1, count - (last.count ?? count)));
    this.#last = { at, count };
  }

  /** Pictures are to follow again; the one on the screen stands from now on. */
  resume(at: number): void {
    this.#last ??= { at, count: undefined };
  }

  /** No picture is to follow for now: what stands counts until then. */
  interrupt(at: number): void {
    if (this.#last) this.#stood(at - this.#last.at, 1);
    this.#last = undefined;
  }

  /** No picture follows: how long the last one stands says nothing. */
  end(): void {
    this.#last = undefined;
  }

  /** With what stands at `now`, where that is still. */
  summary(now: number): PictureSummary {
    const open = this.#last ? now - this.#last.at : 0;
    // A page that was busy learns a moment later that there were pictures.
    const still = open > LONGEST_PICTURE ? open : 0;
    return {
      pictures: this.#pictures + (still > 0 ? 1 : 0),
      seconds: (this.#shownMs + still) / 1000,
      stillSeconds: (this.#stillMs + still) / 1000,
      longestStill: Math.max(this.#longestMs, still) / 1000,
    };
  }

  #stood(milliseconds: number, pictures: number): void {
    const each = Math.max(0, milliseconds) / pictures;
    this.#pictures += pictures;
    this.#shownMs += each * pictures;
    if (each > LONGEST_PICTURE) this.#stillMs += each * pictures;
    this.#longestMs = Math.max(this.#longestMs, each);
  }
}
