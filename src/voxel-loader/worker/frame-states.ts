import { shifted, type ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { search } from '../../manifest/search.js';
import type { FrameReport, ReceivedBytes } from '../../repair/types.js';
import type { FrameState, SegmentFrames, SegmentLayout } from '../types.js';

/** Which bytes of a segment are here, and which of the others were sent; positions count from its first byte. */
export interface Arrival {
  readonly received: ReceivedBytes;
  /** Asked for, sent, not here. */
  readonly lost: readonly ByteRange[];
}

/** Counts and classifies the frames of a segment. `reports`: empty where it could not be parsed. */
export function describeFrames(map: SegmentLayout, arrival: Arrival, reports: readonly FrameReport[]): SegmentFrames {
  const repaired = reports.filter(({ repairedSlices }) => repairedSlices > 0);
  return {
    states: frameStates(map, arrival, reports),
    repairedFrames: repaired.length,
    repairedSlices: repaired.reduce((sum, { repairedSlices }) => sum + repairedSlices, 0),
  };
}

/** One state per frame, in decode order. A frame that was skipped in part and lost in part counts as `repaired`. */
function frameStates(map: SegmentLayout, { received, lost }: Arrival, reports: readonly FrameReport[]): FrameState[] {
  const states: FrameState[] = reports.map(() => 'reliable');
  const gaps = new IntervalSet(lost);
  for (const place of map.unreliable) {
    const range = shifted(place, -map.range.start);
    // Frames lie in the segment in decode order.
    const frame = search(reports.length, (index) => reports[index]!.start + reports[index]!.bytes > range.start);
    const isWithin = frame < reports.length && reports[frame]!.start <= range.start;
    if (!isWithin || states[frame] === 'repaired') continue;
    if (!received.contains(range.start, range.end)) {
      const [gap] = gaps.gaps(range.start, range.end);
      // Whether any of it was lost.
      states[frame] = gap?.start !== range.start || gap.end !== range.end ? 'repaired' : 'skipped';
    } else if (states[frame] === 'reliable') {
      states[frame] = 'complete';
    }
  }
  return states;
}
