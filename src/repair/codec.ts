import type { TrackEncryption } from './encryption.js';
import { malformed, unsupported } from './errors.js';
import { parseSampleEntry } from './fmp4.js';
import { type ParameterSets, parseParameterSets } from './h264/parameter-sets.js';

/** What an H.264 initialization segment says of its track. Throws `RepairError` for another codec, and for what is malformed. */
export function readTrack(
  init: Uint8Array,
): readonly [parameterSets: ParameterSets, encryption: TrackEncryption | undefined] {
  const entry = parseSampleEntry(init);
  if (entry.type !== 'avc1' && entry.type !== 'avc3') {
    throw unsupported(`codec ${entry.type}`);
  }
  const configuration = entry.configuration('avcC');
  if (!configuration) throw malformed(`${entry.type} without avcC`);
  return [parseParameterSets(configuration), entry.encryption];
}
