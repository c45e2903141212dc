import { attachLive, locateWith, type LiveOptions } from '../player/live/attach-live.js';
import type { DashPlayer } from '../player/dash/dash-types.js';
import { PathFollower } from '../player/network/path-follower.js';
import { createSessionSource, type SessionSource } from '../player/network/session-manager.js';
import type { AbrName, LiveHandle, PathReport, VoxelOptions } from '../player/api/types.js';
import type { Abr } from '../src/abr-star/index.js';
import { runOnPage } from '../src/voxel-loader/worker/run-on-page.js';
import { createAbr, type AbrName as NamedRule } from './rivals/registry.js';
import { ConnectionsControl } from './strategies/connections-control.js';
import { connectionsRule } from './strategies/connections-rules.js';
import type { LabEndpoint } from './strategies/open-lab-paths.js';
import { ruleUnder } from './strategies/rule-under.js';
import { SCHEDULES } from './strategies/schedules.js';
import { strategyOf, type LabStrategy, type StrategyName } from './strategies/strategies.js';
import { labAbilities } from './worker/abilities.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = NamedRule | AbrName;

export interface LabOptions extends Omit<LiveOptions, 'abr' | 'strategy'> {
  /** Default `abr-star`. */
  readonly abr?: RuleName | VoxelOptions['abr'];
  /** Default `voxel`. */
  readonly strategy?: StrategyName | LabStrategy;
}

/**
 * `attachVoxel` of the build for live streams with every rule and strategy by its name, and with sessions on the page's own thread where the
 * page's content security policy forbids workers from Blob URLs.
 */
export function attachVoxel(player: DashPlayer, options: LabOptions = {}): LiveHandle {
  const { abr: rule, strategy: name } = options;
  const abr = typeof rule !== 'string' || rule === 'dashjs' ? rule : createAbr(rule, options);
  const strategy = typeof name === 'string' ? strategyOf(name) : name;
  const { flows, schedule, isGroup = false } = strategy ?? {};
  const connections = flows === undefined ? undefined : new ConnectionsControl(connectionsRule(flows));
  const listened = connections ? connections.listenTo(ruleFor(abr, options)) : abr;
  const isRule = strategy && listened !== 'dashjs';
  const plain = { ...options, abr: isRule ? ruleUnder(strategy, ruleFor(listened, options)) : listened, strategy };
  const design = { schedule: knownSchedule(schedule), hasConnections: connections !== undefined };
  return attachLive(player, plain, {
    withoutWorker: () => runOnPage(labAbilities),
    source: (receiver, endpoint, ask) => {
      const source = createSessionSource(receiver, endpoint, ask);
      const locate = locateInLab(locateWith(plain, ask), design);
      const open: SessionSource['open'] = async (located, after) => {
        const session = await source.open(located, after);
        return connections?.direct(session) ?? session;
      };
      return { ...source, locate, open };
    },
    follow: (...of) => (connections ? new ConnectionsFollower(connections, ...of) : new PathFollower(...of)),
    isGroup,
  });
}

/** Tells what came over each connection, too. */
class ConnectionsFollower extends PathFollower {
  readonly #connections: ConnectionsControl;

  constructor(connections: ConnectionsControl, ...of: ConstructorParameters<typeof PathFollower>) {
    super(...of);
    this.#connections = connections;
  }

  override update(paths: readonly PathReport[]): void {
    this.#connections.update(paths);
    super.update(paths);
  }
}

/** Throws `RangeError` where dash.js chooses: nobody would say what is wanted. */
function ruleFor(abr: VoxelOptions['abr'] = 'abr-star', options: LabOptions): Abr {
  if (abr === 'dashjs') throw new RangeError("a strategy with flows needs a rule of the plugin, got abr 'dashjs'");
  return typeof abr === 'object' ? abr : createAbr(abr, options);
}

/** Throws `RangeError` for a schedule that is none. */
function knownSchedule(schedule: LabStrategy['schedule']): LabStrategy['schedule'] {
  if (schedule === undefined || Object.hasOwn(SCHEDULES, schedule)) return schedule;
  const known = Object.keys(SCHEDULES).join(', ');
  throw new RangeError(`the strategy's schedule must be one of ${known}, got ${schedule}`);
}

/** The endpoint, with what the worker of this build is to know of the strategy. */
function locateInLab(
  locate: SessionSource['locate'],
  design: Pick<LabEndpoint, 'schedule' | 'hasConnections'>,
): SessionSource['locate'] {
  return async (origin, signal): Promise<LabEndpoint> => ({ ...(await locate(origin, signal)), ...design });
}
