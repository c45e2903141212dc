import { type Box, BoxReader } from './box-reader.js';
import type { Track } from './codecs.js';
import { malformed, unsupported } from './errors.js';
import { type Fragment, parseFragments, type Sample } from './fmp4.js';
import { concatenated, makeBox, sampleBoxes, u32, type WriteSampleBox } from './sample-boxes.js';

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
  const end = samples.reduce((_, { decodeTime, duration }) => decodeTime + duration, 0);
  const kept = samples.filter((_, place) => !removed.has(place));
  if (kept.length > 0) {
    if (decodedUntil === undefined) timeByPresentation(samples, kept, end);
    else timeByDecoding(kept, decodedUntil, end);
  }
  const reader = new BoxReader(segment);
  const moofs = reader.all().filter(({ type }) => type === 'moof');
  let place = 0;
  const pieces = fragments.flatMap((fragment, index) => {
    const stays = fragment.samples.map(() => !removed.has(place++));
    const mine = samples.slice(place - stays.length, place).filter((_, at) => stays[at]);
    const moof = moofs[index]!;
    const before = segment.subarray(fragment.start, moof.start);
    const between = segment.subarray(moof.end, fragment.mdatStart);
    if (mine.length === 0) return [before, between];
    const traf = reader.child(moof, 'traf');
    const ivBytes = track(fragment.description).encryption?.ivBytes ?? 0;
    const write = sampleBoxes(segment, reader, reader.children(traf), stays, ivBytes);
    const head = writeMoof(segment, reader, moof, write, mine, between.length);
    return [before, head, between, makeBox('mdat', ...mine.map(({ data }) => data))];
  });
  return concatenated([...pieces, segment.subarray(fragments.at(-1)!.end)]);
}

function timed(segment: Uint8Array, fragments: readonly Fragment[], { replaced }: Removal): Timed[] {
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

/**
 * Makes each sample last until the next one is shown, and decoding follow: what is shown has no gap. Browsers take the time to the next
 * sample to be decoded for the time that a picture is shown, and find it by that when they seek.
 */
function timeByPresentation(samples: readonly Timed[], kept: readonly Timed[], decodeEnd: number): void {
  let time = samples[0]!.decodeTime;
  const first = samples.reduce((least, { shown }) => Math.min(least, shown), Infinity);
  const ascending = [...kept].sort((left, right) => left.shown - right.shown);
  const last = ascending.at(-1)!;
  const end = first + decodeEnd - time;
  ascending[0]!.shown = first;
  ascending.forEach((sample, index) => {
    sample.duration = sample === last ? Math.max(end - sample.shown, 1) : ascending[index + 1]!.shown - sample.shown;
  });
  for (const sample of kept) {
    sample.decodeTime = time;
    time += sample.duration;
  }
}

/** Makes each sample last until the next one is decoded, the first from `start` on. */
function timeByDecoding(kept: readonly Timed[], start: number, end: number): void {
  kept[0]!.decodeTime = start;
  kept.forEach((sample, index) => {
    sample.duration = (kept[index + 1]?.decodeTime ?? end) - sample.decodeTime;
  });
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
