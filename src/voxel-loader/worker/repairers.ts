import type { ChunkState, RepairedSegment, Repairer, RepairPlan } from '../../repair/index.js';
import { VoxelError } from '../errors.js';
import type { RepairAbility } from '../messages.js';
import type { Cutter } from './hand-over.js';
import type { ReceivedSegment } from './types.js';

type CreateRepairer = (initialization: Uint8Array) => Repairer;

/** Where repairers come from. */
export interface Repairing {
  readonly create: CreateRepairer;
  /** Loads what follows plans and knows encryption, as `create` then does not. Rejects with `VoxelError`. */
  readonly load?: () => Promise<CreateRepairer>;
}

/** Tracks that are not repaired without what is loaded: of these codecs missing frames can only be taken out; `encv` is encrypted video. */
const LOADED_FOR = /av01|vp09|hev1|hvc1|encv/;

/** One repairer per representation, made from its initialization segment. */
export class Repairers {
  readonly #initializations = new Map<string, Uint8Array>();
  readonly #repairers = new Map<string, Repairer>();
  #create: CreateRepairer;
  #loading: Promise<void> | undefined;

  constructor(private readonly repairing: Repairing) {
    this.#create = repairing.create;
  }

  /** Loads what a track of that codec (RFC 6381, or `encv`) will need. */
  expect(codec: string): void {
    if (LOADED_FOR.test(codec)) void this.#followPlans().catch(() => undefined);
  }

  /**
   * `none`: segments of that representation must be delivered whole. Rejects with `VoxelError` where what would take frames out cannot be
   * loaded.
   */
  async add(representation: string, initialization: Uint8Array): Promise<RepairAbility> {
    this.#initializations.set(representation, initialization);
    this.#repairers.delete(representation);
    let repairer: Repairer;
    try {
      repairer = this.#get(representation);
    } catch {
      return 'none';
    }
    if (repairer.isSound) return 'none';
    if (!repairer.needsPlan) return 'all';
    await this.#followPlans();
    // Of a track that is encrypted only what was loaded knows more.
    return this.#get(representation).needsPlan ? 'planned' : 'all';
  }

  /** Loads what follows plans, if need be. */
  #followPlans(): Promise<void> {
    const { load } = this.repairing;
    if (!load) return Promise.resolve();
    this.#loading ??= load().then(
      (create) => {
        this.#create = create;
        for (const representation of this.#repairers.keys())
          this.#repairers.set(representation, create(this.#initializations.get(representation)!));
      },
      (error: unknown) => {
        // Whoever needs it next tries again.
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** A repairer for that plan. Until what follows plans is here, frames are replaced, as without one. */
  #planned(representation: string, plan: RepairPlan | undefined): Repairer {
    if (plan) this.#followPlans().catch(() => undefined);
    return this.#get(representation);
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
      return this.#planned(representation, plan).repair(bytes, received, plan, before);
    } catch (error) {
      // A complete segment plays whatever it is made of: only its frames stay unknown.
      if (received.contains(0, bytes.length)) return { bytes, frames: [] };
      throw error;
    }
  }

  /** How segments of the representation with that plan are cut and their pieces repaired. Its functions throw as `repair` does. */
  cutter(representation: string, plan: RepairPlan | undefined): Cutter {
    return {
      pieces: (segment, received, { first, others }) =>
        this.#get(representation).pieces(segment, received, others, first),
      repairPiece: (segment, received, piece, before) =>
        this.#planned(representation, plan).repairPiece(segment, received, piece, plan, before),
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
    const repairer = this.#repairers.get(representation) ?? this.#create(initialization);
    this.#repairers.set(representation, repairer);
    return repairer;
  }
}
