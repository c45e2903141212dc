import { malformed, unsupported } from './errors.js';
import { parseSampleEntry } from './fmp4.js';
import { parseParameterSets } from './h264/parameter-sets.js';
import { H264Repairer } from './h264/repairer.js';
import type { Repairer } from './types.js';

export { RepairError, type RepairErrorCode } from './errors.js';
export type { FrameReport, ReceivedBytes, RepairedSegment, Repairer } from './types.js';

/**
 * The repairer for the codec of an initialization segment.
 * Throws `RepairError`: `unsupported-stream` with the reason why its segments must come whole, or `malformed`.
 */
export function createRepairer(init: Uint8Array): Repairer {
  const entry = parseSampleEntry(init);
  if (entry.type !== 'avc1' && entry.type !== 'avc3') {
    throw unsupported(`codec ${entry.type}`);
  }
  const configuration = entry.configuration('avcC');
  if (!configuration) throw malformed(`${entry.type} without avcC`);
  return new H264Repairer(parseParameterSets(configuration), entry.encryption);
}
