import {
  type ChunkState,
  createRepairer,
  type RepairedSegment,
  type Repairer,
  type RepairPlan,
} from '../../repair/index.js';
import { VoxelError } from '../errors.js';
import type { RepairAbility } from '../messages.js';
import type { Cutter } from './hand-over.js';
import type { ReceivedSegment } from './types.js';

/** One repairer per representation, made from its initialization segment. */
export class Repairers {
  readonly #initializations = new Map<string, Uint8Array>();
  readonly #repairers = new Map<string, Repairer>();

  /** `none`: segments of that representation must be delivered whole. */
  add(representation: string, initialization: Uint8Array): RepairAbility {
    this.#initializations.set(representation, initialization);
    this.#repairers.delete(representation);
    try {
      return this.#get(representation).needsPlan ? 'planned' : 'all';
    } catch {
      return 'none';
    }
  }

  /** Whether nothing stands in for a missing frame of the representation: it can only be taken out. */
  needsPlan(representation: string): boolean {
    return !!this.#repairers.get(representation)?.needsPlan;
  }

  /** Makes a delivered segment playable, or a chunk that is appended behind what `before` was left of. Throws `RepairError` or `VoxelError` when that is not possible. */
  repair(
    representation: string,
    { bytes, received }: Pick<ReceivedSegment, 'bytes' | 'received'>,
    plan?: RepairPlan,
    before?: ChunkState,
  ): RepairedSegment {
    try {
      return this.#get(representation).repair(bytes, received, plan, before);
    } catch (error) {
      // A complete segment plays whatever it is made of: only its frames stay unknown.
      if (received.contains(0, bytes.length)) return { bytes, frames: [] };
      throw error;
    }
  }

  /** How segments of the representation with that plan are cut and their pieces repaired. Its functions throw as `repair` does. */
  cutter(representation: string, plan: RepairPlan | undefined): Cutter {
    return {
      pieces: (segment, received, seconds) => this.#get(representation).pieces(segment, received, seconds),
      repairPiece: (segment, received, piece, before) =>
        this.#get(representation).repairPiece(segment, received, piece, plan, before),
    };
  }

  #get(representation: string): Repairer {
    const initialization = this.#initializations.get(representation);
    if (!initialization) {
      throw new VoxelError(
        'no-initialization',
        `the initialization segment of representation ${representation} is not known`,
      );
    }
    const repairer = this.#repairers.get(representation) ?? createRepairer(initialization);
    this.#repairers.set(representation, repairer);
    return repairer;
  }
}
