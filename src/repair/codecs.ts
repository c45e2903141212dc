import type { Codec } from './codec.js';
import type { TrackEncryption } from './encryption.js';
import { unsupported } from './errors.js';
import { parseSampleEntry } from './fmp4.js';
import { openH264 } from './h264/codec.js';

/** What an initialization segment says of its track. Throws `RepairError` for a codec that is not known, and for what is malformed. */
export function readTrack(init: Uint8Array): readonly [codec: Codec, encryption: TrackEncryption | undefined] {
  const entry = parseSampleEntry(init);
  // Another codec comes behind, with `??`; no other file imports from its folder (test/unit/zones.ts).
  const codec = openH264(entry);
  if (!codec) throw unsupported(`codec ${entry.type}`);
  return [codec, entry.encryption];
}
