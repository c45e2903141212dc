import { UserError } from '../../tools/setup/process.mjs';
import { seededRandom } from '../sim/random.js';

/** Segments before a place that players may have: the one that they began with, and a fragment of the one before. */
const BEHIND = 1;

/** Segments beyond the buffer's that may have come while a place was watched: the one that was in flight, and two for what was watched. */
const AHEAD = 3;

/** Segments that must follow a place, so that there is something to watch. */
const FOLLOWING = 1;

/** A video, as far as places in it matter. `segmentDuration` in seconds, `buffer` in segments. */
export interface SeekableVideo {
  readonly segments: number;
  readonly segmentDuration: number;
  readonly buffer: number;
}

/**
 * Media times to jump to one after the other, s: the same for the same seed. Each lies in a segment that a player which held `buffer` segments
 * from the place before on has none of. Throws a `UserError` where the video is too short for that.
 */
export function seekPlaces(
  seed: number,
  count: number,
  { segments, segmentDuration, buffer }: SeekableVideo,
): number[] {
  const random = seededRandom(seed);
  let last = 0;
  return Array.from({ length: count }, () => {
    const free = Array.from({ length: Math.max(0, segments - FOLLOWING) }, (_, segment) => segment).filter(
      (segment) => segment < last - BEHIND || segment > last + buffer + AHEAD,
    );
    const next = free[Math.floor(random.uniform() * free.length)];
    if (next === undefined)
      throw new UserError(`seeks: a video of ${segments} segments has no place that is not buffered`);
    last = next;
    return (next + random.uniform()) * segmentDuration;
  });
}
