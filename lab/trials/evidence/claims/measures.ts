import variabilities from '../../../../docs/results/variability.json' with { type: 'json' };
import { mean, quantile } from '../../../sim/report/statistics.js';
import { videoName } from '../../config.js';
import { differenceOf, pairsOf } from '../../report/paired.js';
import type { TrialResult } from '../../result.js';
import { fewest, meanOf, ofEach, percent, sessionsOf, stallsP90, type Conditions, type Measured } from '../claim.js';
import type { Matrix } from '../kept.js';

const lostShare = ({ bytesLost, bytesDelivered, bytesSkipped }: TrialResult) =>
  bytesLost / Math.max(1, bytesDelivered + bytesSkipped + bytesLost);

/** Bytes that stay lost, by buffer. */
export function remainsLost(theirs: Readonly<Record<number, number>>, conditions: Conditions = {}) {
  return (matrix: Matrix): Measured | undefined => {
    const buffers = Object.keys(theirs).map(Number);
    const groups = buffers.map((buffer) => sessionsOf(matrix, { ...conditions, buffer, system: 'voxel' }));
    if (!groups.every((own) => own !== undefined)) return undefined;
    const shares = groups.map((own) => meanOf(own, lostShare));
    const holds = (factor: number) => shares.every((share, index) => share <= factor * theirs[buffers[index]!]!);
    return {
      ours: shares.map((share, index) => `${percent(share, 2)} with ${buffers[index]!}`).join(', '),
      verdict: holds(0.9) ? 'beaten' : holds(1.1) ? 'reproduced' : 'not reproduced',
      sessions: fewest(groups),
    };
  };
}

/** VMAF and PSNR of the segments, VOXEL's beside BOLA's, at the 10th, 50th and 90th percentile. */
export function otherMetrics(matrix: Matrix): Measured | undefined {
  const groups = ofEach(matrix, ['voxel', 'bola']);
  if (!groups) return undefined;
  const lines = (['vmaf', 'psnr'] as const).map((name) => {
    const [ours, theirs] = groups.map((own) => {
      const values = own.flatMap(({ measures }) => measures?.[name] ?? []);
      return [0.1, 0.5, 0.9].map((share) => quantile(values, share));
    }) as [number[], number[]];
    return { name, ours, theirs };
  });
  if (lines.some(({ ours, theirs }) => [...ours, ...theirs].some(Number.isNaN))) return undefined;
  const shown = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(' / ');
  const differences = lines.flatMap(({ ours, theirs }) => ours.map((value, index) => value - theirs[index]!));
  const holds = differences.every((difference) => difference > -0.5) && mean(differences) > 0;
  return {
    ours: lines
      .map(
        ({ name, ours, theirs }) => `${name.toUpperCase()} ${shown(ours)} against ${shown(theirs)} (10th, 50th, 90th)`,
      )
      .join('; '),
    verdict: holds ? 'reproduced' : 'not reproduced',
    sessions: fewest(groups),
  };
}

/** Nearly whole: all but a tenth of the bytes. */
const NEARLY = 0.9;

/** Segments that stock BOLA had nearly whole when it asked for them in another representation. */
export function discarded(theirs: number) {
  return (matrix: Matrix): Measured | undefined => {
    const sessions = sessionsOf(matrix, { system: 'bola' })?.filter(({ discards }) => discards !== undefined);
    if (!sessions || sessions.length === 0) return undefined;
    const share = (least: number) =>
      meanOf(sessions, ({ discards = [], scores }) => discards.filter((one) => one >= least).length / scores.length);
    return {
      ours: `${percent(share(NEARLY))} nearly whole, ${percent(share(0.5))} more than half of them, ${percent(share(0))} at all`,
      verdict: share(NEARLY) >= 0.9 * theirs ? 'reproduced' : 'not reproduced',
      sessions: sessions.length,
    };
  };
}

/** bufRatio of streams alone over that of datagrams. */
export function withoutPartialReliability(matrix: Matrix, isMeant: (path: string) => boolean): Measured | undefined {
  const [streams, datagrams] = ['voxel-reliable', 'voxel'].map((system) =>
    sessionsOf(matrix, { system })?.filter(({ path }) => isMeant(path)),
  );
  if (!streams || !datagrams) return undefined;
  const pairs = pairsOf(streams, datagrams);
  const difference = differenceOf(pairs, ({ bufRatio }) => bufRatio);
  if (!difference) return undefined;
  const [theirs, ours] = [pairs.map((pair) => pair.ours), pairs.map((pair) => pair.theirs)];
  const ratio = meanOf(theirs, ({ bufRatio }) => bufRatio) / meanOf(ours, ({ bufRatio }) => bufRatio);
  const { value, bounds } = difference;
  const interval = bounds ? ` [${(100 * bounds.low).toFixed(2)}, ${(100 * bounds.high).toFixed(2)}]` : '';
  const isClear = bounds !== undefined && bounds.low > 0;
  return {
    ours: `${ratio.toFixed(2)} times; difference ${(100 * value).toFixed(2)}${interval} pp`,
    verdict: ratio >= 2 && isClear ? 'reproduced' : 'not reproduced',
    sessions: pairs.length,
  };
}

