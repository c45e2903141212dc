/** A line of a chart. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The outline of an area behind the line: between which values it lies. */
  readonly area?: readonly (readonly [x: number, y: number])[];
}

export interface LineChart {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly series: readonly Series[];
}

const WIDTH = 460;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 12, top: 28, bottom: 40 };
const TICKS = 5;

/** Told apart by people with any colour vision (Okabe and Ito), repeated with dashes. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f'];
const DASHES = ['', '6 3', '2 2'];

/** The stroke of the series at a place in its chart, for the chart and its legend alike. */
export function strokeOf(index: number): string {
  const dash = DASHES[Math.floor(index / COLOURS.length) % DASHES.length]!;
  return `stroke="${colourOf(index)}"${dash ? ` stroke-dasharray="${dash}"` : ''}`;
}

export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length]!;
}

/** An SVG element; its axes span the data, out to round numbers. */
export function lineChart({ title, xTitle, yTitle, series }: LineChart): string {
  const x = axis(
    series.flatMap(({ points, area = [] }) => [...points, ...area].map((point) => point[0])),
    [MARGIN.left, WIDTH - MARGIN.right],
  );
  const y = axis(
    series.flatMap(({ points, area = [] }) => [...points, ...area].map((point) => point[1])),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  const place = (points: Series['points']) =>
    points.map(([px, py]) => `${x.place(px).toFixed(1)},${y.place(py).toFixed(1)}`).join(' ');
  const areas = series.map(({ area = [] }, index) =>
    area.length === 0 ? '' : `<polygon fill="${colourOf(index)}" fill-opacity="0.15" points="${place(area)}"/>`,
  );
  const lines = series.map(({ name, points }, index) => {
    const path = place(points);
    return `<polyline fill="none" stroke-width="1.6" ${strokeOf(index)} points="${path}"><title>${escaped(name)}</title></polyline>`;
  });
  const xTicks = x.ticks.map(
    (tick) =>
      `<text x="${x.place(tick)}" y="${HEIGHT - MARGIN.bottom + 15}" text-anchor="middle">${label(tick)}</text>`,
  );
  const yTicks = y.ticks.map(
    (tick) =>
      `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y.place(tick)}" y2="${y.place(tick)}"/>` +
      `<text x="${MARGIN.left - 6}" y="${y.place(tick) + 4}" text-anchor="end">${label(tick)}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<text class="title" x="${MARGIN.left}" y="16">${escaped(title)}</text>
${yTicks.join('')}${xTicks.join('')}
<text x="${(MARGIN.left + WIDTH) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escaped(xTitle)}</text>
<text transform="translate(12 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(yTitle)}</text>
${areas.join('')}${lines.join('\n')}
</svg>`;
}

/** Text for HTML and SVG, in content and in quoted attributes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

interface Axis {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

function axis(values: readonly number[], [start, end]: readonly [number, number]): Axis {
  // Of nothing at all: from 0 to 1.
  const low = values.length === 0 ? 0 : values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.length === 0 ? 1 : values.reduce((a, b) => Math.max(a, b), -Infinity);
  const step = roundStep((high > low ? high - low : 1) / TICKS);
  const first = Math.floor(low / step);
  const count = Math.max(1, Math.ceil(high / step) - first);
  return {
    place: (value) => start + ((value / step - first) / count) * (end - start),
    ticks: Array.from({ length: count + 1 }, (_, index) => (first + index) * step),
  };
}

/** The next larger of 1, 2 and 5 times a power of ten. */
export function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= step)!;
}

function label(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
