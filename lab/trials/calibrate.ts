import { runTask, type Experiment, type SessionResult } from '../sim/experiment.js';
import { BROWSER_PLAYER } from '../sim/player-model.js';
import { UserError } from '../../tools/setup/process.mjs';
import { hasCrossTraffic } from './cross-traffic.js';
import type { PathSpec } from './path.js';
import { anyContent, type Trial } from './plan.js';
import type { SimulatedSession, TrialResult } from './result.js';
import type { System } from './system.js';
import type { QuicPath } from '../sim/link/quic-transport.js';
import type { Trace } from '../sim/link/trace.js';

/** What full packets take where an emulated queue is counted in bandwidth-delay products. */
const FULL_PACKET_BYTES = 1500;

/** The simulator's session for every trial that it can play and that has a valid result. */
export function simulateAll(
  trials: readonly Trial[],
  results: readonly TrialResult[],
  shifts: number,
  commit: string,
): SimulatedSession[] {
  const played = new Set(results.filter(({ valid }) => valid).map(({ id }) => anyContent(id)));
  return trials.flatMap((trial) => {
    const session = played.has(anyContent(trial.id)) ? simulateTrial(trial, shifts) : undefined;
    return session
      ? [{ id: trial.id, commit, bufRatio: session.bufRatio, score: session.score, bitrate: session.bitrate }]
      : [];
  });
}

/** The session of a trial in the simulator: the same trace from the same start, path, control, content and buffer. Undefined: not one of ours. */
export function simulateTrial(trial: Trial, shifts: number): SessionResult | undefined {
  const rule = simulatedRule(trial.system);
  if (rule === undefined || trial.bundle || hasCrossTraffic(trial.crossTraffic)) return undefined;
  const { media, trace, shift, path, server, control, buffer, seed } = trial;
  const experiment: Experiment = {
    traces: [trace],
    shifts,
    rules: [rule],
    buffers: [buffer],
    content: media.folder,
    segments: media.content.segments.length,
    transport: {
      kind: 'quic',
      ...pathModel(path, trace),
      control: control === 'bbr2' ? 'bbr' : 'cubic',
      server,
    },
    player: BROWSER_PLAYER,
    seed,
  };
  return runTask(experiment, media.content, { trace: 0, shift })[0]!;
}

/** What the simulator calls a system of ours; it has no dash.js, no HTTP and no other bandwidth safety. */
function simulatedRule({ player, delivery }: System): string | undefined {
  if (player.kind !== 'voxel' || player.bandwidthSafety !== undefined) return undefined;
  // Of the rules `abr-star` alone says for each segment how it travels.
  const isChosen = delivery === 'datagrams' && player.rule === 'abr-star';
  const carried = isChosen ? player.rule : `${player.rule}@${delivery}`;
  return `${carried}+${player.strategy}`;
}

/** A path as the simulator has it. `trace`: where its queue is counted in bandwidth-delay products. Throws a `UserError`. */
export function pathModel(path: PathSpec, trace?: Trace): Omit<QuicPath, 'control' | 'server'> {
  const { percent, meanBurst } = path.loss;
  return {
    roundTrip: Math.max(1, 2 * path.delayMs) / 1000,
    queuePackets: queuePackets(path, trace),
    loss: percent / 100,
    ...(meanBurst !== undefined && { meanBurst }),
  };
}

function queuePackets({ queue, delayMs }: PathSpec, trace: Trace | undefined): number {
  const { discipline, limit } = queue as { discipline?: unknown; limit?: { packets?: unknown; bdp?: unknown } };
  if (discipline === 'drop-tail' && typeof limit?.packets === 'number') return limit.packets;
  if (discipline === 'drop-tail' && typeof limit?.bdp === 'number' && trace) {
    const { rates } = trace;
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    return Math.ceil((limit.bdp * mean * 2 * delayMs) / 8000 / FULL_PACKET_BYTES);
  }
  throw new UserError('paths: queue must be drop-tail with a limit in packets or bdp: the simulator has no other');
}
