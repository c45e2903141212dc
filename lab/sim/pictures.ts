import { lastMissing } from '../../src/manifest/score-estimate.js';
import { missingBytes, type DeliveredSegment } from './delivered-segment.js';

/** How the pictures of a segment follow each other. */
export interface SegmentPictures {
  /** New ones: what stands in a missing frame's place is none. */
  readonly pictures: number;
  /** Seconds of its media that one stands at most. */
  readonly longestStill: number;
}

/**
 * A segment begins with a key frame, which always comes; the others lie evenly in time and in the file in the order of decoding, which differs
 * from that of display by a few frames. Slices of a frame count in part. `seconds`: of the segment.
 */
export function segmentPictures(delivered: DeliveredSegment, seconds: number): SegmentPictures {
  const { map, received } = delivered;
  const { unreliable, steps, range } = map;
  const places = unreliable.length + 1;
  const all = steps.at(-1)!.frames + 1;
  const period = seconds / places;
  if (missingBytes(delivered) === 0) return { pictures: all, longestStill: period };
  const isHere = (index: number) =>
    received.contains(unreliable[index]!.start - range.start, unreliable[index]!.end - range.start);
  const isNew = lastMissing(map, isHere).map((last) => last < 0);
  const order = unreliable.map((_, index) => index).sort((a, b) => unreliable[a]!.start - unreliable[b]!.start);
  let [found, stands, longest] = [1, period, 0];
  for (const index of order) {
    longest = Math.max(longest, stands);
    if (isNew[index]) [found, stands] = [found + 1, 0];
    stands += period;
  }
  return { pictures: (found * all) / places, longestStill: Math.max(longest, stands) };
}
