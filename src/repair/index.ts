import { readTrack } from './codecs.js';
import { trackRepairer } from './repairer.js';
import type { Repairer } from './types.js';

export { RepairError, type RepairErrorCode } from './errors.js';
export type { FrameReport, ReceivedBytes, RepairedSegment, Repairer, RepairPlan } from './types.js';

/**
 * The repairer for the codec of an initialization segment.
 * Throws `RepairError`: `unsupported-stream` with the reason why its segments must come whole, or `malformed`.
 */
export function createRepairer(init: Uint8Array): Repairer {
  return trackRepairer(readTrack(init));
}
