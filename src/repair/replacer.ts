import { readTrack } from './codecs.js';
import { pieceRepairer } from './pieces.js';
import type { CommonEncryption } from './encryption.js';
import type { Plans } from './plans.js';
import { trackRepairer } from './repairer.js';
import type { Repairer } from './types.js';

/**
 * The repairer for the track of an initialization segment that replaces missing frames, and follows plans only with `plans`: what a plan
 * lets go is replaced, too. Without `encryption` nothing stands in for frames of encrypted tracks. Throws `RepairError` (malformed, unsupported-stream).
 */
export function createReplacer(init: Uint8Array, plans?: Plans, encryption?: CommonEncryption): Repairer {
  const means = { track: readTrack(init, encryption), plans };
  return { ...trackRepairer(means), ...pieceRepairer(means) };
}
