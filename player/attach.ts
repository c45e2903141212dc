import { AbrError, createAbrStar, LossEstimator, ThroughputEstimator, type Abr } from '../src/abr-star/index.js';
import {
  requestTypes,
  type DashMetrics,
  type DashPlayer,
  type LoaderResponse,
  type ResponseInterceptor,
} from './dash/dash-types.js';
import { BufferedVideo } from './dash/buffered-video.js';
import { deadlineOf } from './deadline.js';
import { probeOrigin, type OpenSession } from '../src/voxel-loader/index.js';
import { EventEmitter } from './events.js';
import { extendPlayer } from './dash/extensions.js';
import { fetchRange } from './fetch-range.js';
import { IndexLoader } from './index-loader.js';
import { Journal } from './journal.js';
import { keyOf, LoaderAdapter, type LoaderContext } from './dash/loader-adapter.js';
import { Presentation, type ManifestElement } from './dash/presentation.js';
import { RateControl } from './rate-control.js';
import { Repairers } from './repairers.js';
import { Retransmission } from './retransmission.js';
import { addRules } from './dash/rule-adapter.js';
import { createSessionSource, SessionManager } from './session-manager.js';
import { PlayerSettings } from './dash/settings.js';
import type { Delivery, VoxelEventMap, VoxelHandle, VoxelOptions, VoxelStatistics } from './types.js';

/** The thesis' larger buffer: on-demand playback without concern for latency (§6.5). */
const DEFAULT_BUFFER_SEGMENTS = 7;

/**
 * Makes a dash.js player load VOXEL video over WebTransport. Call it before `player.initialize()`. Presentations and
 * segments without VOXEL data play as ever, and so does everything when no VOXEL server answers.
 *
 * Throws `AbrError` or `RangeError` for a bad option and `PlayerError` for a player that cannot be attached to; nothing
 * throws later on.
 */
export function attachVoxel(player: DashPlayer, options: VoxelOptions = {}): VoxelHandle {
  return attachWith(player, options);
}

/** `withoutWorker` opens sessions on pages that can have no worker. */
export function attachWith(player: DashPlayer, options: VoxelOptions, withoutWorker?: OpenSession): VoxelHandle {
  return new Plugin(player, options, withoutWorker);
}

class Plugin implements VoxelHandle {
  readonly #player: DashPlayer;
  readonly #delivery: Delivery;
  /** Between datagrams and streams, segment by segment: unless the page has said how. */
  readonly #ruleChoosesDelivery: boolean;
  readonly #events = new EventEmitter<VoxelEventMap>();
  readonly #journal = new Journal(this.#events);
  readonly #throughput = new ThroughputEstimator();
  readonly #loss = new LossEstimator();
  readonly #sessions: SessionManager;
  readonly #settings: PlayerSettings;
  readonly #rateControl: RateControl | undefined;
  readonly #indexes: IndexLoader;
  readonly #repairers = new Repairers();
  readonly #video: BufferedVideo;
  readonly #retransmission: Retransmission | undefined;
  /** Other rules are compared as they are published, without deadlines. */
  readonly #usesDeadlines: boolean;
  readonly #loader: LoaderAdapter;
  readonly #undo: (() => void)[] = [];
  #presentation: Presentation | undefined;

