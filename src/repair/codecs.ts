import type { Codec } from './codec.js';
import type { CommonEncryption } from './encryption.js';
import { malformed, RepairError, unsupported } from './errors.js';
import { type Fragment, parseSampleEntries, type SampleDefaults, type SampleEntry } from './fmp4.js';
import { openH264 } from './h264/codec.js';
import type { ReceivedBytes } from './types.js';

/** A sample description: how samples are coded and encrypted. */
export interface Description extends Pick<SampleEntry, 'type' | 'encryption'> {
  /** Why nothing can stand in for a frame (unsupported-stream); undefined: something can. */
  readonly whyNot: RepairError | undefined;
  /** Throws `whyNot`. */
  readonly codec: Codec;
}

/** What an initialization segment says of its track. */
export interface Track {
  /**
   * The sample description that a fragment names by its number, from 1, or by none; of a track that has only one, that one.
   * Throws `RepairError` (malformed) where there is none of that number.
   */
  (number: number | undefined): Description;
  readonly descriptions: readonly Description[];
  readonly defaults: SampleDefaults;
  readonly timescale: number | undefined;
  readonly isSound: boolean;
  /** Undefined: an encrypted track is of an unknown codec. */
  readonly encryption: CommonEncryption | undefined;
}

/** Reads an initialization segment. Throws `RepairError` for what is malformed. */
export function readTrack(init: Uint8Array, encryption?: CommonEncryption): Track {
  const { entries, defaultNumber, ...times } = parseSampleEntries(init, encryption);
  // Encrypted tracks often begin in the clear, with a description of its own.
  const descriptions = entries.map(describe);
  const [first] = descriptions;
  const find = (number = defaultNumber): Description => {
    const description = descriptions.length > 1 ? descriptions[number - 1] : first;
    if (!description) throw malformed(`no sample description ${number}`);
    return description;
  };
  return Object.assign(find, { descriptions, encryption, ...times });
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
  const { type, encryption } = entry;
  const found = open(entry);
  return {
    ...{ type, encryption, whyNot: found instanceof RepairError ? found : undefined },
    get codec() {
      if (found instanceof RepairError) throw found;
      return found;
    },
  };
}

/** The codec of a track, or why there is none. Throws `RepairError` (malformed). */
function open(entry: SampleEntry): Codec | RepairError {
  try {
    // Another codec comes behind, with `??`; no other file imports from its folder (test/unit/zones.ts).
    return entry.encryption?.whyNot ?? openH264(entry) ?? unsupported(`codec ${entry.type}`);
  } catch (error) {
    if (error instanceof RepairError && error.code === 'unsupported-stream') return error;
    throw error;
  }
}
