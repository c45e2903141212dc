import { type Box, BoxReader } from './box-reader.js';
import type { CommonEncryption, TrackEncryption } from './encryption.js';
import { malformed, unsupported } from './errors.js';
import type { Subsample } from './subsamples.js';

/** Version, flags and entry count of an `stsd`. */
const SAMPLE_DESCRIPTION_FIELDS = 8;
/** Bytes of a visual sample entry's own fields, before its child boxes (ISO/IEC 14496-12 §12.1.3). */
const VISUAL_SAMPLE_ENTRY_FIELDS = 78;
/** `soun`, the handler of sound. */
const SOUND = 0x736f756e;

/** Flags of a `tfhd` (ISO/IEC 14496-12 §8.8.7). */
const BASE_DATA_OFFSET_PRESENT = 0x1;
const SAMPLE_DESCRIPTION_PRESENT = 0x2;
const DEFAULT_SAMPLE_DURATION_PRESENT = 0x8;
const DEFAULT_SAMPLE_SIZE_PRESENT = 0x10;
const DEFAULT_SAMPLE_FLAGS_PRESENT = 0x20;
/** Flags of a `trun` (ISO/IEC 14496-12 §8.8.8). */
const DATA_OFFSET_PRESENT = 0x1;
const FIRST_SAMPLE_FLAGS_PRESENT = 0x4;
const SAMPLE_DURATION_PRESENT = 0x100;
const SAMPLE_SIZE_PRESENT = 0x200;
const SAMPLE_FLAGS_PRESENT = 0x400;
const COMPOSITION_OFFSET_PRESENT = 0x800;

/** A sample (frame) in decode order; positions in bytes of the segment. */
export interface Sample {
  readonly offset: number;
  readonly size: number;
  /**
   * Position of its own 32-bit size: in the `trun` or, of a fragment's only sample, in the `tfhd`. Undefined where samples share one,
   * which cannot change.
   */
  readonly sizeField: number | undefined;
  /** Time to the decode time of the next one, and from its own to when it is shown, in the track's timescale. */
  readonly duration: number;
  readonly compositionOffset: number;
  /** Sample flags (§8.8.3.1). */
  readonly flags: number;
  /** Which bytes of an encrypted sample are encrypted. */
  readonly subsamples?: readonly Subsample[];
}

/** A `trun`'s data_offset: a 32-bit number at `field`, relative to the moof, that points to `target`. */
export interface DataOffset {
  readonly field: number;
  readonly target: number;
}

/** A `moof` with its `mdat` and the boxes before them; positions in bytes of the segment. */
export interface Fragment {
  readonly start: number;
  readonly end: number;
  readonly moofStart: number;
  readonly mdatStart: number;
  readonly mdatPayload: number;
  /** Number of the sample description of its samples, from 1; undefined: the track's default. */
  readonly description: number | undefined;
  /** When its first sample is decoded, in the track's timescale; undefined where it does not say that. */
  readonly decodeTime: number | undefined;
  readonly samples: readonly Sample[];
  readonly dataOffsets: readonly DataOffset[];
}

/** Values of samples whose fragment states no others. */
export interface SampleDefaults {
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
}

const NO_DEFAULTS: SampleDefaults = { duration: 0, size: 0, flags: 0 };

/** How samples are coded. */
export interface SampleEntry {
  /** Four-character code, as `avc1`; of an encrypted track that of what is encrypted, where encryption is known. */
  readonly type: string;
  /** How the track is encrypted; undefined for one that is not, or of whose encryption nothing is known. */
  readonly encryption: TrackEncryption | undefined;
  /** Payload of the box of that type that configures the decoder, if there is one. */
  readonly configuration: (type: string) => Uint8Array | undefined;
}

/** The sample descriptions of a track. */
export interface SampleEntries {
  /** At least one. */
  readonly entries: readonly SampleEntry[];
  /** Number of that of fragments that name none, from 1. */
  readonly defaultNumber: number;
  readonly defaults: SampleDefaults;
  /** Units of its times in a second; undefined where it does not say that. */
  readonly timescale: number | undefined;
  readonly isSound: boolean;
}

/**
 * The sample descriptions of an initialization segment's only track; without `encryption` those of what is encrypted are of the type `encv`.
 * Throws `RepairError` (unsupported-stream, malformed).
 */
