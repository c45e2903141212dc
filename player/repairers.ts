import { createRepairer, type Repairer } from '../src/repair/index.js';
import type { RepairedSegment } from '../src/repair/types.js';
import type { DeliveredSegment } from '../src/voxel-loader/index.js';
import { PlayerError } from './errors.js';

/** One repairer per representation, made from the initialization segments that pass through the loader. */
export class Repairers {
  readonly #initializations = new Map<string, Uint8Array>();
  readonly #repairers = new Map<string, Repairer>();

  addInitialization(representation: string, bytes: Uint8Array): void {
    this.#initializations.set(representation, bytes);
    this.#repairers.delete(representation);
  }

  initialization(representation: string): Uint8Array | undefined {
    return this.#initializations.get(representation);
  }

  /** False: segments of that representation must come whole. */
  canRepair(representation: string): boolean {
    try {
      this.#get(representation);
      return true;
    } catch {
      return false;
    }
  }

  /** Makes a delivered segment playable. Throws `RepairError` or `PlayerError` when it cannot be. */
  repair(representation: string, { bytes, received }: Pick<DeliveredSegment, 'bytes' | 'received'>): RepairedSegment {
    try {
      return this.#get(representation).repair(bytes, received);
    } catch (error) {
      // A complete segment plays whatever it is made of: only its frames stay unknown.
      if (received.contains(0, bytes.length)) return { bytes, frames: [] };
      throw error;
    }
  }

  #get(representation: string): Repairer {
    const initialization = this.#initializations.get(representation);
    if (!initialization) {
      throw new PlayerError('no-initialization', `no initialization segment of ${representation} to repair with`);
    }
    const repairer = this.#repairers.get(representation) ?? createRepairer(initialization);
    this.#repairers.set(representation, repairer);
    return repairer;
  }
}
