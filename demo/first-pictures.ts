import { isOfPlace, LONGEST_PICTURE } from '../player/viewing/place.js';

/** Time that a picture stands, s: the shortest step between media times of pictures, in their order. */
export function frameSecondsOf(mediaTimes: readonly number[]): number {
  const steps = mediaTimes.map((time, index) => time - (mediaTimes[index - 1] ?? time));
  return Math.min(LONGEST_PICTURE, ...steps.filter((step) => step > 1e-3));
}

/** Milliseconds until the first right picture was on the screen. Undefined: it did not happen, or has not yet. */
export interface FirstPictureTimes {
  /** From the request to play. */
  readonly startMs: number | undefined;
  /** From the last jump. */
  readonly seekMs: number | undefined;
  /** From the beginning of the last stall. */
  readonly resumeMs: number | undefined;
}

/** Start, last seek and last resume as a viewer has them, from the media element's events and its pictures; ms on one clock. */
export class FirstPictureMeter {
  #requestedAt: number | undefined;
  #startMs: number | undefined;
  #seekMs: number | undefined;
  #resumeMs: number | undefined;
  #seek: { readonly at: number; readonly to: number } | undefined;
  #stalledAt: number | undefined;

  /** `requestedAt`: when playback was asked for; absent: `play` says so. */
  constructor(requestedAt?: number) {
    this.#requestedAt = requestedAt;
  }

  get times(): FirstPictureTimes {
    return { startMs: this.#startMs, seekMs: this.#seekMs, resumeMs: this.#resumeMs };
  }

  /** Playback was asked for. */
  play(at: number): void {
    this.#requestedAt ??= at;
  }

  /** A jump to the media time `to`, s; one before it that showed nothing is forgotten. */
  seek(at: number, to: number): void {
    this.#stalledAt = undefined;
    if (this.#startMs !== undefined) this.#seek = { at, to };
  }

  /** Nothing is there to play. */
  wait(at: number): void {
    if (this.#startMs !== undefined && !this.#seek) this.#stalledAt ??= at;
  }

  /** What is shown next is no end of a stall: playback was stopped, or is over. */
  stop(): void {
    this.#stalledAt = undefined;
  }

  /** A picture is on the screen. */
  picture(at: number, mediaTime: number): void {
    this.#startMs ??= at - (this.#requestedAt ?? at);
    if (this.#seek) {
      if (!isOfPlace(mediaTime, this.#seek.to)) return;
      this.#seekMs = at - this.#seek.at;
      this.#seek = undefined;
    } else if (this.#stalledAt !== undefined && at > this.#stalledAt) {
      this.#resumeMs = at - this.#stalledAt;
      this.#stalledAt = undefined;
    }
  }
}

/** Feeds a meter from a media element, whose events and pictures are on the clock of `performance.now()`. */
export function meterFirstPictures(video: HTMLVideoElement, requestedAt?: number): () => FirstPictureTimes {
  const meter = new FirstPictureMeter(requestedAt);
  video.addEventListener('play', ({ timeStamp }) => meter.play(timeStamp));
  video.addEventListener('seeking', ({ timeStamp }) => meter.seek(timeStamp, video.currentTime));
  video.addEventListener('waiting', ({ timeStamp }) => meter.wait(timeStamp));
  for (const type of ['pause', 'ended']) video.addEventListener(type, () => meter.stop());
  const look = (_: number, { expectedDisplayTime, mediaTime }: VideoFrameCallbackMetadata): void => {
    meter.picture(expectedDisplayTime, mediaTime);
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  return () => meter.times;
}