  constructor(player: DashPlayer, options: VoxelOptions, withoutWorker: OpenSession | undefined) {
    const { abr = 'abr-star', bufferSegments = DEFAULT_BUFFER_SEGMENTS, delivery = 'datagrams' } = options;
    if (!(bufferSegments > 0 && Number.isFinite(bufferSegments))) {
      throw new RangeError(`bufferSegments must be a positive number, not ${bufferSegments}`);
    }
    this.#player = player;
    this.#usesDeadlines = abr === 'abr-star';
    this.#ruleChoosesDelivery = options.delivery === undefined;
    const rule = ruleOf(abr, options);
    this.#delivery = delivery === 'datagrams' ? (rule?.delivery ?? delivery) : delivery;
    if (rule) {
      const link = { throughput: this.#throughput, loss: this.#loss };
      this.#rateControl = new RateControl(rule, link, bufferSegments, this.#journal.decision);
    }
    this.#settings = new PlayerSettings(player, {
      bufferSegments,
      ruleOwner: this.#rateControl ? 'voxel' : 'dashjs',
    });
    this.#sessions = new SessionManager(createSessionSource(options.endpoint, withoutWorker), (event) =>
      this.#events.emit('session', event),
    );
    this.#indexes = new IndexLoader(fetchRange, (error, url) => this.#journal.fallback(error, url, undefined));
    this.#video = new BufferedVideo(player, (representation) => this.#repairers.initialization(keyOf(representation)));
    if (options.refetch ?? true) this.#retransmission = this.#createRetransmission();
    const context = this.#createContext();
    this.#loader = new LoaderAdapter(context);
    this.#undo.push(extendPlayer(player, this.#loader));
    if (this.#rateControl) this.#undo.push(addRules(player, context, this.#loader));
    this.#listen();
  }

  on<Type extends keyof VoxelEventMap>(type: Type, listener: (event: VoxelEventMap[Type]) => void): () => void {
    return this.#events.on(type, listener);
  }

  statistics(): VoxelStatistics {
    const { segments, decisions, fallbacks, errors } = this.#journal;
    return {
      delivery: this.#sessions.isOpen ? this.#delivery : 'http',
      segments: [...segments],
      decisions,
      fallbacks,
      errors: [...errors],
      throughput: this.#throughput.throughput,
      buffer: this.#bufferLevel(),
    };
  }

  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#loader.release();
    this.#retransmission?.stop();
    this.#indexes.stop();
    this.#sessions.stop();
    this.#settings.restore();
  }

  #createRetransmission(): Retransmission {
    return new Retransmission({
      ...{ sessions: this.#sessions, repairers: this.#repairers, journal: this.#journal },
      ...{ throughput: this.#throughput, settings: this.#settings },
      video: this.#video,
      bufferLevel: () => this.#bufferLevel(),
    });
  }

  #createContext(): LoaderContext {
    return {
      delivery: this.#delivery,
      ruleChoosesDelivery: this.#ruleChoosesDelivery,
      sessions: this.#sessions,
      settings: this.#settings,
      repairers: this.#repairers,
      retransmission: this.#retransmission,
      journal: this.#journal,
      throughput: this.#throughput,
      loss: this.#loss,
      rateControl: this.#rateControl,
      bufferLevel: () => this.#bufferLevel(),
      deadline: () => (this.#usesDeadlines ? deadlineOf(this.#bufferLevel(), this.#video.playbackRate) : undefined),
      presentation: () => this.#presentation,
      indexes: this.#indexes,
      probe: probeOrigin,
      openSession: (manifestUrl) => this.#openSession(manifestUrl),
    };
  }

  #listen(): void {
    const player = this.#player;
    const onManifestLoaded = (event: unknown): void =>
      this.#onManifestLoaded((event as { data?: ManifestElement }).data);
    const onSeeking = (): void => this.#rateControl?.reset();
    const interceptor: ResponseInterceptor = (response) => {
      this.#dropResourceTiming(response as LoaderResponse);
      return Promise.resolve(response);
    };
    player.on('manifestLoaded', onManifestLoaded);
    player.on('playbackSeeking', onSeeking);
    player.addResponseInterceptor(interceptor);
    this.#undo.push(() => {
      player.off('manifestLoaded', onManifestLoaded);
      player.off('playbackSeeking', onSeeking);
      player.removeResponseInterceptor(interceptor);
    });
  }

  #onManifestLoaded(manifest: ManifestElement | undefined): void {
    // dash.js says so of a manifest that could not be parsed, too.
    if (!manifest) return;
    const { url = '' } = manifest;
    this.#indexes.stop();
    this.#retransmission?.stop();
    this.#presentation = new Presentation(manifest, location.href);
    for (const error of this.#presentation.errors) this.#journal.fallback(error, url, undefined);
    this.#rateControl?.reset();
    if (this.#presentation.hasVoxelData) {
      this.#openSession(url);
    } else {
      this.#sessions.stop();
      this.#settings.restore();
    }
  }

  #openSession(manifestUrl: string): void {
    if (this.#delivery !== 'http') this.#sessions.start(new URL(manifestUrl, location.href).origin);
  }

  /**
   * dash.js measures a download by the first ResourceTiming entry with its URL. All segments of a representation have
   * the same URL, so that is the initialization segment's entry.
   */
  #dropResourceTiming({ request }: LoaderResponse): void {
    const fragment = request.customData.request;
    if (fragment.type !== requestTypes.media || !fragment.representation) return;
    if (this.#presentation?.representation(fragment.representation)) fragment.resourceTimingValues = null;
  }

  /** Seconds of video; 0 before `initialize()` and after `destroy()`. */
  #bufferLevel(): number {
    const metrics = this.#player.getDashMetrics() as DashMetrics | null | undefined;
    return metrics?.getCurrentBufferLevel('video') ?? 0;
  }
}

/** Undefined: dash.js chooses. */
function ruleOf(abr: Required<VoxelOptions>['abr'], options: VoxelOptions): Abr | undefined {
  if (abr === 'abr-star') return createAbrStar(options);
  if (abr === 'dashjs') return undefined;
  if (typeof abr !== 'object') throw new AbrError('unknown-rule', `no rule ${String(abr)} here: try voxel-dash/full`);
  return abr;
}
