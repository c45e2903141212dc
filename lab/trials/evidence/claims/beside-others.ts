import type { TrialResult } from '../../result.js';
import { fewest, meanOf, ofEach, percent, stallsP90, type Conditions, type Measured } from '../claim.js';
import type { Matrix } from '../kept.js';

const signed = (share: number, digits = 1) => `${share > 0 ? '+' : '−'}${percent(Math.abs(share), digits)}`;

/** What a rule's sessions over datagrams have of something, over what those on streams have, less 1. */
function overStreams(
  matrix: Matrix,
  rules: Readonly<Record<string, string>>,
  measure: (sessions: readonly TrialResult[]) => number,
) {
  const entries = Object.entries(rules).map(([label, rule]) => {
    const groups = ofEach(matrix, [`${rule}@streams`, `${rule}@datagrams`]);
    if (!groups) return undefined;
    const [streams, datagrams] = groups.map(measure) as [number, number];
    return { label, change: streams === 0 ? 0 : datagrams / streams - 1, sessions: fewest(groups) };
  });
  if (!entries.every((entry) => entry !== undefined)) return undefined;
  return {
    changes: entries.map(({ change }) => change),
    ours: entries.map(({ label, change }) => `${label} ${signed(change)}`).join(', '),
    sessions: Math.min(...entries.map(({ sessions }) => sessions)),
  };
}

const UNMODIFIED = { MPC: 'mpc', BOLA: 'bola' };

/** Stalls of unmodified rules over QUIC*, at the 90th percentile. `theirs`: MPC's and BOLA's change. */
export function stallsOverQuicStar(theirs: readonly [number, number]) {
  return (matrix: Matrix): Measured | undefined => {
    const measured = overStreams(matrix, UNMODIFIED, stallsP90);
    if (!measured) return undefined;
    const { changes, ...rest } = measured;
    const holds = (share: number) => changes.every((change, rule) => change < 0 && change <= share * theirs[rule]!);
    return { ...rest, verdict: holds(1.1) ? 'beaten' : holds(0.9) ? 'reproduced' : 'not reproduced' };
  };
}

export function bitratesOverQuicStar(matrix: Matrix): Measured | undefined {
  const measured = overStreams(matrix, UNMODIFIED, (sessions) => meanOf(sessions, ({ bitrate }) => bitrate));
  if (!measured) return undefined;
  const { changes, ...rest } = measured;
  return { ...rest, verdict: changes.every((change) => change < 0) ? 'reproduced' : 'not reproduced' };
}

/** Stalls of VOXEL beside others on several links, at the 90th percentile over all buffers; it may stall as little as they do. */
export function leastStalls(traces: Readonly<Record<string, string>>, others: Readonly<Record<string, string>>) {
  return (matrix: Matrix): Measured | undefined => {
    const systems = { VOXEL: 'voxel', ...others };
    const links = Object.entries(traces).map(([label, trace]) => ({
      label,
      groups: ofEach(matrix, Object.values(systems), { trace }),
    }));
    if (!links.every((link) => link.groups !== undefined)) return undefined;
    const figures = links.map(({ label, groups }) => ({ label, shares: groups!.map(stallsP90) }));
    const holds = figures.every(({ shares: [ours, ...theirs] }) => theirs.every((share) => ours! <= share));
    const names = Object.keys(systems);
    const of = (shares: readonly number[]) => shares.map((share, i) => `${names[i]!} ${percent(share, 2)}`).join(', ');
    return {
      ours: figures.map(({ label, shares }) => `${label}: ${of(shares)}`).join('; '),
      verdict: holds ? 'reproduced' : 'not reproduced',
      sessions: Math.min(...links.map(({ groups }) => fewest(groups!))),
    };
  };
}

/** A figure of VOXEL's that is at least as high as that of each other, under conditions. */
export function atLeast(
  others: Readonly<Record<string, string>>,
  conditions: Conditions,
  { measure, shown }: { measure: (session: TrialResult) => number; shown: (value: number) => string },
) {
  return (matrix: Matrix): Measured | undefined => {
    const systems = { VOXEL: 'voxel', ...others };
    const groups = ofEach(matrix, Object.values(systems), conditions);
    if (!groups) return undefined;
    const means = groups.map((own) => meanOf(own, measure));
    const names = Object.keys(systems);
    return {
      ours: means.map((value, index) => `${names[index]!} ${shown(value)}`).join(', '),
      verdict: means.every((value) => means[0]! >= value) ? 'reproduced' : 'not reproduced',
      sessions: fewest(groups),
    };
  };
}

