import { concatenate } from '../concatenate.js';
import { type Box, BoxReader } from './box-reader.js';
import type { Track } from './codecs.js';
import { malformed, RepairError, unsupported } from './errors.js';
import { type Fragment, parseFragments, type Sample } from './fmp4.js';
import { makeBox, sampleBoxes, u32, type WriteSampleBox } from './sample-boxes.js';
import type { CutPiece } from './types.js';

/** Version and flags of a `trun` (ISO/IEC 14496-12 §8.8.8): data offset; duration, size, flags and composition offset of each sample. */
const RUN = 0x01000f01;
const HEADER = 8;
const VERSION_1 = 0x01000000;

/** Samples of a segment that go, or change, by their place in decode order. */
export interface Removal {
  readonly removed: ReadonlySet<number>;
  /** Other bytes of samples that stay. */
  readonly replaced: ReadonlyMap<number, Uint8Array>;
  /**
   * When decoding ends of what came before the segment, which cannot be changed any more: the segment is a chunk. Its first sample that
   * stays is decoded from there on, and any may go. Undefined: a whole segment, whose first sample stays.
   */
  readonly decodedUntil?: number | undefined;
}

/** What `writePiece` returns. */
interface WrittenPiece {
  readonly bytes: Uint8Array;
  readonly decodedUntil: number;
}

/** A piece, and how it is written; of those who repair, only who cuts needs `writePiece`. */
export interface WritablePiece extends CutPiece {
  write(segment: Uint8Array, removal: Removal): WrittenPiece;
}

/** A sample of a segment; times count in the track's timescale. */
interface Timed {
  readonly sample: Sample;
  readonly data: Uint8Array;
  decodeTime: number;
  duration: number;
  shown: number;
}

/**
 * The segment without some samples, whatever they hold and however they are encrypted: the picture shown before one that goes stands until
 * the next one that stays. Throws `RepairError` (unsupported-stream, malformed).
 */
export function removeSamples(track: Track, segment: Uint8Array, removal: Removal): Uint8Array {
  const { removed, decodedUntil } = removal;
  const fragments = parseFragments(segment, undefined, track.defaults);
  const samples = timed(segment, fragments, removal);
  if (decodedUntil === undefined && removed.has(0)) throw malformed('the first sample of a segment cannot be removed');
  const end = endOf(samples);
  const kept = samples.filter((_, place) => !removed.has(place));
  if (kept.length > 0) {
    if (decodedUntil === undefined) timeByPresentation(kept, samples[0]!.decodeTime, end.shown, firstShown(samples));
    else timeByDecoding(kept, decodedUntil, end.decoded);
  }
  let place = 0;
  const parts = fragments.flatMap((fragment) => {
    const stays = fragment.samples.map(() => !removed.has(place++));
    return writeFragment(track, segment, fragment, stays, samples.slice(place - stays.length, place));
  });
  return concatenate([...parts, segment.subarray(fragments.at(-1)!.end)]);
}

/** Whether samples can be left out of a fragment: each of its boxes can be written for fewer. */
export function canLeaveOut(track: Track, segment: Uint8Array, fragment: Fragment): boolean {
  try {
    const [first] = fragment.samples;
    const samples = timed(segment, [fragment], { replaced: new Map() });
    if (first)
      writeFragment(
        track,
        segment,
        fragment,
        fragment.samples.map((sample) => sample === first),
        samples,
      );
    return true;
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    return false;
  }
}

/**
 * A piece of a segment, of which boxes may be missing behind it: without all other samples, and without those of its own that are
 * `removed`; and when its decoding ends. What is kept is shown when it was. Throws `RepairError` (unsupported-stream, malformed).
 */
