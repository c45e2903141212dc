import type { FramePart } from './codec.js';
import { fragmentReaders, type Track } from './codecs.js';
import { applyEdits, type Edit, growth } from './edits.js';
import { missing, unsupported } from './errors.js';
import { type EncryptionOf, type Fragment, parseFragments } from './fmp4.js';
import { type ResizedSample, resizeSamples } from './fmp4-resize.js';
import type { Plans } from './plans.js';
import type { WritablePiece } from './remove-samples.js';
import type { ChunkState, FrameReport, ReceivedBytes, RepairedSegment, Repairer, RepairPlan } from './types.js';

/** What is taken out where nothing is. */
const NOTHING = { removed: new Set<number>(), replaced: new Map<number, Uint8Array>() };

/** A segment, or what is known of one for a piece, of which a part has arrived. */
export interface Arrived {
  readonly segment: Uint8Array;
  readonly received: ReceivedBytes;
  /** Undefined: all of it. */
  readonly piece?: WritablePiece | undefined;
}

/** What a repairer works with. */
export interface Means {
  readonly track: Track;
  /** Undefined: no plan is followed. */
  readonly plans: Plans | undefined;
}

/** Replaces what is missing of the frames of a track by what their codec has for it, or takes it out where a plan says so. */
export function repairArrived(means: Means, arrived: Arrived, plan?: RepairPlan, before?: ChunkState): RepairedSegment {
  const { track, plans } = means;
  if (!plans || plan?.kind !== 'remove') return replaceMissing(means, arrived, plan, before);
  const { segment, received, piece } = arrived;
  return plans.removeMissing(track, segment, readWhole(track, arrived), received, plan.frames, before, piece);
}

/** Leaves what is complete as it is, whatever it is made of: its samples are not read. */
export function keepComplete(means: Means, arrived: Arrived, before?: ChunkState): RepairedSegment {
  if (means.plans) return repairArrived(means, arrived, { kind: 'remove', frames: [] }, before);
  const { segment, piece } = arrived;
  const frames = readWhole(means.track, arrived)
    .flatMap(({ samples }) => samples)
    .map(({ offset: start, size: bytes }, index) => ({
      ...{ index, start, bytes, type: undefined },
      ...{ slices: 0, repairedSlices: 0, removed: false },
    }))
    .slice(piece?.from, piece?.to);
  if (!piece) return { bytes: segment, frames };
  const { bytes, ...after } = piece.write(segment, { ...NOTHING, ...before });
  return { bytes, frames, after };
}

/** The repairer of whole segments. */
export function trackRepairer(means: Means): Pick<Repairer, 'needsPlan' | 'isSound' | 'repair'> {
  return {
    isSound: means.track.isSound,
    needsPlan: means.track.descriptions.some(({ whyNot }) => whyNot),
    repair: (segment, received, plan, before) => repairArrived(means, { segment, received }, plan, before),
  };
}

/** Replaces what is missing of a segment's frames, or of a piece's, but for those in whose place the one before is held. */
function replaceMissing(
  { track, plans }: Means,
  arrived: Arrived,
  plan: RepairPlan | undefined,
  before: ChunkState | undefined,
): RepairedSegment {
  const { segment, piece } = arrived;
  const { frames, referenced, edits } = readFrames(track, arrived);
  const bytes = applyEdits(segment, edits);
  const reaches = plan?.kind === 'hold' ? plan.frames : [];
  const held = plans?.hold?.(track, bytes, frames, referenced, reaches, before?.held);
  const removal = { ...NOTHING, ...held };
  const { removed } = removal;
  const reports = frames.map((frame) => (removed.has(frame.index) ? { ...frame, removed: true } : frame));
  if (!piece)
    return {
      bytes: plans?.hold && removed.size > 0 ? plans.removeSamples(track, bytes, removal) : bytes,
      frames: reports,
    };
  const written = piece.write(bytes, { ...removal, decodedUntil: before?.decodedUntil });
  return { bytes: written.bytes, frames: reports, after: { decodedUntil: written.decodedUntil, held: held?.run } };
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
    const { codec, encryption } = track(fragment.description);
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
        const isReadable = (part: FramePart): boolean =>
          !subsamples || encryption!.isClear(offset, subsamples, part.start, part.headerEnd);
        if (!parts.every(isReadable)) throw unsupported('slice headers that are encrypted');
        const slices = parts.length;
        if (isReference) referenced.add(index);
        frames.push({ index, ...frame, slices, repairedSlices: edits.length, removed: false });
        return edits;
      });
      edits.push(...replaced);
      if (subsamples) edits.push(...encryption!.clearSubsamples(offset, subsamples, replaced));
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

/** The segment's fragments, without their encryption: what becomes of a sample is not seen in it. */
const readWhole = (track: Track, arrived: Arrived): Fragment[] =>
  readFragments(arrived, () => parseFragments(arrived.segment, undefined, track.defaults));

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