/** Stalls less the paper's share than BOLA at a higher SSIM. */
export function lessAtHigherScore(bola: string, ssim: string, conditions: Conditions, theirs: number) {
  return (matrix: Matrix): Measured | undefined => {
    const groups = ofEach(matrix, [bola, ssim, 'voxel'], conditions) ?? ofEach(matrix, [bola, 'voxel'], conditions);
    if (!groups) return undefined;
    const stalls = groups.map((own) => meanOf(own, ({ bufRatio }) => bufRatio));
    const scored = groups.map((own) => meanOf(own, ({ score }) => score));
    const less = 1 - stalls.at(-1)! / stalls[0]!;
    const holds = scored.at(-1)! >= scored[0]! && less > 0;
    return {
      ours: `${stalls.map((share) => (100 * share).toFixed(1)).join(', ')} %; SSIM ${scored.map((score) => score.toFixed(3)).join(', ')}`,
      verdict: !holds
        ? 'not reproduced'
        : less > theirs
          ? 'beaten'
          : less >= 0.9 * theirs
            ? 'reproduced'
            : 'not reproduced',
      sessions: fewest(groups),
    };
  };
}

/** Share of the segments with the best score, beside BOLA's. */
export function perfectSegments(isMeant: (trace: string) => boolean, theirs: number) {
  return (matrix: Matrix): Measured | undefined => {
    const own = matrix.sessions.filter(({ trace }) => isMeant(trace));
    const groups = ofEach({ ...matrix, sessions: own }, ['voxel', 'bola@streams']);
    if (!groups) return undefined;
    const [voxel, bola] = groups.map((sessions) => meanOf(sessions, ({ perfect }) => perfect)) as [number, number];
    const verdict =
      voxel <= bola
        ? 'not reproduced'
        : voxel > theirs
          ? 'beaten'
          : voxel >= 0.9 * theirs
            ? 'reproduced'
            : 'not reproduced';
    return { ours: `${percent(voxel, 0)} against ${percent(bola, 0)}`, verdict, sessions: fewest(groups) };
  };
}

/** VOXEL's 90th percentile of bufRatio beside BOLA's, link by link and buffer by buffer; `mayLose` of them as in the paper. */
export function aheadExcept(
  traces: Readonly<Record<string, string>>,
  buffers: readonly number[],
  mayLose: (trace: string, buffer: number) => boolean,
) {
  return (matrix: Matrix): Measured | undefined => {
    const cells = Object.entries(traces).flatMap(([label, trace]) =>
      buffers.map((buffer) => ({ label, trace, buffer, groups: ofEach(matrix, ['voxel', 'bola'], { trace, buffer }) })),
    );
    if (!cells.every(({ groups }) => groups !== undefined)) return undefined;
    const figures = cells.map((cell) => ({ ...cell, shares: cell.groups!.map(stallsP90) as [number, number] }));
    const isAhead = ({ shares: [ours, theirs] }: (typeof figures)[number]) => ours <= theirs;
    const expected = figures.filter(({ trace, buffer }) => !mayLose(trace, buffer));
    return {
      ours: figures
        .map(
          ({ label, buffer, shares: [ours, theirs] }) =>
            `${label}, ${buffer}: ${percent(ours)} against ${percent(theirs)}`,
        )
        .join('; '),
      verdict: figures.every(isAhead) ? 'beaten' : expected.every(isAhead) ? 'reproduced' : 'not reproduced',
      sessions: Math.min(...cells.map(({ groups }) => fewest(groups!))),
    };
  };
}

/** Bitrates of VOXEL over BETA's, and whether an untuned rule of the thesis stalls more than BETA. */
export function besideBeta(onPar: Readonly<Record<string, string>>, hard: string, untuned: string) {
  return (matrix: Matrix): Measured | undefined => {
    const ratios = Object.entries(onPar).map(([label, trace]) => ({
      label,
      groups: ofEach(matrix, ['voxel', 'beta@streams'], { trace }),
    }));
    const stalling = ofEach(matrix, [untuned, 'beta@streams'], { trace: hard });
    if (!stalling || !ratios.every(({ groups }) => groups !== undefined)) return undefined;
    const shares = ratios.map(({ groups }) => {
      const [ours, theirs] = groups!.map((own) => meanOf(own, ({ bitrate }) => bitrate)) as [number, number];
      return ours / theirs;
    });
    const [ours, theirs] = stalling.map(stallsP90) as [number, number];
    return {
      ours: `${ratios.map(({ label }, i) => `${label} ${shares[i]!.toFixed(2)} times`).join(', ')}; untuned ${percent(ours)} against ${percent(theirs)}`,
      verdict: shares.every((share) => share >= 0.98) && ours > theirs ? 'reproduced' : 'not reproduced',
      sessions: Math.min(fewest(stalling), ...ratios.map(({ groups }) => fewest(groups!))),
    };
  };
}
