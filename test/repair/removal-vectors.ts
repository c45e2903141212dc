import { createRepairer, RepairError, type FrameReport } from '../../src/repair/index.js';
import type { RemovableFrame } from '../../src/repair/types.js';
import { punch, receivedExcept, type Gap } from './gaps.js';
import { fromHex } from './vectors.js';

/** A segment that `manifests/tests/removal_vectors.py` made, what is missing of it, and what becomes of it; bytes are hexadecimal. */
export interface RemovalVector {
  readonly init: string;
  readonly segment: string;
  readonly plan: readonly RemovableFrame[];
  readonly gaps: readonly Gap[];
  readonly bytes?: string;
  readonly frames?: readonly FrameReport[];
  /** Code of the error, instead. */
  readonly error?: string;
}

type Outcome = Pick<RemovalVector, 'bytes' | 'frames' | 'error'>;

/** What the other implementation made of it. */
export const outcomeOf = ({ bytes, frames, error }: RemovalVector): Outcome => ({ bytes, frames, error });

/** What this implementation makes of it. */
export function repairVector({ init, segment, plan, gaps }: RemovalVector): Outcome {
  try {
    const repairer = createRepairer(fromHex(init));
    const damaged = punch(fromHex(segment), gaps);
    const { bytes, frames } = repairer.repair(damaged, receivedExcept(gaps), { kind: 'remove', frames: plan });
    return { bytes: Buffer.from(bytes).toString('hex'), frames };
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    return { error: error.code };
  }
}

export { fromHex as bytesOf };
