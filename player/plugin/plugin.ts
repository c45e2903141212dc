import { LossEstimator, ThroughputEstimator } from '../../src/abr-star/index.js';
import { PathEstimate } from '../../src/delivery/index.js';
import { Receiver, type ReceiverOptions } from '../../src/voxel-loader/index.js';
import type { WorkerLike } from '../../src/voxel-loader/start-worker.js';
import { EventEmitter } from '../api/events.js';
import { Journal } from '../segments/record/journal.js';
import type { ResolvedOptions } from './options.js';
import { StandingBuffer } from './standing-buffer.js';
import { PageRequests } from '../network/page-requests.js';
import { followPage } from '../network/page-lifecycle.js';
import type { PathFollower } from '../network/path-follower.js';
import { RateControl } from '../segments/choose/rate-control.js';
import { Retransmission } from '../segments/record/retransmission.js';
import type { PlayerVideo } from '../port/player-segment.js';
import type { Connection, OpenPort } from '../segments/wiring.js';
import { Viewing } from '../viewing/viewing.js';
import { createSessionSource, SessionManager } from '../network/session-manager.js';
import type {
  Delivery,
  LivePluginEventMap,
  LivePluginStatistics,
  VoxelHandle,
  VoxelOptions,
  VoxelStatistics,
  VoxelSummary,
} from '../api/types.js';

/** What the full build has besides. */
export interface Additions {
  /** Does the worker's work on pages that can have none. */
  readonly withoutWorker?: () => WorkerLike;
  /** Sessions with several paths where there are some. */
  readonly source?: typeof createSessionSource;
  /** Made for each player: follows the paths. */
  readonly follow?: (...of: ConstructorParameters<typeof PathFollower>) => PathFollower;
}

/** The plugin in one player. */
export class Plugin implements VoxelHandle {
  readonly #events = new EventEmitter<LivePluginEventMap>();
  readonly #journal = new Journal(this.#events);
  readonly #link = { throughput: new ThroughputEstimator(), loss: new LossEstimator(), path: new PathEstimate() };
  readonly #delivery: Delivery;
  readonly #paths: PathFollower | undefined;
  readonly #receiver: Receiver;
  readonly #sessions: SessionManager;
  readonly #video: PlayerVideo;
  readonly #retransmission: Retransmission | undefined;
  readonly #standing: StandingBuffer;
  readonly #viewing: Viewing;
  readonly #connection: Connection;
  readonly #leavePage: () => void;

  constructor(
    openPort: OpenPort,
    options: Pick<VoxelOptions, 'workerUrl' | 'endpoint'>,
    { rule, bufferSegments, preferences }: ResolvedOptions,
    { withoutWorker, source = createSessionSource, follow }: Additions = {},
  ) {
    this.#delivery = preferences.delivery;
    this.#paths = follow?.(this.#link.throughput, (event) => this.#events.emit('path', event));
    const onPaths: ReceiverOptions['onPaths'] = (paths) => this.#paths?.update(paths);
    const page = new PageRequests(preferences.headerHosts);
    this.#receiver = new Receiver({ workerUrl: options.workerUrl, withoutWorker, onPaths });
    this.#sessions = new SessionManager(source(this.#receiver, options.endpoint, page.fetch), (event) =>
      this.#events.emit('session', event),
    );
    const port = openPort(this.#receiver, { bufferSegments, ruleOwner: rule ? 'voxel' : 'player' });
    const { video, settings } = port;
    this.#video = video;
    const [sessions, receiver, journal, link] = [this.#sessions, this.#receiver, this.#journal, this.#link];
    const { throughput } = link;
    const { strategy } = preferences;
    const rateControl = rule && new RateControl(rule, link, bufferSegments, journal.decision);
    const retransmission = strategy.retransmission
      ? new Retransmission({ sessions, throughput, settings, video, journal })
      : undefined;
    this.#retransmission = retransmission;
    const viewing = new Viewing({ events: this.#events, element: () => video.element, delivery: this.#delivery });
    this.#viewing = viewing;
    const forPlayer = { video, settings, rateControl, retransmission, preferences, viewing };
    const parts = { sessions, receiver, page, journal, link, ...forPlayer };
    this.#standing = new StandingBuffer({ video, settings });
    this.#connection = port.connect(parts);
    this.#leavePage = followPage(this.#sessions);
  }

  on<Type extends keyof LivePluginEventMap>(
    type: Type,
    listener: (event: LivePluginEventMap[Type]) => void,
  ): () => void {
    return this.#events.on(type, listener);
  }

  statistics(): VoxelStatistics & Partial<LivePluginStatistics> {
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
      ...this.#connection.live,
    };
  }

  summary(): VoxelSummary {
    return this.#viewing.summary();
  }

  detach(): void {
    this.#viewing.stop();
    this.#leavePage();
    this.#connection.detach();
    this.#standing.stop();
    this.#retransmission?.stop();
    this.#sessions.stop();
    this.#receiver.close();
  }
}
