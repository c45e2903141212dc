import type { ByteRange } from '../src/manifest/byte-range.js';
import { estimateScore } from '../src/manifest/score-estimate.js';
import type { SegmentMap } from '../src/manifest/segment-map.js';
import type { FrameReport, ReceivedBytes } from '../src/repair/types.js';
import type { FrameState, SegmentRecord } from './types.js';

/** What one delivery says about a segment; positions count from the segment's first byte. */
export interface SegmentOutcome extends Pick<
  SegmentRecord,
  | 'index'
  | 'startTime'
  | 'duration'
  | 'representation'
  | 'bandwidth'
  | 'level'
  | 'delivery'
  | 'bytesReliable'
  | 'bytesUnreliable'
  | 'bytesLost'
  | 'bytesRefetched'
  | 'seconds'
> {
  readonly map: SegmentMap;
  readonly received: ReceivedBytes;
  /** Asked for, sent, not here. */
  readonly lost: readonly ByteRange[];
  /** In decode order; empty where the segment could not be parsed. */
  readonly frames: readonly FrameReport[];
}

/** Counts and classifies the frames of a delivered segment and estimates its score. */
export function createSegmentRecord({ map, received, lost, frames, ...facts }: SegmentOutcome): SegmentRecord {
  const states = frameStates(map, received, lost, frames);
  const { bytesReliable, bytesUnreliable, bytesRefetched, seconds } = facts;
  return {
    ...facts,
    levels: map.steps.length,
    framesTotal: states.length,
    framesSkipped: states.filter((state) => state === 'skipped').length,
    framesRepaired: states.filter((state) => state === 'repaired').length,
    score: estimateScore(map, ({ start, end }) => received.contains(start - map.range.start, end - map.range.start)),
    // A download can end within one tick of a coarse clock.
    throughput: seconds > 0 ? ((bytesReliable + bytesUnreliable - bytesRefetched) * 8) / seconds : 0,
    frames: states,
  };
}

/** One state per frame, in decode order. A frame that was skipped in part and lost in part counts as `repaired`. */
function frameStates(
  map: SegmentMap,
  received: ReceivedBytes,
  lost: readonly ByteRange[],
  frames: readonly FrameReport[],
): FrameState[] {
  const states: FrameState[] = frames.map(() => 'reliable');
  for (const { start, end } of map.unreliable) {
    const range = { start: start - map.range.start, end: end - map.range.start };
    const frame = frameAt(frames, range.start);
    if (frame === -1 || states[frame] === 'repaired') continue;
    if (!received.contains(range.start, range.end)) {
      states[frame] = lost.some((hole) => hole.start < range.end && range.start < hole.end) ? 'repaired' : 'skipped';
    } else if (states[frame] === 'reliable') {
      states[frame] = 'complete';
    }
  }
  return states;
}

/** The frame that holds `position`, by binary search: frames lie in the segment in decode order. -1: none does. */
function frameAt(frames: readonly FrameReport[], position: number): number {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frames[middle]!.start + frames[middle]!.bytes <= position) low = middle + 1;
    else high = middle;
  }
  return low < frames.length && frames[low]!.start <= position ? low : -1;
}
