import { RepairError } from './errors.js';

/** Bytes of a visual sample entry's own fields, after its header and before its child boxes (ISO/IEC 14496-12 §12.1.3). */
const VISUAL_SAMPLE_ENTRY_FIELDS = 78;
/** Version, flags and entry count of an `stsd`. */
const SAMPLE_DESCRIPTION_FIELDS = 8;

/** A box: its bytes are `[start, end)`, its payload `[payload, end)`. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly payload: number;
  readonly end: number;
}

/** A sample (frame) in decode order; positions in bytes of the segment. */
export interface Sample {
  readonly offset: number;
  readonly size: number;
  /** Position of its 32-bit size in the `trun`. */
  readonly sizeField: number;
}

/** A `moof` with its `mdat` and the boxes before them; positions in bytes of the segment. */
export interface Fragment {
  readonly start: number;
  readonly end: number;
  readonly moofStart: number;
  readonly mdatStart: number;
  readonly mdatPayload: number;
  readonly samples: readonly Sample[];
  /** Each `trun`'s data_offset: a 32-bit number at `field`, relative to the moof, that points to `target`. */
  readonly dataOffsets: readonly { readonly field: number; readonly target: number }[];
}

/** The video track of an initialization segment. */
export interface SampleEntry {
  /** Four-character code, as `avc1`. */
  readonly type: string;
  /** Payload of the box that configures the decoder; undefined when it is not among the entry's boxes. */
  configuration(type: string): Uint8Array | undefined;
}

/** The only sample entry of the only track. Throws `RepairError` (unsupported, malformed). */
export function parseSampleEntry(init: Uint8Array): SampleEntry {
  const reader = new BoxReader(init);
  const moov = reader.boxes(0, init.length).find((box) => box.type === 'moov');
  if (!moov) throw new RepairError('malformed', 'no moov box in the initialization segment');
  const tracks = reader.children(moov).filter((box) => box.type === 'trak');
  if (tracks.length !== 1) throw new RepairError('unsupported', `${tracks.length} tracks instead of one`);
  const path = ['mdia', 'minf', 'stbl', 'stsd'];
  const description = path.reduce((box, type) => reader.child(box, type), tracks[0]!);
  const entries = reader.children(description, SAMPLE_DESCRIPTION_FIELDS);
  const entry = entries[0];
  if (entries.length !== 1 || !entry) {
    throw new RepairError('unsupported', `${entries.length} sample descriptions instead of one`);
  }
  return {
    type: entry.type,
    configuration: (type) => {
      const box = reader.children(entry, VISUAL_SAMPLE_ENTRY_FIELDS).find((candidate) => candidate.type === type);
      return box && init.subarray(box.payload, box.end);
    },
  };
}

/** The fragments of a media segment with one track (ISO/IEC 14496-12 §8.8). Throws `RepairError` (unsupported, malformed). */
export function parseFragments(segment: Uint8Array): Fragment[] {
  const reader = new BoxReader(segment);
  const fragments: Fragment[] = [];
  let start = 0;
  let moof: Box | undefined;
  for (const box of reader.boxes(0, segment.length)) {
    if (box.type === 'moof') {
      if (moof) throw new RepairError('malformed', `moof at ${moof.start} without mdat`);
      moof = box;
    } else if (box.type === 'mdat') {
      if (!moof) throw new RepairError('malformed', `mdat at ${box.start} without moof`);
      fragments.push(readFragment(reader, start, moof, box));
      start = box.end;
      moof = undefined;
    }
  }
  if (moof) throw new RepairError('malformed', `moof at ${moof.start} without mdat`);
  if (fragments.length === 0) throw new RepairError('malformed', 'the segment has no moof box');
  return fragments;
}

function readFragment(reader: BoxReader, start: number, moof: Box, mdat: Box): Fragment {
  const tracks = reader.children(moof).filter((box) => box.type === 'traf');
  if (tracks.length !== 1) {
    throw new RepairError('unsupported', `${tracks.length} track fragments in a moof instead of one`);
  }
  const boxes = reader.children(tracks[0]!);
  const header = boxes.find((box) => box.type === 'tfhd');
  const BASE_DATA_OFFSET_PRESENT = 0x1;
  if (header && reader.u32(header, 0) & BASE_DATA_OFFSET_PRESENT) {
    throw new RepairError('unsupported', 'data offsets that are positions in the file');
  }
  const samples: Sample[] = [];
  const dataOffsets: { field: number; target: number }[] = [];
  for (const run of boxes.filter((box) => box.type === 'trun')) {
    readRun(reader, run, moof, mdat, samples, dataOffsets);
  }
  const { start: mdatStart, payload: mdatPayload, end } = mdat;
  return { start, end, moofStart: moof.start, mdatStart, mdatPayload, samples, dataOffsets };
}

