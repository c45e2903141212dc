import { lineChart, type Series } from '../../sim/report/line-chart.js';
import { mean, quantiles } from '../../sim/report/statistics.js';
import type { TrialResult } from '../result.js';
import { barChart } from './bar-chart.js';
import type { Estimate, LiveSummary, SummaryRow } from './summary.js';

/** A system's place in the order of all systems gives it its colour, in every chart. */
export interface ChartedSystem {
  readonly system: string;
  readonly label: string;
}

export function labelOf(systems: readonly ChartedSystem[], name: string): string {
  return systems.find(({ system }) => system === name)?.label ?? name;
}

/** Points of a distribution's curve. */
const CURVE_POINTS = 101;
const SHARES = Array.from({ length: CURVE_POINTS }, (_, index) => index / (CURVE_POINTS - 1));

/** Bars for each buffer length and system. */
export function buffersCharts(rows: readonly SummaryRow[], systems: readonly ChartedSystem[]): string[] {
  const buffers = [...new Set(rows.map(({ buffer }) => buffer))];
  const chart = (title: string, measure: (row: SummaryRow) => Estimate, scale: number) =>
    barChart({
      title,
      yTitle: title,
      bars: systems.map(({ label }) => label),
      groups: buffers.map((buffer) => ({
        name: `buffer ${buffer}`,
        values: systems.map(({ system }) => {
          const row = rows.find((candidate) => candidate.buffer === buffer && candidate.system === system);
          return row && scaled(measure(row), scale);
        }),
      })),
    });
  return [
    chart('waited, s', ({ waited }) => waited, 1),
    chart('bufRatio, %', ({ bufRatio }) => bufRatio, 100),
    chart('average bitrate, Mbit/s', ({ bitrate }) => bitrate, 1e-6),
    chart('data skipped, %', ({ skipped }) => skipped, 100),
  ];
}

/** Bars for each system, of live sessions. */
export function liveCharts(rows: readonly SummaryRow[], systems: readonly ChartedSystem[]): string[] {
  const chart = (title: string, measure: keyof LiveSummary, scale: number) =>
    barChart({
      title,
      yTitle: title,
      bars: systems.map(({ label }) => label),
      groups: [
        {
          name: '',
          values: systems.map(({ system }) => {
            const live = rows.find((row) => row.system === system)?.live;
            return live && scaled(live[measure], scale);
          }),
        },
      ],
    });
  return [
    chart('latency, 95th percentile, s', 'latencyP95', 1),
    chart('stalled, %', 'stalled', 100),
    chart('interrupted, %', 'interrupted', 100),
    chart('stalls a minute', 'stallsPerMinute', 1),
  ];
}

/** Charts of the segments' scores, one for each buffer length; the area holds the curves of all single sessions. */
export function scoreCharts(results: readonly TrialResult[], systems: readonly ChartedSystem[]): string[] {
  const buffers = [...new Set(results.map(({ buffer }) => buffer))];
  return buffers.map((buffer) =>
    lineChart({
      title: `SSIM of segments as delivered, buffer ${buffer}`,
      xTitle: 'SSIM',
      yTitle: 'share of segments below',
      series: systems.map(({ system, label }) => {
        const own = results.filter((result) => result.buffer === buffer && result.system === system);
        return distribution(
          label,
          own.map(({ scores }) => scores).filter((scores) => scores.length > 0),
        );
      }),
    }),
  );
}

/** Mean score of each segment, a chart for each buffer length (thesis, Fig. 6.17a). */
export function progressCharts(results: readonly TrialResult[], systems: readonly ChartedSystem[]): string[] {
  const buffers = [...new Set(results.map(({ buffer }) => buffer))];
  return buffers.map((buffer) =>
    lineChart({
      title: `SSIM over time, buffer ${buffer}`,
      xTitle: 'segment',
      yTitle: 'mean SSIM as delivered',
      series: systems.map(({ system, label }) => {
        const own = results.filter((result) => result.buffer === buffer && result.system === system);
        return { name: label, points: meanProgress(own.map(({ scores }) => scores)) };
      }),
    }),
  );
}

/** Mean at each place of the sessions that got so far. */
export function meanProgress(sessions: readonly (readonly number[])[]): (readonly [number, number])[] {
  const most = Math.max(0, ...sessions.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => [
    index,
    mean(sessions.flatMap((own) => own.slice(index, index + 1))),
  ]);
}

function distribution(name: string, sessions: readonly (readonly number[])[]): Series {
  if (sessions.length === 0) return { name, points: [] };
  const curve = (values: readonly number[]) => quantiles(values, SHARES);
  const points = curve(sessions.flat()).map((value, index) => [value, SHARES[index]!] as const);
  if (sessions.length === 1) return { name, points };
  const curves = sessions.map(curve);
  const bound = (choose: (...values: number[]) => number) =>
    SHARES.map((share, index) => [choose(...curves.map((values) => values[index]!)), share] as const);
  return { name, points, area: [...bound(Math.min), ...bound(Math.max).reverse()] };
}

function scaled({ mean, error }: Estimate, scale: number): Estimate {
  return { mean: scale * mean, error: error === null ? null : scale * error };
}
