// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';

/** @typedef {import('./prometheus.mjs').Series} Series */
/**
 * What is used of a panel of Grafana.
 * @typedef {{ title: string, type: string, gridPos: { x: number, y: number, w: number, h: number },
 *   fieldConfig: { defaults: { unit?: string, custom?: { stacking?: { mode: string } } } },
 *   targets: { expr: string, legendFormat: string }[] }} Panel
 */
/** @typedef {{ title: string, type: string, place: Panel['gridPos'], unit: string, stacked: boolean, curves: { name: string, values: (number | null)[] }[] }} Drawn */

/** @returns {{ title: string, panels: Panel[] }} */
export function readDashboard() {
  return JSON.parse(readFileSync(join(root, 'deploy/grafana/dashboards/voxel.json'), 'utf8'));
}

/** A query with values for Grafana's variables: every server. @param {string} expr @param {number} seconds over which rates are taken */
export const withoutVariables = (expr, seconds) =>
  expr.replaceAll('$__rate_interval', `${seconds}s`).replaceAll('$instance', '.*');

/**
 * The curves of a panel, each with a value for every second.
 * @param {Panel} panel @param {Series[][]} answers of its queries, in their order @param {number[]} times seconds since 1970 @returns {Drawn}
 */
export function drawnPanel({ title, type, gridPos, fieldConfig, targets }, answers, times) {
  const curves = answers.flatMap((series, index) =>
    series.map(({ metric, values }) => {
      const at = new Map(values.map(([time, value]) => [Math.round(time), Number(value)]));
      const name = (targets[index]?.legendFormat ?? '').replaceAll(
        /{{(\w+)}}/g,
        (_, /** @type {string} */ label) => metric[label] ?? '',
      );
      return { name, values: times.map((time) => finite(at.get(time))) };
    }),
  );
  const { unit = 'short', custom } = fieldConfig.defaults;
  return { title, type, place: gridPos, unit, stacked: custom?.stacking?.mode === 'normal', curves };
}

/** @param {number | undefined} value */
const finite = (value) => (value !== undefined && Number.isFinite(value) ? value : null);