/** Bitrates on a link, VOXEL's over BOLA's. */
export function bitrates(trace: string) {
  return (matrix: Matrix): Measured | undefined => {
    const [ours, theirs] = ['voxel', 'bola'].map((system) => sessionsOf(matrix, { trace, system }));
    if (!ours || !theirs) return undefined;
    const ratio = meanOf(ours, ({ bitrate }) => bitrate) / meanOf(theirs, ({ bitrate }) => bitrate);
    return {
      ours: `${ratio.toFixed(2)} times BOLA’s, both buffers`,
      verdict: ratio >= 1 ? 'reproduced' : 'not reproduced',
      sessions: Math.min(ours.length, theirs.length),
    };
  };
}

export function framesDropped(matrix: Matrix): Measured | undefined {
  const ours = sessionsOf(matrix, { system: 'voxel' });
  if (!ours) return undefined;
  const segments = meanOf(ours, ({ segmentsWithDrops }) => segmentsWithDrops);
  const present = ours.flatMap(({ dropsWithReferences, referencesDropped }) =>
    dropsWithReferences === null || referencesDropped === null ? [] : [{ dropsWithReferences, referencesDropped }],
  );
  if (present.length === 0) return undefined;
  const average = (key: keyof (typeof present)[number]) =>
    present.reduce((sum, counts) => sum + counts[key], 0) / present.length;
  return {
    ours: `${percent(segments, 0)}; ${percent(average('dropsWithReferences'), 0)}; ${percent(average('referencesDropped'), 0)}`,
    verdict: average('dropsWithReferences') >= 0.85 ? 'reproduced' : 'not reproduced',
    sessions: ours.length,
  };
}

const skippedShare = ({ bytesSkipped, bytesDelivered, bytesLost }: TrialResult) =>
  bytesSkipped / Math.max(1, bytesDelivered + bytesSkipped + bytesLost);

/** Data left out at buffers of 1 and 7 segments: the sessions that met the same link at the same time. */
export function skippedByBuffer(matrix: Matrix): Measured | undefined {
  const [small, large] = [1, 7].map((buffer) => sessionsOf(matrix, { system: 'voxel', buffer }));
  if (!small || !large) return undefined;
  const pairs = pairsOf(
    large.map((session) => ({ ...session, buffer: 1 })),
    small,
  );
  const difference = differenceOf(pairs, skippedShare);
  if (!difference) return undefined;
  const { value, bounds } = difference;
  const interval = bounds ? ` [${(100 * bounds.low).toFixed(1)}, ${(100 * bounds.high).toFixed(1)}]` : '';
  return {
    ours: `${percent(meanOf(small, skippedShare))} with 1, ${percent(meanOf(large, skippedShare))} with 7; difference ${(100 * value).toFixed(1)}${interval} pp`,
    verdict: bounds !== undefined && bounds.high < 0 ? 'reproduced' : 'not reproduced',
    sessions: pairs.length,
  };
}

export function scores(trace: string) {
  return (matrix: Matrix): Measured | undefined => {
    const [ours, theirs] = ['voxel', 'bola'].map((system) => sessionsOf(matrix, { trace, system }));
    const difference = ours && theirs && differenceOf(pairsOf(ours, theirs), ({ score }) => score);
    if (!difference) return undefined;
    const { value, pairs, bounds } = difference;
    const interval = bounds ? ` [${bounds.low.toFixed(4)}, ${bounds.high.toFixed(4)}]` : '';
    const isBeaten = bounds !== undefined && bounds.low > 0;
    return {
      ours: `mean SSIM ${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(4)}${interval}`,
      verdict: isBeaten ? 'beaten' : value > -0.005 ? 'reproduced' : 'not reproduced',
      sessions: pairs,
    };
  };
}

/** Stalls of VOXEL by the metric that its video was prepared with, at the 90th percentile; at most a tenth more than with SSIM, or none. */
export function stallsByMetric({ sessions, config: { videos } }: Matrix): Measured | undefined {
  const groups = videos.map((video) => sessions.filter((session) => session.video === videoName(video)));
  if (groups.some(({ length }) => length === 0)) return undefined;
  const shares = groups.map(stallsP90);
  const ssim = shares[videos.findIndex(({ metric = 'ssim' }) => metric === 'ssim')]!;
  return {
    ours: videos.map(({ metric = 'ssim' }, i) => `${metric.toUpperCase()} ${percent(shares[i]!, 2)}`).join(', '),
    verdict: shares.every((share) => share <= Math.max(1.1 * ssim, 0.001)) ? 'reproduced' : 'not reproduced',
    sessions: fewest(groups),
  };
}

/** Standard deviations of the five links (`npm run bench -- variability`) against the thesis', which rounds. */
export function variability(): Measured {
  const theirs = {
    TMobile: [9, 10],
    Verizon: [9, 10],
    ATT: [2.88, 2.88],
    FCC: [2.35, 2.35],
    '3G': [1.1, 1.1],
  } as const;
  const figures = Object.entries(theirs).map(([name, range]) => ({
    name,
    range,
    deviation: variabilities.find((link) => link.name.startsWith(name))!.deviation,
  }));
  const holds = figures.every(({ deviation, range: [low, high] }) => deviation > low - 0.05 && deviation < high + 0.05);
  return {
    ours: `${figures.map(({ name, deviation }) => `${name} ${deviation.toFixed(2)}`).join(', ')} Mbit/s`,
    verdict: holds ? 'reproduced' : 'not reproduced',
  };
}
