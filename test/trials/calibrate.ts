import { runTask, type Experiment, type SessionResult } from '../sim/experiment.js';
import { BROWSER_PLAYER } from '../sim/player-model.js';
import { mean } from '../sim/report/statistics.js';
import { UserError } from '../../tools/setup/process.mjs';
import type { PathSpec } from './path.js';
import type { Trial } from './plan.js';
import type { TrialResult } from './result.js';
import type { System } from './system.js';
import type { Trace } from '../sim/link/trace.js';

/** What full packets take where an emulated queue is counted in bandwidth-delay products. */
const FULL_PACKET_BYTES = 1500;

/** The same session in a browser and in the simulator. */
export interface Pair {
  readonly trial: Trial;
  readonly browser: TrialResult;
  readonly simulated: SessionResult;
}

/** A valid result and the simulator's session for every trial that the simulator can play. */
export function pairWithSimulator(trials: readonly Trial[], results: readonly TrialResult[], shifts: number): Pair[] {
  return trials.flatMap((trial) => {
    const browser = results.find((result) => result.valid && result.id === trial.id);
    const simulated = browser && simulateTrial(trial, shifts);
    return simulated ? [{ trial, browser, simulated }] : [];
  });
}

/** One row for each system: means of both, and how far apart they are on average. Markdown. */
export function calibrationTable(pairs: readonly Pair[]): string {
  const systems = [...new Set(pairs.map(({ trial }) => trial.system.label))];
  const rows = systems.map((label) => {
    const own = pairs.filter(({ trial }) => trial.system.label === label);
    return `| ${[label, String(own.length), ...compared(own)].join(' | ')} |`;
  });
  return [
    '| system | sessions | bufRatio browser / simulator | mean difference | SSIM browser / simulator | mean difference | Mbit/s browser / simulator |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function compared(pairs: readonly Pair[]): string[] {
  const figures = (measure: (session: TrialResult | SessionResult) => number, scale: number, digits: number) => {
    const browser = pairs.map((pair) => scale * measure(pair.browser));
    const simulated = pairs.map((pair) => scale * measure(pair.simulated));
    const differences = browser.map((value, index) => Math.abs(value - simulated[index]!));
    const both = `${mean(browser).toFixed(digits)} / ${mean(simulated).toFixed(digits)}`;
    return { both, difference: mean(differences).toFixed(digits) };
  };
  const bufRatio = figures((session) => session.bufRatio, 100, 2);
  const score = figures((session) => session.score, 1, 4);
  const bitrate = figures((session) => session.bitrate, 1e-6, 2);
  return [`${bufRatio.both} %`, `${bufRatio.difference} pp`, score.both, score.difference, bitrate.both];
}

/** The session of a trial in the simulator: the same trace from the same start, path, control, content and buffer. Undefined: not one of ours. */
export function simulateTrial(trial: Trial, shifts: number): SessionResult | undefined {
  const rule = simulatedRule(trial.system);
  if (rule === undefined) return undefined;
  const { media, trace, shift, path, control, buffer, seed } = trial;
  const experiment: Experiment = {
    traces: [trace],
    shifts,
    rules: [rule],
    buffers: [buffer],
    content: media.folder,
    segments: media.content.segments.length,
    transport: {
      kind: 'quic',
      roundTrip: Math.max(1, 2 * path.delayMs) / 1000,
      queuePackets: queuePackets(path, trace),
      loss: path.loss.percent / 100,
      ...(path.loss.meanBurst !== undefined && { meanBurst: path.loss.meanBurst }),
      control: control === 'bbr2' ? 'bbr' : control,
      isMeasured: true,
    },
    player: BROWSER_PLAYER,
    seed,
  };
  return runTask(experiment, media.content, { trace: 0, shift })[0]!;
}

/** What the simulator calls a system of ours; it has no dash.js, no HTTP and no other bandwidth safety. */
function simulatedRule({ player, delivery }: System): string | undefined {
  if (player.kind === 'stock' || player.bandwidthSafety !== undefined) return undefined;
  // Of the rules `abr-star` alone says for each segment how it travels.
  const isChosen = delivery === 'datagrams' && player.rule === 'abr-star';
  const carried = isChosen ? player.rule : `${player.rule}@${delivery}`;
  return `${carried}+${player.strategy}`;
}

function queuePackets({ queue, delayMs }: PathSpec, { rates }: Trace): number {
  const { discipline, limit } = queue as { discipline?: unknown; limit?: { packets?: unknown; bdp?: unknown } };
  if (discipline === 'drop-tail' && typeof limit?.packets === 'number') return limit.packets;
  if (discipline === 'drop-tail' && typeof limit?.bdp === 'number') {
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    return Math.ceil((limit.bdp * mean * 2 * delayMs) / 8000 / FULL_PACKET_BYTES);
  }
  throw new UserError('paths: queue must be drop-tail with a limit in packets or bdp: the simulator has no other');
}
