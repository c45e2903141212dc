import { readTrack } from './codecs.js';
import { pieceRepairer } from './pieces.js';
import { trackRepairer } from './repairer.js';
import type { Repairer } from './types.js';

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
  const track = readTrack(init);
  return { ...trackRepairer(track), ...pieceRepairer(track) };
}
