import type { Codec } from './codec.js';
import type { TrackEncryption } from './encryption.js';
import { malformed, unsupported } from './errors.js';
import { type Fragment, parseSampleEntries, type SampleEntry } from './fmp4.js';
import { openH264 } from './h264/codec.js';
import type { ReceivedBytes } from './types.js';

/** A sample description: how samples are coded and encrypted. */
export interface Description {
  readonly codec: Codec;
  readonly encryption: TrackEncryption | undefined;
}

/**
 * The sample description that a fragment names by its number, from 1, or by none; of a track that has only one, that one.
 * Throws `RepairError` (malformed) where there is none of that number.
 */
export type Track = (number: number | undefined) => Description;

/** What an initialization segment says of its track. Throws `RepairError` for a codec that is not known, and for what is malformed. */
export function readTrack(init: Uint8Array): Track {
  const { entries, defaultNumber } = parseSampleEntries(init);
  // Encrypted tracks often begin in the clear, with a description of its own.
  const descriptions = entries.map(describe);
  const [first] = descriptions;
  return (number = defaultNumber) => {
    const description = descriptions.length > 1 ? descriptions[number - 1] : first;
    if (!description) throw malformed(`no sample description ${number}`);
    return description;
  };
}

/** Begins a segment: the reader of the samples of each of its fragments, one for each codec. */
export function fragmentReaders(track: Track, segment: Uint8Array, received: ReceivedBytes) {
  const readers = new Map<Codec, ReturnType<Codec['reader']>>();
  return ({ description }: Fragment): ReturnType<Codec['reader']> => {
    const { codec } = track(description);
    const read = readers.get(codec) ?? codec.reader(segment, received);
    readers.set(codec, read);
    return read;
  };
}

function describe(entry: SampleEntry): Description {
  // Another codec comes behind, with `??`; no other file imports from its folder (test/unit/zones.ts).
  const codec = openH264(entry);
  if (!codec) throw unsupported(`codec ${entry.type}`);
  return { codec, encryption: entry.encryption };
}