export function parseSampleEntries(init: Uint8Array, encryption?: CommonEncryption): SampleEntries {
  const reader = new BoxReader(init);
  const moov = reader.all().find((box) => box.type === 'moov');
  if (!moov) throw malformed('the initialization segment has no moov box');
  const track = only(reader.children(moov), 'trak');
  const media = reader.child(track, 'mdia');
  const description = ['minf', 'stbl', 'stsd'].reduce((box, type) => reader.child(box, type), media);
  const boxes = reader.children(description, SAMPLE_DESCRIPTION_FIELDS);
  if (boxes.length === 0) throw malformed('no sample description');
  const mvex = reader.children(moov).find(({ type }) => type === 'mvex');
  if (!mvex && boxes.length > 1) throw malformed('moov box without mvex');
  const trex = mvex && reader.child(mvex, 'trex');
  const [defaultNumber = 1, duration = 0, size = 0, flags = 0] = trex
    ? [8, 12, 16, 20].map((at) => reader.u32(trex, at))
    : [];
  return {
    entries: boxes.map((entry) => readSampleEntry(reader, entry, init, encryption)),
    defaultNumber: boxes.length > 1 ? defaultNumber : 1,
    defaults: { duration, size, flags },
    timescale: readTimescale(reader, media),
    isSound: isSound(reader, media),
  };
}

/** The timescale of a track's `mdhd` (§8.4.2). */
function readTimescale(reader: BoxReader, media: Box): number | undefined {
  const mdhd = reader.children(media).find(({ type }) => type === 'mdhd');
  return mdhd && reader.u32(mdhd, reader.u32(mdhd, 0) >>> 24 === 1 ? 20 : 12);
}

/** Whether the handler of a track's media is that of sound (§8.4.3). */
function isSound(reader: BoxReader, media: Box): boolean {
  const hdlr = reader.children(media).find(({ type }) => type === 'hdlr');
  return hdlr !== undefined && reader.u32(hdlr, 8) === SOUND;
}

function readSampleEntry(
  reader: BoxReader,
  entry: Box,
  init: Uint8Array,
  encryption: CommonEncryption | undefined,
): SampleEntry {
  const children = () => reader.children(entry, VISUAL_SAMPLE_ENTRY_FIELDS);
  const encrypted = entry.type === 'encv' ? encryption?.read(reader, children()) : undefined;
  return {
    type: encrypted?.original ?? entry.type,
    encryption: encrypted?.encryption,
    configuration: (type) => {
      const box = children().find((candidate) => candidate.type === type);
      return box && init.subarray(box.payload, box.end);
    },
  };
}

/** How the samples of a fragment are encrypted, by the number of their description; undefined: they are in the clear. */
export type EncryptionOf = (description: number | undefined) => TrackEncryption | undefined;

/**
 * The fragments of a media segment with one track (ISO/IEC 14496-12 §8.8), encrypted as `encryptionOf` says. `defaults`: those of the
 * track; repair goes by what fragments state themselves.
 * Throws `RepairError` (unsupported-stream, malformed).
 */
export function parseFragments(
  segment: Uint8Array,
  encryptionOf: EncryptionOf = () => undefined,
  defaults: SampleDefaults = NO_DEFAULTS,
): Fragment[] {
  const reader = new BoxReader(segment);
  const fragments: Fragment[] = [];
  let start = 0;
  let moof: Box | undefined;
  for (const box of reader.all()) {
    if (box.type === 'moof') {
      if (moof) break; // the one before has no mdat
      moof = box;
    } else if (box.type === 'mdat') {
      if (!moof) throw malformed(`mdat at ${box.start} without moof`);
      fragments.push(readFragment(reader, start, moof, box, encryptionOf, defaults));
      start = box.end;
      moof = undefined;
    }
  }
  if (moof) throw malformed(`moof at ${moof.start} without mdat`);
  if (fragments.length === 0) throw malformed('the segment has no moof box');
  return fragments;
}

function readFragment(
  reader: BoxReader,
  start: number,
  moof: Box,
  mdat: Box,
  encryptionOf: EncryptionOf,
  trackDefaults: SampleDefaults,
): Fragment {
  const track = only(reader.children(moof), 'traf');
  const { description, sizeField, defaults } = readDefaults(reader, reader.child(track, 'tfhd'), trackDefaults);
  const samples: Sample[] = [];
  const dataOffsets: DataOffset[] = [];
  let decodeTime: number | undefined;
  for (const box of reader.children(track)) {
    if (box.type === 'tfdt') decodeTime = reader.u32(box, 0) >>> 24 === 1 ? reader.u64(box, 4) : reader.u32(box, 4);
    if (box.type !== 'trun') continue;
    const previous = samples.at(-1);
    const run = readRun(reader, box, moof, mdat, previous && previous.offset + previous.size, defaults);
    for (const sample of run.samples) samples.push(sample);
    if (run.dataOffset) dataOffsets.push(run.dataOffset);
  }
  // The default of the only sample is nobody else's.
  if (samples.length === 1) samples[0] = { ...samples[0]!, sizeField: samples[0]!.sizeField ?? sizeField };
  const encryption = encryptionOf(description);
  return {
    ...{ start, end: mdat.end, moofStart: moof.start, mdatStart: mdat.start, mdatPayload: mdat.payload },
    ...{ description, decodeTime, dataOffsets },
    samples: encryption?.withSubsamples(reader, track, samples) ?? samples,
  };
}

