import { auxiliaryBoxes } from './auxiliary-boxes.js';
import type { Box, BoxReader } from './box-reader.js';
import { malformed, type RepairError, unsupported } from './errors.js';
import { clearSubsamples, isClear, type Subsample, SUBSAMPLE_BYTES, SUBSAMPLES_PRESENT } from './subsamples.js';

/** The only scheme in which every slice is encrypted by itself, so that one can be replaced (ISO/IEC 23001-7 §10.4). */
const REPLACEABLE = 'cbcs';
/** Version and flags of a `tenc`, two bytes, whether it is protected. */
const IV_SIZE_FIELD = 6;

/** How the samples of a track are encrypted. */
export interface TrackEncryption {
  /** Four-character code, as `cenc`. */
  readonly scheme: string;
  /** Bytes of the initialization vector that each sample states; 0: all have that of the track. */
  readonly ivBytes: number;
  /** Why nothing can stand in for a slice (unsupported-stream): it is not encrypted by itself. Undefined: it is. */
  readonly whyNot: RepairError | undefined;
  /** The samples of a fragment with their subsamples. Throws `RepairError` (unsupported-stream, malformed). */
  withSubsamples<Sample extends { readonly size: number }>(
    reader: BoxReader,
    traf: Box,
    samples: readonly Sample[],
  ): (Sample & { readonly subsamples: readonly Subsample[] })[];
  readonly isClear: typeof isClear;
  readonly clearSubsamples: typeof clearSubsamples;
}

/** What reads and writes what is encrypted; repair without it knows tracks in the clear alone. */
export const commonEncryption = { read, auxiliaryBoxes };

export type CommonEncryption = typeof commonEncryption;

/** What a protected sample entry's `sinf` says: what is encrypted, and how. Throws `RepairError` (malformed). */
function read(
  reader: BoxReader,
  entryChildren: readonly Box[],
): { readonly original: string; readonly encryption: TrackEncryption } {
  const sinf = entryChildren.find(({ type }) => type === 'sinf');
  if (!sinf) throw malformed('encv box without sinf');
  const scheme = reader.fourcc(reader.child(sinf, 'schm'), 4);
  const tenc = reader.child(reader.child(sinf, 'schi'), 'tenc');
  const original = reader.fourcc(reader.child(sinf, 'frma'), 0);
  const ivBytes = reader.u16(tenc, IV_SIZE_FIELD) & 0xff;
  const encryption: TrackEncryption = {
    ...{ scheme, ivBytes, isClear, clearSubsamples },
    whyNot: scheme === REPLACEABLE ? undefined : unsupported(`encryption by the scheme ${scheme}, only ${REPLACEABLE}`),
    withSubsamples(reader, traf, samples) {
      const maps = readSubsamples(reader, traf, ivBytes);
      if (maps.length !== samples.length) throw malformed(`senc box of ${maps.length} samples for ${samples.length}`);
      return samples.map((sample, index) => {
        const subsamples = maps[index]!;
        const bytes = subsamples.reduce((sum, { clear, encrypted }) => sum + clear + encrypted, 0);
        if (bytes !== sample.size) throw malformed(`subsamples of ${bytes} bytes for a sample of ${sample.size}`);
        return { ...sample, subsamples };
      });
    },
  };
  return { original, encryption };
}

/** The subsamples of each sample of a fragment. Throws `RepairError` (unsupported-stream, malformed). */
function readSubsamples(reader: BoxReader, traf: Box, ivBytes: number): Subsample[][] {
  const boxes = reader.children(traf);
  // Groups of samples with a key of their own, or none.
  if (boxes.some((box) => (box.type === 'sbgp' || box.type === 'sgpd') && reader.fourcc(box, 4) === 'seig'))
    throw unsupported('encryption that changes inside a track (seig)');
  const senc = boxes.find(({ type }) => type === 'senc');
  if (!senc) throw unsupported('encrypted fragments without a senc box');
  if (!(reader.u32(senc, 0) & SUBSAMPLES_PRESENT)) throw unsupported('samples that are encrypted whole');
  const samples = reader.u32(senc, 4);
  let at = 8;
  const maps: Subsample[][] = [];
  for (let sample = 0; sample < samples; sample++) {
    at += ivBytes;
    const count = reader.u16(senc, at);
    at += 2;
    if (count === 0) throw unsupported('samples that are encrypted whole');
    const map: Subsample[] = [];
    for (let index = 0; index < count; index++, at += SUBSAMPLE_BYTES) {
      map.push({ field: senc.payload + at, clear: reader.u16(senc, at), encrypted: reader.u32(senc, at + 2) });
    }
    maps.push(map);
  }
  return maps;
}
