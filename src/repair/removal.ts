import type { Description, Track } from './codecs.js';
import { malformed, missing, unsupported } from './errors.js';
import { decodeTimes, type Fragment } from './fmp4.js';
import type { ByteRange } from './missing.js';
import { removeSamples, type WritablePiece } from './remove-samples.js';
import { concatenate } from '../concatenate.js';
import { indexBytes, superframeIndex, superframeRanges } from './superframe.js';
import type { ChunkState, FrameReport, ReceivedBytes, RemovableFrame, RepairedSegment } from './types.js';

/** Sample entry of the codec whose samples have an index of their frames. */
const SUPERFRAMES = 'vp09';

/** A range of a plan, and whether it goes. */
interface PlannedRange extends ByteRange {
  readonly goes: boolean;
}

/** What becomes of a sample: its pieces with those carried to it, undefined where it stays as it is. */
interface Outcome {
  readonly isRemoved: boolean;
  readonly pieces: readonly Uint8Array[] | undefined;
  readonly hasIndex: boolean;
}

/**
 * Takes out of a segment, or of a piece of one, every frame of the plan of which a byte is missing, with all that need it. `before`: the
 * segment is a chunk, or there are pieces before, and that is left of what came before. Throws `RepairError`.
 */
export function removeMissing(
  track: Track,
  segment: Uint8Array,
  fragments: readonly Fragment[],
  received: ReceivedBytes,
  plan: readonly RemovableFrame[],
  before?: ChunkState,
  piece?: WritablePiece,
): RepairedSegment {
  const { gone, planned } = plannedRanges(plan, received, piece, before?.gone);
  let isSame = planned.every(({ goes }) => !goes);
  const frames: FrameReport[] = [];
  const removed = new Set<number>();
  const replaced = new Map<number, Uint8Array>();
  let carried = before?.carried ?? [];
  let index = -1;
  for (const { samples, description } of fragments) {
    for (const { offset: start, size } of samples) {
      index++;
      if (piece && (index < piece.from || index >= piece.to)) continue;
      const ranges = take(planned, start, start + size, received);
      const sample = segment.subarray(start, start + size);
      const { isRemoved, pieces, hasIndex } = cut(sample, ranges, track(description), carried);
      frames.push({ index, start, bytes: size, type: undefined, slices: 0, repairedSlices: 0, removed: isRemoved });
      if (!pieces) continue;
      isSame = false;
      carried = isRemoved ? pieces : [];
      if (isRemoved) removed.add(index);
      else replaced.set(index, concatenate(hasIndex ? [...pieces, superframeIndex(pieces)] : pieces));
    }
  }
  if (planned.length > 0) throw malformed(`frame at ${planned.at(-1)!.start} lies in no sample`);
  const isFirst = before?.decodedUntil === undefined;
  if (isFirst && removed.has(0)) throw missing('the first sample of the segment is missing');
  if (piece) {
    const { bytes, decodedUntil } = piece.write(segment, { removed, replaced, ...before });
    return { bytes, frames, after: { carried, decodedUntil, gone } };
  }
  if (!before) return { bytes: isSame ? segment : removeSamples(track, segment, { removed, replaced }), frames };
  const [start, end] = decodeTimes(fragments);
  const decodedUntil = before.decodedUntil ?? start;
  const bytes =
    isSame && decodedUntil === start ? segment : removeSamples(track, segment, { removed, replaced, decodedUntil });
  return { bytes, frames, after: { carried, decodedUntil: removed.size < frames.length ? end : decodedUntil } };
}

/**
 * The ranges of a plan that lie in a segment, or in a piece of it, the first one last; and which frames are `gone` when that is appended.
 * Of pieces before, those stay and go that did.
 */
function plannedRanges(
  plan: readonly RemovableFrame[],
  received: ReceivedBytes,
  { start: first, end: last } = { start: -Infinity, end: Infinity },
  before: ReadonlySet<number> = new Set(),
): { readonly planned: PlannedRange[]; readonly gone: ReadonlySet<number> } {
  const goes: boolean[] = [];
  for (const { start, end, needs } of plan) {
    const index = goes.length;
    const isSound = needs.every((need) => need >= 0 && need < index);
    if (!isSound) throw malformed(`frame ${index} of the plan needs one that does not stand before it`);
    const isAppended = start < first;
    goes.push(isAppended ? before.has(index) : !received.contains(start, end) || needs.some((need) => goes[need]));
  }
  const all = plan.map(({ start, end }, index) => ({ start, end, goes: goes[index]! }));
  return {
    planned: all.filter(({ start }) => start >= first && start < last).sort((left, right) => right.start - left.start),
    gone: new Set([...all.keys()].filter((index) => all[index]!.goes && all[index]!.start < last)),
  };
}

/** Takes the ranges of a sample, from its first byte, off their end. All others of its bytes must have arrived. */
function take(planned: PlannedRange[], first: number, last: number, received: ReceivedBytes): PlannedRange[] {
  const taken: PlannedRange[] = [];
  let at = first;
  const arrivedUntil = (end: number): void => {
    if (!received.contains(at, end)) throw missing(`bytes from ${at} on that are in no frame of the plan are missing`);
  };
  while (planned.length > 0 && planned.at(-1)!.start < last) {
    const { start, end, goes } = planned.pop()!;
    if (!(at <= start && start < end && end <= last))
      throw malformed(`frame at ${start} lies across others or samples`);
    arrivedUntil(start);
    taken.push({ start: start - first, end: end - first, goes });
    at = end;
  }
  arrivedUntil(last);
  return taken;
}

/** Takes the ranges that go out of a sample, and puts before it what was `carried` from the last ones. */
function cut(
  sample: Uint8Array,
  planned: readonly PlannedRange[],
  { type, encryption }: Description,
  carried: readonly Uint8Array[],
): Outcome {
  const whole: ByteRange = { start: 0, end: sample.length };
  const last = planned.at(-1);
  const isWhole = planned.length === 1 && last!.start === 0 && last!.end === sample.length;
  if (encryption && (carried.length > 0 || (last && !isWhole)))
    throw unsupported('frames in parts of encrypted samples');
  const gone = planned.filter(({ goes }) => goes);
  const hasIndex = type === SUPERFRAMES && !encryption;
  // What is read to split a sample must have arrived: its last byte, and the index that this announces.
  if (hasIndex && last && !isWhole && last.end > sample.length - Math.max(indexBytes(sample), 1))
    throw malformed('a frame of the plan lies across the index of its sample');
  const ranges = hasIndex && !(isWhole && gone.length > 0) ? superframeRanges(sample) : [whole];
  const isRemoved = gone.at(-1)?.end === ranges.at(-1)!.end;
  if (gone.length === 0 && carried.length === 0) return { isRemoved, pieces: undefined, hasIndex };
  const pieces = ranges.map((range) => without(sample, range, gone)).filter(({ length }) => length > 0);
  return { isRemoved, pieces: [...carried, ...pieces], hasIndex };
}

/** The bytes of a range that are in none of the `gone` ones, which ascend. */
function without(sample: Uint8Array, { start, end }: ByteRange, gone: readonly ByteRange[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = start;
  for (const range of gone) {
    if (range.start > at) parts.push(sample.subarray(at, Math.min(range.start, end)));
    at = Math.max(at, range.end);
  }
  if (at < end) parts.push(sample.subarray(at, end));
  return concatenate(parts);
}
