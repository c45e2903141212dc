import { createAbr, type Abr, type AbrName as NamedRule } from '../src/abr-star/index.js';
import { flowsRule } from '../src/delivery/flows-rules.js';
import { strategyOf, type StrategyName } from '../src/delivery/strategies.js';
import { SCHEDULES } from '../src/delivery/schedules.js';
import { createEndpoint, discoverEndpoint } from '../src/voxel-loader/index.js';
import { createPaths, parsePaths } from '../src/voxel-loader/paths.js';
import { full } from '../src/voxel-loader/worker/full.js';
import { runOnPage } from '../src/voxel-loader/worker/run-on-page.js';
import { attachWith } from './attach.js';
import type { DashPlayer } from './dash/dash-types.js';
import { FlowsControl } from './flows-control.js';
import { LivePlugin, type ChunkEvent, type LiveEventMap, type LiveStatistics } from './live.js';
import { PathFollower } from './network/path-follower.js';
import { createSessionSource, type SessionSource } from './network/session-manager.js';
import type {
  AbrName,
  Delivery,
  EndpointOption,
  PathReport,
  VoxelEventMap,
  VoxelHandle,
  VoxelOptions,
  VoxelStatistics,
} from './types.js';

export * from './index.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = NamedRule | AbrName;

/** One address of the service. */
export interface PathOption extends EndpointOption {
  /** Above 0: metered, used where playback would stall otherwise. Default 0. */
  readonly cost?: number;
}

export interface FullVoxelOptions extends Omit<VoxelOptions, 'abr' | 'strategy'> {
  /** Default `abr-star`. */
  readonly abr?: RuleName | VoxelOptions['abr'];
  /** Default `voxel`. */
  readonly strategy?: StrategyName | VoxelOptions['strategy'];
  /** Several addresses of the service, all of which are used: each has a session. Default: what `voxel.json` says (docs/DELIVERY.md). */
  readonly paths?: readonly PathOption[];
}

export { liveClock, measureLatency, type LatencyMeter, type LiveClock } from './latency/latency.js';
export type { LatencySummary } from './latency/latency-statistics.js';
export type { ChunkEvent, LiveStatistics };

export interface FullEventMap extends VoxelEventMap {
  chunk: ChunkEvent;
}

export interface FullStatistics extends VoxelStatistics {
  /** Undefined: what plays is not live with records. */
  readonly live: LiveStatistics | undefined;
}

/** As `VoxelHandle`, and what live streams add to it. */
export interface FullVoxelHandle extends VoxelHandle {
  on<Type extends keyof FullEventMap>(type: Type, listener: (event: FullEventMap[Type]) => void): () => void;
  statistics(): FullStatistics;
}

/**
 * As `attachVoxel` of the plain build, with live streams, with every rule and strategy by its name, over several paths where there are some, and with
 * sessions on the page's own thread where the page's content security policy forbids workers from Blob URLs.
 */
export function attachVoxel(player: DashPlayer, options: FullVoxelOptions = {}): FullVoxelHandle {
  const { abr: rule, strategy: name } = options;
  const abr = typeof rule !== 'string' || rule === 'dashjs' ? rule : createAbr(rule, options);
  const strategy = typeof name === 'string' ? strategyOf(name) : name;
  const flows = strategy?.flows === undefined ? undefined : new FlowsControl(flowsRule(strategy.flows));
  const locate = locateWith(options, strategy?.schedule, flows !== undefined);
  const plain = { ...options, abr: flows ? flows.listenTo(ruleFor(abr, options)) : abr, strategy };
  const withoutWorker = () => runOnPage(full);
  const handle = attachWith(player, plain, {
    withoutWorker,
    source: (receiver, endpoint) => {
      const source = createSessionSource(receiver, endpoint);
      const open: SessionSource['open'] = async (located) => {
        const session = await source.open(located);
        return flows?.direct(session) ?? session;
      };
      return { ...source, locate, open };
    },
    // Live streams have a session of their own.
    opensEarly: () => !live.isLive,
    follow: (...of) => (flows ? new FlowsFollower(flows, ...of) : new PathFollower(...of)),
  });
  const live = new LivePlugin(player, plain, withoutWorker);
  return withLive(handle, live, options.delivery ?? 'datagrams');
}

function withLive(handle: VoxelHandle, live: LivePlugin, delivery: Delivery): FullVoxelHandle {
  return {
    on: (type, listener) => {
      const stop = [
        handle.on(type as keyof VoxelEventMap, listener as (event: unknown) => void),
        live.events.on(type as keyof LiveEventMap, listener as (event: unknown) => void),
      ];
      return () => stop.forEach((one) => one());
    },
    statistics: () => {
      const statistics = handle.statistics();
      if (!live.isLive) return { ...statistics, live: undefined };
      const { fallbacks, errors } = live.statistics;
      return {
        ...statistics,
        delivery: live.isOpen ? delivery : 'http',
        fallbacks: statistics.fallbacks + fallbacks,
        errors: [...statistics.errors, ...errors],
        throughput: live.statistics.rate,
        live: live.statistics,
      };
    },
    detach: () => {
      live.detach();
      handle.detach();
    },
  };
}

/** Tells what came over each connection, too. */
class FlowsFollower extends PathFollower {
  readonly #flows: FlowsControl;

  constructor(flows: FlowsControl, ...of: ConstructorParameters<typeof PathFollower>) {
    super(...of);
    this.#flows = flows;
  }

  override update(paths: readonly PathReport[]): void {
    this.#flows.update(paths);
    super.update(paths);
  }
}

/** Throws `RangeError` where dash.js chooses: nobody would say what is wanted. */
function ruleFor(abr: VoxelOptions['abr'] = 'abr-star', options: FullVoxelOptions): Abr {
  if (abr === 'dashjs') throw new RangeError("a strategy with flows needs a rule of the plugin, got abr 'dashjs'");
  return typeof abr === 'object' ? abr : createAbr(abr, options);
}

/** Throws `RangeError` for a schedule that is none. */
function locateWith(
  { paths, endpoint }: FullVoxelOptions,
  schedule: string | undefined,
  hasFlows: boolean,
): SessionSource['locate'] {
  if (schedule !== undefined && !Object.hasOwn(SCHEDULES, schedule))
    throw new RangeError(
      `the strategy's schedule must be one of ${Object.keys(SCHEDULES).join(', ')}, got ${schedule}`,
    );
  return async (origin, signal) => {
    if (paths) return { ...createPaths(paths), schedule, hasFlows };
    if (endpoint) return { ...createEndpoint(endpoint.url, endpoint.certificateHashes), schedule, hasFlows };
    return { ...(await discoverEndpoint(origin, signal, parsePaths)), schedule, hasFlows };
  };
}
