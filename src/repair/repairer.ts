import { fragmentReaders, type Track } from './codecs.js';
import { applyEdits, type Edit, growth } from './edits.js';
import { missing, unsupported } from './errors.js';
import { type EncryptionOf, type Fragment, parseFragments } from './fmp4.js';
import { type ResizedSample, resizeSamples } from './fmp4-resize.js';
import { hold } from './hold.js';
import { removeMissing } from './removal.js';
import { removeSamples, type WritablePiece } from './remove-samples.js';
import { clearSubsamples, isClear } from './subsamples.js';
import type {
  ChunkState,
  FrameReport,
  HoldableFrame,
  ReceivedBytes,
  RepairedSegment,
  Repairer,
  RepairPlan,
} from './types.js';

/** A segment, or what is known of one for a piece, of which a part has arrived. */
export interface Arrived {
  readonly segment: Uint8Array;
  readonly received: ReceivedBytes;
  /** Undefined: all of it. */
  readonly piece?: WritablePiece | undefined;
}

/** Replaces what is missing of the frames of a track by what their codec has for it, or takes it out where a plan says so. */
export function repairArrived(track: Track, arrived: Arrived, plan?: RepairPlan, before?: ChunkState): RepairedSegment {
  if (plan?.kind !== 'remove') return replaceMissing(track, arrived, plan?.frames, before);
  const { segment, received, piece } = arrived;
  const fragments = readFragments(arrived, () => parseFragments(segment, undefined, track.defaults));
  return removeMissing(track, segment, fragments, received, plan.frames, before, piece);
}

/** The repairer of whole segments. */
export function trackRepairer(track: Track): Pick<Repairer, 'needsPlan' | 'repair'> {
  return {
    needsPlan: track.descriptions.some(({ whyNot }) => whyNot),
    repair: (segment, received, plan, before) => repairArrived(track, { segment, received }, plan, before),
  };
}

/** Replaces what is missing of a segment's frames, or of a piece's, but for those in whose place the one before is held. */
function replaceMissing(
  track: Track,
  arrived: Arrived,
  plan: readonly HoldableFrame[] | undefined,
  before: ChunkState | undefined,
): RepairedSegment {
  const { segment, piece } = arrived;
  const { frames, referenced, edits } = readFrames(track, arrived);
  const bytes = applyEdits(segment, edits);
  const { removed, run } = hold(track, bytes, frames, referenced, plan ?? [], before?.held);
  const removal = { removed, replaced: new Map<number, Uint8Array>() };
  const reports = frames.map((frame) => (removed.has(frame.index) ? { ...frame, removed: true } : frame));
  if (!piece) return { bytes: removed.size > 0 ? removeSamples(track, bytes, removal) : bytes, frames: reports };
  const written = piece.write(bytes, { ...removal, decodedUntil: before?.decodedUntil });
  return { bytes: written.bytes, frames: reports, after: { decodedUntil: written.decodedUntil, held: run } };
}

/** The frames of a segment, or of a piece, those of them that others may refer to, and what stands in for what is missing of them. */
function readFrames(
  track: Track,
  arrived: Arrived,
): { readonly frames: FrameReport[]; readonly referenced: ReadonlySet<number>; readonly edits: readonly Edit[] } {
  const { segment, piece: { from, to, start } = { from: 0, to: Infinity, start: 0 } } = arrived;
  // Of samples before the piece everything counts as here: they are appended, and only read for what they say of later ones.
  const received: ReceivedBytes = {
    contains: (first, end) => end <= start || arrived.received.contains(Math.max(first, start), end),
  };
  const encryptionOf: EncryptionOf = (description) => track(description).encryption;
  const frames: FrameReport[] = [];
  const referenced = new Set<number>();
  const edits: Edit[] = [];
  const readerOf = fragmentReaders(track, segment, received);
  let index = -1;
  for (const fragment of readFragments(arrived, () => parseFragments(segment, encryptionOf))) {
    const { codec } = track(fragment.description);
    const read = readerOf(fragment);
    const resized: ResizedSample[] = [];
    for (const sample of fragment.samples) {
      index++;
      if (index >= to) break;
      const { offset, size, sizeField, subsamples } = sample;
      const end = offset + size;
      if (sizeField === undefined && !received.contains(offset, end))
        throw missing(`sample at ${offset}, which cannot change its size`);
      const coded = read(offset, end);
      if (index < from) continue;
      const replaced = coded.flatMap(({ parts, edits, isReference, ...frame }) => {
        // What has been parsed of an encrypted sample must not be encrypted, whatever it looks like.
        const isReadable = parts.every((part) => isClear(offset, subsamples ?? [], part.start, part.headerEnd));
        if (!isReadable) throw unsupported('slice headers that are encrypted');
        const slices = parts.length;
        if (isReference) referenced.add(index);
        frames.push({ index, ...frame, slices, repairedSlices: edits.length, removed: false });
        return edits;
      });
      edits.push(...replaced);
      if (subsamples) edits.push(...clearSubsamples(offset, subsamples, replaced));
      const grown = growth(replaced);
      // The clear bytes of a subsample are few (16 bits): a filler may have more.
      const filler = subsamples ? undefined : codec.filler(-grown);
      if (filler) edits.push({ start: end, end, data: filler });
      else if (grown !== 0) resized.push({ sample, growth: grown });
    }
    edits.push(...resizeSamples(segment, fragment, resized));
  }
  return { frames, referenced, edits };
}

/** The segment's fragments; all bytes outside the sample data must be here. */
function readFragments({ segment, received }: Arrived, parse: () => Fragment[]): Fragment[] {
  let fragments: Fragment[];
  try {
    fragments = parse();
  } catch (error) {
    if (received.contains(0, segment.length)) throw error;
    throw missing('movie fragment header is missing', error);
  }
  const isHeaderHere = fragments.every(({ start, mdatPayload }) => received.contains(start, mdatPayload));
  if (!isHeaderHere || !received.contains(fragments.at(-1)!.end, segment.length)) {
    throw missing('bytes outside the sample data are missing');
  }
  return fragments;
}
