import { frameSecondsOf } from '../../demo/first-pictures.js';
import { isOfPlace } from '../../player/viewing/place.js';
import { everyPicture, interruptions } from './live/interruptions.js';
import type { Outage } from './outage.js';
import type { PlaybackRecord, SeekAction, ShownPicture } from './page/types.js';
import { PATIENCE } from './viewer.js';

/** What a viewer waited for until a picture was there, and whether playback went on from it. */
export interface FirstPicture {
  /** Seconds from the action to the picture. */
  readonly seconds: number;
  /** Seconds without a new picture in those that follow: what came too soon is paid for here. */
  readonly waitedAfter: number;
}

/** A jump; `to` is its media time, s. */
export interface SeekPicture extends FirstPicture {
  readonly to: number;
}

/** Seconds from an action to the first right picture, by `requestVideoFrameCallback`. */
export interface FirstPictures {
  /** From the player's start. Where nothing is shown, here and below, the viewer's patience counts. */
  readonly start: FirstPicture;
  /** From each jump to a place of which nothing was buffered. */
  readonly seeks: readonly SeekPicture[];
  /** From the end of each outage of the link in which the video had come to stand. */
  readonly resumes: readonly FirstPicture[];
}

/** What is known of a session. Times in ms since 1970. */
export interface SeenPictures extends Pick<PlaybackRecord, 'times' | 'pictures'> {
  readonly seeks: readonly SeekAction[];
  /** Seconds of the link's time, in order. */
  readonly outages: readonly Outage[];
}

/** Seconds after a first picture in which playback should not wait again. */
const FOLLOWED_SECONDS = 4;

/** A video stands when no picture has come for so long, ms. */
const STANDS_MS = 500;

const NOTHING_SHOWN: FirstPicture = { seconds: PATIENCE, waitedAfter: 0 };

export function firstPictures(seen: SeenPictures): FirstPictures {
  const { times, pictures, seeks } = seen;
  const frameSeconds = frameSecondsOf(pictures.map(([, mediaTime]) => mediaTime));
  const shownAt = everyPicture(pictures).map(([at]) => at);
  const pictureAfter = (at: number, isRight: (picture: ShownPicture) => boolean, until: number) => {
    const picture = pictures.find((one) => one[0] > at && one[0] <= until && isRight(one));
    if (!picture) return NOTHING_SHOWN;
    return { seconds: (picture[0] - at) / 1000, waitedAfter: waitedFrom(picture[0], until) };
  };
  const waitedFrom = (from: number, until: number): number => {
    const to = Math.min(from + 1000 * FOLLOWED_SECONDS, until, shownAt.at(-1) ?? from);
    return interruptions(shownAt, { from, to }, frameSeconds).seconds;
  };
  const firstSeek = seeks[0]?.at ?? Infinity;
  return {
    start: pictureAfter(times.start, () => true, firstSeek),
    seeks: seeks.flatMap((seek, index) => {
      if (seek.buffered) return [];
      const next = seeks[index + 1]?.at ?? Infinity;
      const isRight = (picture: ShownPicture) => isRightPicture(picture, seek, frameSeconds);
      return { to: seek.to, ...pictureAfter(seek.at, isRight, next) };
    }),
    resumes: resumesOf(seen, pictureAfter),
  };
}

/** Whether a picture is one of the place of a jump. Another place's, which the browser may still show, is none. */
export function isRightPicture(
  [at, mediaTime]: ShownPicture,
  seek: Pick<SeekAction, 'at' | 'to'>,
  frameSeconds?: number,
): boolean {
  return at > seek.at && isOfPlace(mediaTime, seek.to, frameSeconds);
}

type PictureAfter = (at: number, isRight: (picture: ShownPicture) => boolean, until: number) => FirstPicture;

function resumesOf(
  { times: { request, end }, pictures, outages }: SeenPictures,
  pictureAfter: PictureAfter,
): FirstPicture[] {
  return outages.flatMap(({ stop }, index) => {
    const at = request + 1000 * stop;
    const nextOutage = outages[index + 1]?.start;
    const until = nextOutage === undefined ? Infinity : request + 1000 * nextOutage;
    const last = pictures.findLast(([shownAt]) => shownAt <= at);
    if (!last || at - last[0] < STANDS_MS || at > end) return [];
    return pictureAfter(at, ([, mediaTime]) => mediaTime > last[1], until);
  });
}