export function writePiece(
  track: Track,
  segment: Uint8Array,
  { from, to, isLast }: Pick<CutPiece, 'from' | 'to' | 'isLast'>,
  removal: Removal,
): WrittenPiece {
  const { removed, replaced } = removal;
  const fragments = parseFragments(segment, undefined, track.defaults);
  const samples = timed(segment, fragments, removal);
  if (!(from < to && to <= samples.length)) throw malformed(`a piece of samples ${from} to ${to} of ${samples.length}`);
  const stays = samples.map((_, place) => place >= from && place < to && !removed.has(place));
  const kept = samples.filter((_, place) => stays[place]);
  const { decodeTime } = samples[from]!;
  const { decodedUntil = decodeTime } = removal;
  const isAsItWas = removed.size === 0 && replaced.size === 0 && decodedUntil === decodeTime;
  const end = endOf(samples, to);
  let ends = end.decoded;
  if (kept.length === 0) ends = decodedUntil;
  else if (!isAsItWas) {
    ends = timeByPresentation(kept, decodedUntil, end.shown, from === 0 ? firstShown(samples) : undefined);
    // Until its first picture the one before stands, which cannot be changed any more; decoding must not stop.
    kept[0]!.duration += Math.max(end.decoded - ends, 0);
    ends = decodeFrom(kept, decodedUntil);
  }
  let place = 0;
  const parts = fragments.flatMap((fragment) => {
    const at = place;
    place += fragment.samples.length;
    const beginsHere = at >= from && (at < to || isLast);
    if (isAsItWas && beginsHere && place <= to) return [segment.subarray(fragment.start, fragment.end)];
    return writeFragment(track, segment, fragment, stays.slice(at, place), samples.slice(at, place), beginsHere);
  });
  const rest = isLast ? [segment.subarray(fragments.at(-1)!.end)] : [];
  return { bytes: concatenate([...parts, ...rest]), decodedUntil: ends };
}

function timed(segment: Uint8Array, fragments: readonly Fragment[], { replaced }: Pick<Removal, 'replaced'>): Timed[] {
  const samples: Timed[] = [];
  let time = 0;
  for (const fragment of fragments) {
    time = fragment.decodeTime ?? time;
    for (const sample of fragment.samples) {
      const data = replaced.get(samples.length) ?? segment.subarray(sample.offset, sample.offset + sample.size);
      const { duration } = sample;
      samples.push({ sample, data, decodeTime: time, duration, shown: time + sample.compositionOffset });
      time += duration;
    }
  }
  return samples;
}

/** When the earliest picture is shown. */
function firstShown(samples: readonly Timed[]): number {
  return samples.reduce((least, { shown }) => Math.min(least, shown), Infinity);
}

/** When decoding gets to a sample, and when what follows it in decode order begins to be shown; of a segment's end, when both end. */
function endOf(
  samples: readonly Timed[],
  place = samples.length,
): { readonly decoded: number; readonly shown: number } {
  const next = samples[place];
  if (next) return { decoded: next.decodeTime, shown: firstShown(samples.slice(place)) };
  const decoded = samples.reduce((_, { decodeTime, duration }) => decodeTime + duration, 0);
  return { decoded, shown: firstShown(samples) + decoded - (samples[0]?.decodeTime ?? 0) };
}

/**
 * Makes each sample last until the next one is shown, the last one until `end`, and decoding follow from `start` on; returns when that ends.
 * `first`: when the first is shown, if not when it was. Browsers take the time to the next sample to be decoded for the time that a picture
 * is shown, and find it by that when they seek.
 */
function timeByPresentation(kept: readonly Timed[], start: number, end: number, first?: number): number {
  const ascending = [...kept].sort((left, right) => left.shown - right.shown);
  ascending[0]!.shown = first ?? ascending[0]!.shown;
  ascending.forEach((sample, index) => {
    const next = ascending[index + 1];
    sample.duration = next ? next.shown - sample.shown : Math.max(end - sample.shown, 1);
  });
  return decodeFrom(kept, start);
}

/** Lets samples be decoded one after the other; returns when the last one has been. */
function decodeFrom(kept: readonly Timed[], start: number): number {
  return kept.reduce((time, sample) => {
    sample.decodeTime = time;
    return time + sample.duration;
  }, start);
}

/** Makes each sample last until the next one is decoded, the first from `start` on. */
function timeByDecoding(kept: readonly Timed[], start: number, end: number): void {
  kept[0]!.decodeTime = start;
  kept.forEach((sample, index) => {
    sample.duration = (kept[index + 1]?.decodeTime ?? end) - sample.decodeTime;
  });
}

