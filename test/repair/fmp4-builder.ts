/** A box around payloads. */
export function box(type: string, ...payloads: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const payload = Buffer.concat(payloads.map((part) => Uint8Array.from(part)));
  return Buffer.concat([u32(8 + payload.length), Buffer.from(type, 'latin1'), payload]);
}

/** Numbers as big-endian 32-bit fields. */
export function u32(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, 4 * index));
  return bytes;
}

/** A sample entry (`avc1`, …) with these child boxes. */
export function sampleEntry(type: string, ...boxes: readonly Uint8Array[]): Uint8Array {
  return box(type, new Uint8Array(78), ...boxes);
}

/** A track with these sample entries. */
export function track(...entries: readonly Uint8Array[]): Uint8Array {
  const description = box('stsd', u32(0, entries.length), ...entries);
  return box('trak', box('mdia', box('minf', box('stbl', description))));
}

/** An initialization segment with one H.264 track. */
export function initSegment(avcc: Uint8Array, type = 'avc1'): Uint8Array {
  return Buffer.concat([box('ftyp', u32(0, 0)), box('moov', track(sampleEntry(type, box('avcC', avcc))))]);
}

/** What follows the tracks in a `moov`: the number of the sample description of fragments that name none. */
export function trackDefaults(description: number): Uint8Array {
  return box('mvex', box('trex', u32(0, 1, description, 0, 0, 0)));
}

/** NAL units with their length fields: a sample. */
export function sample(nalUnits: readonly Uint8Array[], lengthSize: 2 | 4 = 4): Uint8Array {
  return Buffer.concat(nalUnits.flatMap((nal) => [u32(nal.length).subarray(4 - lengthSize), nal]));
}

export interface SegmentForm {
  /** Samples of each `trun`; each run has its own data offset, with a byte between runs that belongs to no sample. */
  readonly runs: readonly (readonly Uint8Array[])[];
  readonly mdatSize?: '32-bit' | '64-bit' | 'to the end';
  /** Flags of the `tfhd`. */
  readonly trackFlags?: number;
  /** Leave out the sample sizes; `default`: the `tfhd` has that of the first sample instead. */
  readonly sizes?: 'none' | 'default';
  /** The number of the sample description, which the `tfhd` names. */
  readonly description?: number;
}

/** A media segment: styp, moof, mdat. */
export function mediaSegment(form: SegmentForm): Uint8Array {
  const { runs, mdatSize = '32-bit', trackFlags = 0x020000, sizes, description } = form;
  const tfhdFields = [
    ...(description === undefined ? [] : [{ flag: 0x2, value: description }]),
    ...(sizes === 'default' ? [{ flag: 0x10, value: runs[0]![0]!.length }] : []),
  ];
  const flags = tfhdFields.reduce((all, { flag }) => all | flag, trackFlags);
  const tfhd = box('tfhd', u32(flags, 1, ...tfhdFields.map(({ value }) => value)));
  const media = Buffer.concat(runs.flatMap((samples) => [...samples, Uint8Array.of(0)]));
  const mdatHeaders = {
    '32-bit': [u32(8 + media.length), Buffer.from('mdat')],
    '64-bit': [u32(1), Buffer.from('mdat'), u32(0, 16 + media.length)],
    'to the end': [u32(0), Buffer.from('mdat')],
  };
  const mdatHeader = Buffer.concat(mdatHeaders[mdatSize]);
  const moof = (moofSize: number): Uint8Array => {
    let offset = moofSize + mdatHeader.length;
    const truns = runs.map((samples) => {
      const start = offset;
      offset += samples.reduce((sum, { length }) => sum + length, 0) + 1;
      if (sizes) return box('trun', u32(0x000001, samples.length, start));
      const entries = samples.map(({ length }) => u32(512, length));
      return box('trun', u32(0x000301, samples.length, start), ...entries);
    });
    const fragment = box('traf', tfhd, box('tfdt', u32(0, 0)), ...truns);
    return box('moof', box('mfhd', u32(0, 1)), fragment);
  };
  return Buffer.concat([box('styp', u32(0, 0)), moof(moof(0).length), mdatHeader, media]);
}
