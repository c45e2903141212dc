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
  const repaired = reports.filter(({ repairedSlices, removed }) => removed || repairedSlices > 0);
  return {
    states: frameStates(map, arrival, reports),
    repairedFrames: repaired.length,
    repairedSlices: repaired.reduce((sum, { repairedSlices }) => sum + repairedSlices, 0),
    removed: repaired.flatMap(({ index, removed }) => (removed ? [index] : [])),
  };
}

/** What may become of the bytes of a range, from the best to the worst. */
const arrivals = ['complete', 'skipped', 'repaired'] as const;

/** One state per frame, in decode order. A frame that was skipped in part and lost in part counts as `repaired`. */
function frameStates(map: SegmentLayout, arrival: Arrival, reports: readonly FrameReport[]): FrameState[] {
  const worst = reports.map(() => -1);
  for (const [index, arrived] of rangeArrivals(map, arrival).entries()) {
    const start = map.unreliable[index]!.start - map.range.start;
    // Frames lie in the segment in decode order.
    const frame = search(reports.length, (place) => reports[place]!.start + reports[place]!.bytes > start);
    const report = reports[frame];
    if (!report || report.start > start) continue;
    // Where frames are taken out, a sample may have others beside the one that is shown: it is here without them.
    const isHere = map.needs !== undefined && !report.removed;
    worst[frame] = Math.max(worst[frame]!, isHere ? 0 : arrived);
  }
  return worst.map((arrived, frame) => {
    // One that is here went with another, which has only come since the piece with it was handed over.
    if (arrived === 0 && reports[frame]!.removed) return 'repaired';
    return arrivals[arrived] ?? 'reliable';
  });
}

/** For each unreliable range its place in `arrivals`; of one that came, the worst of those that it needs. */
function rangeArrivals({ range, unreliable, needs }: SegmentLayout, { received, lost }: Arrival): number[] {
  const gaps = new IntervalSet(lost);
  const found: number[] = [];
  for (const [index, place] of unreliable.entries()) {
    const { start, end } = shifted(place, -range.start);
    const [gap] = gaps.gaps(start, end);
    // Whether any of it was lost.
    const missing = gap?.start !== start || gap.end !== end ? 2 : 1;
    const own = received.contains(start, end) ? 0 : missing;
    found.push(own || Math.max(0, ...(needs?.[index] ?? []).map((earlier) => found[earlier] ?? 0)));
  }
  return found;
}
