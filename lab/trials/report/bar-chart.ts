import { colourOf, escaped, roundStep } from '../../sim/report/line-chart.js';
import type { Estimate } from './summary.js';

export interface BarChart {
  readonly title: string;
  readonly yTitle: string;
  /** Names of the bars in every group; a bar's colour is that of the series with its number. */
  readonly bars: readonly string[];
  readonly groups: readonly { readonly name: string; readonly values: readonly (Estimate | undefined)[] }[];
}

const WIDTH = 460;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 12, top: 28, bottom: 40 };
const TICKS = 5;

/** Share of a group's width that its bars fill. */
const FILL = 0.8;

/** An SVG element: groups of bars from 0 up, with whiskers of one standard error. */
export function barChart({ title, yTitle, bars, groups }: BarChart): string {
  const tops = groups.flatMap(({ values }) => values.map((value) => (value ? value.mean + (value.error ?? 0) : 0)));
  const highest = Math.max(0, ...tops);
  const step = roundStep((highest || 1) / TICKS);
  const count = Math.max(1, Math.ceil(highest / step));
  const bottom = HEIGHT - MARGIN.bottom;
  const y = (value: number) => bottom - (value / (step * count)) * (bottom - MARGIN.top);
  const groupWidth = (WIDTH - MARGIN.left - MARGIN.right) / groups.length;
  const barWidth = (FILL * groupWidth) / bars.length;
  const drawn = groups.flatMap(({ name, values }, group) => {
    const left = MARGIN.left + group * groupWidth + ((1 - FILL) / 2) * groupWidth;
    const label = `<text x="${left + (FILL * groupWidth) / 2}" y="${bottom + 15}" text-anchor="middle">${escaped(name)}</text>`;
    return [label, ...values.map((value, bar) => (value ? drawBar(value, left + bar * barWidth, bar) : ''))];
  });

  function drawBar({ mean, error }: Estimate, x: number, bar: number): string {
    const middle = x + barWidth / 2;
    const whisker =
      error === null
        ? ''
        : `<line class="whisker" x1="${middle}" x2="${middle}" y1="${y(Math.max(0, mean - error))}" y2="${y(mean + error)}"/>`;
    // A bar of nothing is still to be seen.
    const top = Math.min(y(mean), bottom - 1);
    return (
      `<rect x="${x.toFixed(1)}" y="${top.toFixed(1)}" width="${(0.9 * barWidth).toFixed(1)}" height="${(bottom - top).toFixed(1)}" ` +
      `fill="${colourOf(bar)}"><title>${escaped(bars[bar]!)}: ${Number(mean.toPrecision(3))}</title></rect>${whisker}`
    );
  }

  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step).map(
    (tick) =>
      `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}"/>` +
      `<text x="${MARGIN.left - 6}" y="${y(tick) + 4}" text-anchor="end">${Number(tick.toPrecision(3))}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<text class="title" x="${MARGIN.left}" y="16">${escaped(title)}</text>${ticks.join('')}${drawn.join('\n')}
<text transform="translate(12 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(yTitle)}</text>
</svg>`;
}
