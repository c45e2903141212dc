import { groupBy } from '../../sim/report/group-by.js';
import { mean } from '../../sim/report/statistics.js';
import { anyContent } from '../plan.js';
import type { SimulatedSession, TrialResult } from '../result.js';
import { markdownTable } from '../../sim/report/markdown-table.js';

/** Sessions of a matrix in the browser and in the simulator. */
export interface Calibration {
  readonly name: string;
  readonly sessions: readonly TrialResult[];
  readonly simulated: readonly SimulatedSession[];
}

/** How far a simulated claim may be from the browser: bufRatio and SSIM, as means over the sessions. */
const MARGINS = { bufRatio: 0.01, score: 0.01 };

const HEADER = [
  ...['matrix', 'system', 'links', 'n', 'bufRatio browser / simulator, %', 'SSIM', 'Mbit/s'],
  ...['sessions differ by, bufRatio pp', 'SSIM', 'within the margins', 'simulator'],
];

/** A row for each matrix and system: means of both, and how far apart single sessions are on average. Markdown. */
export function calibrationTable(calibrations: readonly Calibration[]): string {
  return markdownTable([HEADER, ...calibrations.flatMap(rowsOf)]);
}

interface Pair {
  readonly browser: TrialResult;
  readonly simulated: SimulatedSession;
}

function rowsOf({ name, sessions, simulated }: Calibration): string[][] {
  const byId = new Map(simulated.map((session) => [anyContent(session.id), session]));
  const pairs = sessions.flatMap((browser): Pair[] => {
    const partner = browser.valid ? byId.get(anyContent(browser.id)) : undefined;
    return partner ? [{ browser, simulated: partner }] : [];
  });
  return [...groupBy(pairs, ({ browser }) => browser.label)].map(([label, own]) => {
    const links = new Set(own.map(({ browser: { trace, path } }) => `${trace}\0${path}`));
    const [bufRatio, score] = [compared(own, 'bufRatio', 100, 2), compared(own, 'score', 1, 4)];
    const missed = [bufRatio.isWithin ? [] : 'not bufRatio', score.isWithin ? [] : 'not SSIM'].flat();
    return [
      ...[name, label, String(links.size), String(own.length)],
      ...[bufRatio.means, score.means, compared(own, 'bitrate', 1e-6, 2).means, bufRatio.apart, score.apart],
      missed.join(', ') || 'yes',
      [...new Set(own.map((pair) => pair.simulated.commit))].join(', '),
    ];
  });
}

function compared(pairs: readonly Pair[], key: 'bufRatio' | 'score' | 'bitrate', scale: number, digits: number) {
  const [browser, simulated] = (['browser', 'simulated'] as const).map((side) => pairs.map((pair) => pair[side][key]));
  const [ours, theirs] = [mean(browser!), mean(simulated!)];
  const apart = mean(browser!.map((value, index) => Math.abs(value - simulated![index]!)));
  return {
    means: [ours, theirs].map((value) => (scale * value).toFixed(digits)).join(' / '),
    apart: (scale * apart).toFixed(digits),
    isWithin: key === 'bitrate' || Math.abs(ours - theirs) <= MARGINS[key],
  };
}