/** What a `tfhd` says for all samples of its fragment. */
function readDefaults(
  reader: BoxReader,
  tfhd: Box,
  { duration, size, flags: sampleFlags }: SampleDefaults,
): Pick<Fragment, 'description'> & Pick<Sample, 'sizeField'> & { readonly defaults: SampleDefaults } {
  const flags = reader.u32(tfhd, 0);
  if (flags & BASE_DATA_OFFSET_PRESENT) throw unsupported('data offsets that are positions in the file');
  let at = 8;
  const field = (flag: number): number | undefined => (flags & flag ? reader.u32(tfhd, (at += 4) - 4) : undefined);
  const description = field(SAMPLE_DESCRIPTION_PRESENT);
  const defaultDuration = field(DEFAULT_SAMPLE_DURATION_PRESENT);
  const sizeAt = at;
  const defaultSize = field(DEFAULT_SAMPLE_SIZE_PRESENT);
  return {
    description,
    sizeField: defaultSize === undefined ? undefined : tfhd.payload + sizeAt,
    defaults: {
      duration: defaultDuration ?? duration,
      size: defaultSize ?? size,
      flags: field(DEFAULT_SAMPLE_FLAGS_PRESENT) ?? sampleFlags,
    },
  };
}

/** Reads a `trun`; `previousEnd` is where the run before ended: this one starts there unless it has an offset of its own. */
function readRun(
  reader: BoxReader,
  box: Box,
  moof: Box,
  mdat: Box,
  previousEnd: number | undefined,
  defaults: SampleDefaults,
): { samples: Sample[]; dataOffset: DataOffset | undefined } {
  const runFlags = reader.u32(box, 0);
  const isSigned = runFlags >>> 24 > 0;
  const count = reader.u32(box, 4);
  let at = 8;
  const field = (flag: number): number | undefined => (runFlags & flag ? reader.u32(box, (at += 4) - 4) : undefined);
  const stated = field(DATA_OFFSET_PRESENT);
  const dataOffset = stated === undefined ? undefined : { field: box.payload + 8, target: moof.start + (stated | 0) };
  let firstFlags = field(FIRST_SAMPLE_FLAGS_PRESENT);
  if (!(runFlags & SAMPLE_SIZE_PRESENT) && defaults.size === 0)
    throw unsupported('fragments without a size for each sample');

  const samples: Sample[] = [];
  let offset = dataOffset?.target ?? previousEnd;
  if (offset === undefined) throw malformed(`trun at ${box.start} does not say where its data is`);
  if (offset < (previousEnd ?? mdat.payload)) {
    throw malformed(`samples at ${offset} lie outside their mdat or over others`);
  }
  for (let index = 0; index < count; index++) {
    const duration = field(SAMPLE_DURATION_PRESENT) ?? defaults.duration;
    const sizeAt = at;
    const ownSize = field(SAMPLE_SIZE_PRESENT);
    const size = ownSize ?? defaults.size;
    const flags = field(SAMPLE_FLAGS_PRESENT) ?? firstFlags ?? defaults.flags;
    const composition = field(COMPOSITION_OFFSET_PRESENT) ?? 0;
    firstFlags = undefined;
    if (offset + size > mdat.end) throw malformed(`sample at ${offset} lies outside its mdat`);
    samples.push({
      ...{ offset, size, sizeField: ownSize === undefined ? undefined : box.payload + sizeAt },
      ...{ duration, compositionOffset: isSigned ? composition | 0 : composition, flags },
    });
    offset += size;
  }
  return { samples, dataOffset };
}

/** When the decoding of fragments begins and ends, in the track's timescale. */
export function decodeTimes(fragments: readonly Fragment[]): [start: number, end: number] {
  const start = fragments[0]!.decodeTime ?? 0;
  const end = fragments.reduce(
    (time, { decodeTime, samples }) => samples.reduce((sum, { duration }) => sum + duration, decodeTime ?? time),
    start,
  );
  return [start, end];
}

/** The box of that type, of which there must be exactly one. */
function only(boxes: readonly Box[], type: string): Box {
  const found = boxes.filter((box) => box.type === type);
  if (found.length !== 1) throw unsupported(`${found.length} ${type} boxes, expected one`);
  return found[0]!;
}
