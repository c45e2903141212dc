import { LossEstimator, ThroughputEstimator } from '../src/abr-star/index.js';
import { PathEstimate } from '../src/delivery/index.js';
import { Receiver, type ReceiverOptions } from '../src/voxel-loader/index.js';
import type { WorkerLike } from '../src/voxel-loader/start-worker.js';
import { BufferedVideo } from './dash/buffered-video.js';
import { DashAdapter } from './dash/dash-adapter.js';
import type { DashPlayer } from './dash/dash-types.js';
import { keyOf } from './dash/presentation.js';
import { PlayerSettings } from './dash/settings.js';
import { EventEmitter } from './events.js';
import { Journal } from './journal.js';
import { resolveOptions } from './options.js';
import { followPage } from './page-lifecycle.js';
import type { PathFollower } from './path-follower.js';
import { RateControl } from './rate-control.js';
import { Retransmission } from './retransmission.js';
import { createSessionSource, SessionManager } from './session-manager.js';
import type { Delivery, VoxelEventMap, VoxelHandle, VoxelOptions, VoxelStatistics } from './types.js';

/**
 * Makes a dash.js player load VOXEL video over WebTransport. Call it before `player.initialize()`. Presentations and
 * segments without VOXEL data play as before, and so does everything when no VOXEL server answers.
 *
 * Throws `AbrError` or `RangeError` for a bad option and `PlayerError` for a player that cannot be attached to; nothing
 * throws later on.
 */
export function attachVoxel(player: DashPlayer, options: VoxelOptions = {}): VoxelHandle {
  return attachWith(player, options, {});
}

/** What the full build has besides. */
export interface Additions {
  /** Does the worker's work on pages that can have none. */
  readonly withoutWorker?: () => WorkerLike;
  /** Sessions with several paths where there are some. */
  readonly source?: typeof createSessionSource;
  /** False: the session is not opened before a manifest says that it is of use. Default: always true. */
  readonly opensEarly?: () => boolean;
  /** Made for each player: follows the paths. */
  readonly follow?: (...of: ConstructorParameters<typeof PathFollower>) => PathFollower;
}

export function attachWith(player: DashPlayer, options: VoxelOptions, additions: Additions): VoxelHandle {
  return new Plugin(player, options, additions);
}

class Plugin implements VoxelHandle {
  readonly #events = new EventEmitter<VoxelEventMap>();
  readonly #journal = new Journal(this.#events);
  readonly #link = { throughput: new ThroughputEstimator(), loss: new LossEstimator(), path: new PathEstimate() };
  readonly #delivery: Delivery;
  readonly #paths: PathFollower | undefined;
  readonly #receiver: Receiver;
  readonly #sessions: SessionManager;
  readonly #video: BufferedVideo;
  readonly #retransmission: Retransmission | undefined;
  readonly #adapter: DashAdapter;
  readonly #leavePage: () => void;

  constructor(
    player: DashPlayer,
    options: VoxelOptions,
    { withoutWorker, source = createSessionSource, opensEarly = () => true, follow }: Additions,
  ) {
    const { rule, bufferSegments, preferences } = resolveOptions(options);
    this.#delivery = preferences.delivery;
    this.#paths = follow?.(this.#link.throughput, (event) => this.#events.emit('path', event));
    const onPaths: ReceiverOptions['onPaths'] = (paths) => this.#paths?.update(paths);
    this.#receiver = new Receiver({ workerUrl: options.workerUrl, withoutWorker, onPaths });
    this.#sessions = new SessionManager(source(this.#receiver, options.endpoint), (event) =>
      this.#events.emit('session', event),
    );
    const settings = new PlayerSettings(player, { bufferSegments, ruleOwner: rule ? 'voxel' : 'dashjs' });
    this.#video = new BufferedVideo(player, (representation) => this.#receiver.initialization(keyOf(representation)));
    const shared = { sessions: this.#sessions, journal: this.#journal, video: this.#video, settings };
    if (preferences.strategy.retransmission)
      this.#retransmission = new Retransmission({ ...shared, throughput: this.#link.throughput });
    this.#adapter = new DashAdapter(player, {
      ...shared,
      link: this.#link,
      receiver: this.#receiver,
      rateControl: rule && new RateControl(rule, this.#link, bufferSegments, this.#journal.decision),
      retransmission: this.#retransmission,
      preferences,
      opensEarly,
    });
    this.#leavePage = followPage(this.#sessions);
  }

  on<Type extends keyof VoxelEventMap>(type: Type, listener: (event: VoxelEventMap[Type]) => void): () => void {
    return this.#events.on(type, listener);
  }

  statistics(): VoxelStatistics {
    const { segments, decisions, fallbacks, errors } = this.#journal;
    return {
      delivery: this.#sessions.isOpen ? this.#delivery : 'http',
      segments,
      decisions,
      fallbacks,
      errors: [...errors],
      paths: this.#paths?.paths ?? [],
      throughput: this.#link.throughput.throughput,
      buffer: this.#video.bufferLevel,
    };
  }

  detach(): void {
    this.#leavePage();
    this.#adapter.detach();
    this.#retransmission?.stop();
    this.#sessions.stop();
    this.#receiver.close();
  }
}
