import { commonEncryption } from './encryption.js';
import { plans } from './plans.js';
import { createReplacer } from './replacer.js';
import type { Repairer } from './types.js';

export { createReplacer } from './replacer.js';
export { RepairError, type RepairErrorCode } from './errors.js';
export type {
  ChunkState,
  CutPiece,
  FrameReport,
  ReceivedBytes,
  RepairedSegment,
  Repairer,
  RepairPlan,
} from './types.js';

/** The repairer for the track of an initialization segment. Throws `RepairError` (malformed, unsupported-stream). */
export function createRepairer(init: Uint8Array): Repairer {
  return createReplacer(init, plans, commonEncryption);
}
