/** The picture that stands at a media time is at most so old, s: no video has fewer pictures a second. */
export const LONGEST_PICTURE = 1 / 10;

/** Media times beyond the place of a jump at which a player may begin, s: more is another place. */
const LATEST_BEGINNING = 0.5;

/**
 * Whether the picture with `mediaTime` is one of the place `to` of a jump, both in seconds: that which stands there, or a later one of the same
 * place. `frameSeconds`: how long a picture stands.
 */
export function isOfPlace(mediaTime: number, to: number, frameSeconds = LONGEST_PICTURE): boolean {
  return mediaTime > to - frameSeconds && mediaTime < to + LATEST_BEGINNING;
}