/** Appends the samples of a `trun` (ISO/IEC 14496-12 §8.8.8) to those of the runs before it. */
function readRun(
  reader: BoxReader,
  run: Box,
  moof: Box,
  mdat: Box,
  samples: Sample[],
  dataOffsets: { field: number; target: number }[],
): void {
  const flags = reader.u32(run, 0) & 0xffffff;
  const count = reader.u32(run, 4);
  let at = 8;
  const previous = samples.at(-1);
  let offset = previous && previous.offset + previous.size;
  let freeFrom = offset ?? mdat.payload;
  if (flags & 0x1) {
    offset = moof.start + (reader.u32(run, at) | 0);
    dataOffsets.push({ field: run.payload + at, target: offset });
    at += 4;
  }
  if (offset === undefined) throw new RepairError('malformed', `trun at ${run.start} does not say where its data is`);
  if (flags & 0x4) at += 4; // first_sample_flags
  if (!(flags & 0x200)) throw new RepairError('unsupported', 'fragments without a size for each sample');
  // Per sample: duration (0x100), size (0x200), flags (0x400), composition time offset (0x800).
  const sizeAt = flags & 0x100 ? 4 : 0;
  const entrySize = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
  for (let index = 0; index < count; index++, at += entrySize) {
    const size = reader.u32(run, at + sizeAt);
    if (offset < freeFrom || offset + size > mdat.end) {
      throw new RepairError('malformed', `sample at ${offset} lies outside its mdat or over another one`);
    }
    samples.push({ offset, size, sizeField: run.payload + at + sizeAt });
    offset += size;
    freeFrom = offset;
  }
}

/** Finds boxes and reads their fields; every size is checked against its container. Throws `RepairError` (malformed). */
class BoxReader {
  readonly #view: DataView;

  constructor(data: Uint8Array) {
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  /** The boxes that fill `[start, end)`, one after the other. */
  boxes(start: number, end: number): Box[] {
    const boxes: Box[] = [];
    for (let at = start; at < end; at = boxes.at(-1)!.end) boxes.push(this.#box(at, end));
    return boxes;
  }

  /** The boxes inside `parent`, after `fields` bytes of its own. */
  children(parent: Box, fields = 0): Box[] {
    if (parent.payload + fields > parent.end) throw new RepairError('malformed', `${parent.type} box is too short`);
    return this.boxes(parent.payload + fields, parent.end);
  }

  /** The first box of that type inside `parent`. */
  child(parent: Box, type: string): Box {
    const found = this.children(parent).find((box) => box.type === type);
    if (!found) throw new RepairError('malformed', `${parent.type} box without ${type}`);
    return found;
  }

  /** The number at byte `at` of a box's payload. */
  u32(box: Box, at: number): number {
    if (box.payload + at + 4 > box.end) throw new RepairError('malformed', `${box.type} box is too short`);
    return this.#view.getUint32(box.payload + at);
  }

  #box(start: number, limit: number): Box {
    const available = limit - start;
    if (available < 8) throw new RepairError('malformed', `stray bytes where a box should start, at ${start}`);
    const view = this.#view;
    let size = view.getUint32(start);
    const type = String.fromCharCode(...[4, 5, 6, 7].map((index) => view.getUint8(start + index)));
    let header = 8;
    if (size === 1) {
      if (available < 16) throw new RepairError('malformed', `box header cut off at ${start}`);
      size = Number(view.getBigUint64(start + 8));
      header = 16;
    } else if (size === 0) {
      size = available; // to the end of the file
    }
    if (size < header || size > available) {
      throw new RepairError('malformed', `box size ${size} at ${start} does not fit its container`);
    }
    return { type, start, payload: start + header, end: start + size };
  }
}
