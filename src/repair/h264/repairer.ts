import { applyEdits, type Edit, growth, writeNumber } from '../edits.js';
import type { TrackEncryption } from '../encryption.js';
import { malformed, missing, unsupported } from '../errors.js';
import { type Fragment, parseFragments, type Sample } from '../fmp4.js';
import { type ResizedSample, resizeSamples } from '../fmp4-resize.js';
import { clearSubsamples, isClear } from '../subsamples.js';
import type { FrameReport, ReceivedBytes, RepairedSegment, Repairer } from '../types.js';
import { pictureType, readSlices, type Slice } from './access-unit.js';
import type { ParameterSets } from './parameter-sets.js';
import { SkipSliceWriter } from './skip-slice.js';

/** NAL unit type 12, nal_ref_idc 0 (H.264 §7.3.2.7). */
const FILLER_HEADER = 0x0c;
const FILLER_BYTE = 0xff;
const TRAILING_BITS = 0x80;

/**
 * Bytes by which the slice that stands in may be the longer one. Nothing codes macroblocks in less than skipping them all, but for what
 * the context takes to learn that (some 15 bytes): a slice that is shorter than this is none.
 */
const MAX_GROWTH = 64;

/** Replaces every incomplete P and B slice by an all-skip slice with its own header. */
export class H264Repairer implements Repairer {
  readonly #parameterSets: ParameterSets;
  readonly #encryption: TrackEncryption | undefined;
  readonly #skipSlices = new SkipSliceWriter();

  constructor(parameterSets: ParameterSets, encryption?: TrackEncryption) {
    this.#parameterSets = parameterSets;
    this.#encryption = encryption;
  }

  repair(segment: Uint8Array, received: ReceivedBytes): RepairedSegment {
    const frames: FrameReport[] = [];
    const edits = readFragments(segment, received, this.#encryption).flatMap((fragment) => {
      const resized: ResizedSample[] = [];
      const headerEdits: Edit[] = [];
      const sampleEdits: Edit[] = [];
      for (const sample of fragment.samples) {
        const { offset: start, size: bytes } = sample;
        const slices = readSlices(this.#parameterSets, segment, start, start + bytes, received);
        checkHeadersAreClear(sample, slices);
        const incomplete = slices.filter((slice) => !received.contains(slice.payload, slice.end));
        const skips = incomplete.map((slice) => this.#skip(segment, slice));
        const type = pictureType(slices);
        frames.push({ index: frames.length, start, bytes, type, slices: slices.length, repairedSlices: skips.length });
        for (const skip of skips) sampleEdits.push(skip);
        if (sample.subsamples) headerEdits.push(...clearSubsamples(sample.offset, sample.subsamples, skips));
        // The clear bytes of a subsample are few (16 bits): a filler may have more.
        const filler = sample.subsamples ? undefined : makeFiller(-growth(skips), this.#parameterSets.nalLengthSize);
        if (filler) sampleEdits.push({ start: start + bytes, end: start + bytes, data: filler });
        else if (growth(skips) !== 0) resized.push({ sample, growth: growth(skips) });
      }
      headerEdits.push(...resizeSamples(segment, fragment, resized));
      return [...headerEdits.sort((left, right) => left.start - right.start), ...sampleEdits];
    });
    return { bytes: applyEdits(segment, edits), frames };
  }

  #skip(segment: Uint8Array, { start, payload, end, header, macroblocks }: Slice): Edit {
    const nal = this.#skipSlices.write(segment.subarray(payload, end), header, macroblocks);
    const { nalLengthSize } = this.#parameterSets;
    const data = new Uint8Array(nalLengthSize + nal.length);
    writeNumber(data, 0, nalLengthSize, nal.length);
    if (data.length > end - start + MAX_GROWTH)
      throw malformed(`${macroblocks} macroblocks in a slice of ${end - start} bytes`);
    data.set(nal, nalLengthSize);
    return { start, end, data };
  }
}

/** The segment's fragments; all bytes outside the sample data must be here. */
function readFragments(
  segment: Uint8Array,
  received: ReceivedBytes,
  encryption: TrackEncryption | undefined,
): Fragment[] {
  let fragments: Fragment[];
  try {
    fragments = parseFragments(segment, encryption);
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

/** Of an encrypted sample: what has been parsed must not be encrypted, whatever it looks like. */
function checkHeadersAreClear({ offset, subsamples }: Sample, slices: readonly Slice[]): void {
  if (!subsamples) return;
  const areClear = slices.every(({ start, payload, header }) =>
    isClear(offset, subsamples, start, payload + header.headerBytes),
  );
  if (!areClear) throw unsupported('slice headers that are encrypted');
}

/** One filler NAL unit with its length field, `spare` bytes long; undefined where none has that length. */
function makeFiller(spare: number, nalLengthSize: number): Uint8Array | undefined {
  const nalBytes = spare - nalLengthSize;
  if (nalBytes < 2 || nalBytes >= 256 ** nalLengthSize) return undefined;
  const filler = new Uint8Array(spare).fill(FILLER_BYTE);
  writeNumber(filler, 0, nalLengthSize, nalBytes);
  filler[nalLengthSize] = FILLER_HEADER;
  filler[spare - 1] = TRAILING_BITS;
  return filler;
}
