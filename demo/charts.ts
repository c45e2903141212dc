import uPlot from 'uplot';
import { unknown } from './format.js';
import type { Columns, SampleField } from './time-series.js';

/** Height of a chart without its legend, CSS pixels. */
const chartHeight = 118;
const axisFont = '11px system-ui, sans-serif';

interface SeriesDescription {
  readonly field: Exclude<SampleField, 'time'>;
  readonly label: string;
  /** Name of a custom property of style.css. */
  readonly colour: string;
  readonly scale: string;
  /** What the legend says. */
  readonly format: (value: number) => string;
  readonly stepped?: true;
}

/** The charts of the page, on one time axis; of the first two one is shown. */
export class Charts {
  readonly #charts: { readonly plot: uPlot; readonly fields: SeriesDescription['field'][] }[];

  /** `ladder`: `Representation@id`s, lowest first, as they are when the charts are drawn. */
  constructor(
    containers: Readonly<Record<'buffer' | 'latency' | 'throughput' | 'level', HTMLElement>>,
    ladder: () => readonly string[],
  ) {
    this.#charts = [
      bufferChart(containers.buffer),
      latencyChart(containers.latency),
      throughputChart(containers.throughput),
      levelChart(containers.level, ladder),
    ];
    // Colours are read while drawing, so drawing again follows the colour scheme.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const { plot } of this.#charts) plot.redraw(false, true);
    });
  }

  show(columns: Columns): void {
    for (const { plot, fields } of this.#charts) {
      plot.setData([columns.time, ...fields.map((field) => columns[field])]);
      if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: columns.time.length - 1 }, false);
    }
  }
}

function bufferChart(container: HTMLElement) {
  return createChart(
    container,
    [
      {
        field: 'buffer',
        label: 'buffer',
        colour: '--series-a',
        scale: 'y',
        format: (value) => `${value.toFixed(1)} s`,
      },
    ],
    { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
    [valueAxis('y', (value) => `${value}`)],
  );
}

/** Of a live stream the buffer is what latency allows. */
function latencyChart(container: HTMLElement) {
  const format = (value: number) => `${value.toFixed(2)} s`;
  return createChart(
    container,
    [
      { field: 'latency', label: 'latency', colour: '--series-c', scale: 'y', format },
      { field: 'latencyTarget', label: 'target', colour: '--muted', scale: 'y', format, stepped: true },
      { field: 'buffer', label: 'buffer', colour: '--series-a', scale: 'y', format },
    ],
    { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    [valueAxis('y', (value) => `${value}`)],
  );
}

function throughputChart(container: HTMLElement) {
  const format = (value: number) => `${(value / 1e6).toFixed(2)} Mbit/s`;
  return createChart(
    container,
    [
      { field: 'throughput', label: 'throughput', colour: '--series-b', scale: 'y', format },
      { field: 'bitrate', label: 'chosen bitrate', colour: '--series-a', scale: 'y', format, stepped: true },
    ],
    { y: { range: (_, __, max) => [0, Math.max(1e5, max * 1.1)] } },
    [valueAxis('y', (value) => `${value / 1e6}`)],
  );
}

function levelChart(container: HTMLElement, ladder: () => readonly string[]) {
  const name = (position: number) => ladder()[position] ?? '';
  return createChart(
    container,
    [
      { field: 'level', label: 'representation', colour: '--series-a', scale: 'y', format: name, stepped: true },
      {
        field: 'virtualLevel',
        label: 'level',
        colour: '--series-c',
        scale: 'share',
        format: (share) => `${(share * 100).toFixed(0)} %`,
        stepped: true,
      },
    ],
    { y: { range: () => [-0.3, Math.max(1, ladder().length - 1) + 0.3] }, share: { range: () => [-0.05, 1.05] } },
    [{ ...valueAxis('y', name), incrs: [1, 2, 3, 4] }],
  );
}

function createChart(
  container: HTMLElement,
  descriptions: readonly SeriesDescription[],
  scales: uPlot.Scales,
  valueAxes: readonly uPlot.Axis[],
) {
  const options: uPlot.Options = {
    width: container.clientWidth,
    height: chartHeight,
    scales: { x: { time: false }, ...scales },
    axes: [{ ...axisStyle, size: 24, values: (_, splits) => splits.map((time) => `${time} s`) }, ...valueAxes],
    series: [
      { label: 'time', value: (_, time: number | null) => (time === null ? unknown : `${time.toFixed(1)} s`) },
      ...descriptions.map(series),
    ],
    // A custom property, unlike a colour read now, follows the colour scheme.
    legend: { markers: { stroke: (_, index) => `var(${descriptions[index - 1]?.colour ?? '--muted'})` } },
    cursor: { sync: { key: 'time' }, drag: { x: false, y: false }, y: false },
  };
  const fields = descriptions.map(({ field }) => field);
  const plot = new uPlot(options, [[], ...fields.map(() => [])], container);
  new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: chartHeight })).observe(container);
  return { plot, fields };
}

function series({ label, colour, scale, format, stepped }: SeriesDescription): uPlot.Series {
  return {
    label,
    scale,
    stroke: () => cssColour(colour),
    width: 2,
    points: { show: false },
    ...(stepped && { paths: uPlot.paths.stepped!({ align: 1 }) }),
    value: (_, value: number | null) => (value === null ? unknown : format(value)),
  };
}

const axisStyle: uPlot.Axis = {
  stroke: () => cssColour('--muted'),
  font: axisFont,
  grid: { stroke: () => cssColour('--line'), width: 1 },
  ticks: { show: false },
  gap: 4,
};

function valueAxis(scale: string, format: (value: number) => string): uPlot.Axis {
  return { ...axisStyle, scale, size: 44, space: 20, values: (_, splits) => splits.map(format) };
}

function cssColour(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property);
}