/** A fragment with those of its samples that stay, and with the boxes before its own where `isBegun` there. */
function writeFragment(
  track: Track,
  segment: Uint8Array,
  fragment: Fragment,
  stays: readonly boolean[],
  samples: readonly Timed[],
  isBegun = true,
): Uint8Array[] {
  const reader = new BoxReader(segment);
  const moof = reader.boxAt(fragment.moofStart);
  const empty = new Uint8Array();
  const before = isBegun ? segment.subarray(fragment.start, moof.start) : empty;
  const between = isBegun ? segment.subarray(moof.end, fragment.mdatStart) : empty;
  const kept = samples.filter((_, place) => stays[place]);
  if (kept.length === 0) return [before, between];
  const traf = reader.child(moof, 'traf');
  const boxes = reader.children(traf);
  const ivBytes = track(fragment.description).encryption?.ivBytes ?? 0;
  const writeAuxiliary = track.encryption?.auxiliaryBoxes(segment, reader, boxes, stays, ivBytes);
  const write = sampleBoxes(segment, reader, boxes, stays, writeAuxiliary);
  const head = writeMoof(segment, reader, moof, write, kept, between.length);
  return [before, head, between, makeBox('mdat', ...kept.map(({ data }) => data))];
}

/** The `moof` of the samples that stay; `between`: bytes of boxes between it and its `mdat`. */
function writeMoof(
  segment: Uint8Array,
  reader: BoxReader,
  moof: Box,
  write: WriteSampleBox,
  kept: readonly Timed[],
  between: number,
): Uint8Array {
  const build = (length: number, sencOffset: number): { box: Uint8Array; senc: number } => {
    let senc = 0;
    let at = HEADER;
    const parts = reader.children(moof).map((box) => {
      const isTrack = box.type === 'traf';
      const part = isTrack
        ? writeTraf(reader.children(box), write, kept, length + between + HEADER, sencOffset)
        : { box: segment.subarray(box.start, box.end), senc: 0 };
      if (isTrack) senc = at + part.senc;
      at += part.box.length;
      return part.box;
    });
    return { box: makeBox('moof', ...parts), senc };
  };
  // What is stated changes no length.
  const draft = build(0, 0);
  return build(draft.box.length, draft.senc).box;
}

/** The `traf`, and where in it the `senc` has its first entry. */
function writeTraf(
  boxes: readonly Box[],
  write: WriteSampleBox,
  kept: readonly Timed[],
  dataOffset: number,
  sencOffset: number,
): { box: Uint8Array; senc: number } {
  if (!boxes.some(({ type }) => type === 'tfdt')) throw unsupported('fragments without a tfdt box');
  const firstRun = boxes.find(({ type }) => type === 'trun');
  let senc = 0;
  let at = HEADER;
  const parts = boxes.map((box) => {
    let part: Uint8Array;
    if (box.type === 'trun') part = box === firstRun ? writeRun(kept, dataOffset) : new Uint8Array();
    else if (box.type === 'tfdt') part = makeBox('tfdt', writeTime(kept[0]!.decodeTime));
    else part = write(box, sencOffset);
    if (box.type === 'senc') senc = at + HEADER + 8;
    at += part.length;
    return part;
  });
  return { box: makeBox('traf', ...parts), senc };
}

function writeRun(kept: readonly Timed[], dataOffset: number): Uint8Array {
  const fields = kept.flatMap(({ sample, data, decodeTime, duration, shown }) => {
    const offset = shown - decodeTime;
    if (duration < 0 || duration >= 2 ** 32 || offset !== (offset | 0))
      throw malformed('times of samples lie too far apart');
    return [duration, data.length, sample.flags, offset];
  });
  return makeBox('trun', u32(RUN, kept.length, dataOffset, ...fields));
}

function writeTime(decodeTime: number): Uint8Array {
  if (decodeTime < 0 || decodeTime > Number.MAX_SAFE_INTEGER)
    throw malformed(`decode time ${decodeTime} is out of range`);
  return u32(VERSION_1, Math.floor(decodeTime / 2 ** 32), decodeTime % 2 ** 32);
}
