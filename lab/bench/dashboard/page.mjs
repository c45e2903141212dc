// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';

/** @typedef {import('./panels.mjs').Drawn} Drawn */

const uplot = (/** @type {string} */ name) => readFileSync(join(root, 'node_modules/uplot/dist', name), 'utf8');

const STYLE = `
body { margin: 0; padding: 12px; background: #111217; color: #ccccdc; font: 13px system-ui, sans-serif; width: 1376px }
h1 { font-size: 16px; font-weight: 500; margin: 4px 0 12px }
.grid { position: relative }
.panel { position: absolute; box-sizing: border-box; background: #181b1f; border: 1px solid #2c3036; border-radius: 3px; padding: 6px 8px; overflow: hidden }
.panel h2 { font-size: 13px; font-weight: 500; margin: 0 0 2px }
.number { font-size: 34px; color: #73bf69; text-align: center; line-height: 70px }
.u-legend { font-size: 12px; text-align: left !important } .u-legend .u-value { display: none }
.u-legend th::after { display: none }`;

/**
 * A page that draws panels where Grafana would put them.
 * @param {string} title @param {number[]} times seconds since 1970 @param {Drawn[]} panels
 */
export const pageOf = (title, times, panels) => `<!doctype html><meta charset="utf-8"><title>${title}</title>
<style>${uplot('uPlot.min.css')}${STYLE}</style><h1>${title}</h1><div class="grid"></div>
<script>${uplot('uPlot.iife.min.js')}</script>
<script>(${draw.toString()})(${JSON.stringify(times)}, ${JSON.stringify(panels).replaceAll('<', '\\u003c')})</script>`;

/** Runs in the page. @param {number[]} times @param {Drawn[]} panels */
function draw(times, panels) {
  const COLUMN = 57;
  const ROW = 34;
  const COLOURS = ['#73bf69', '#f2cc0c', '#8ab8ff', '#ff9830', '#f2495c', '#b877d9'];
  const grid = /** @type {HTMLElement} */ (document.querySelector('.grid'));
  grid.style.height = `${ROW * Math.max(...panels.map(({ place }) => place.y + place.h))}px`;

  /** @param {number | null | undefined} value @param {string} unit */
  const text = (value, unit) => {
    if (value === null || value === undefined) return 'no data';
    if (unit === 'percentunit') return `${(100 * value).toPrecision(2)} %`;
    if (unit === 's' && value > 172800) return `${(value / 86400).toFixed(1)} days`;
    const suffix = { bps: 'bit/s', reqps: '/s', bytes: 'B', s: 's' }[unit] ?? '';
    const power = value < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(value) / 3));
    const scaled = value / 1000 ** power;
    return `${Number.isInteger(scaled) ? scaled : scaled.toPrecision(3)} ${['', 'k', 'M', 'G'][power] ?? ''}${suffix}`.trim();
  };

  /** @param {HTMLElement} box @param {Drawn} panel */
  const number = (box, { curves, unit }) => {
    const value = curves[0]?.values.filter((it) => it !== null).at(-1);
    box.append(Object.assign(document.createElement('div'), { className: 'number', textContent: text(value, unit) }));
  };

  /** @param {HTMLElement} box @param {Drawn} panel @param {number} width @param {number} height */
  const curves = (box, panel, width, height) => {
    let sum = times.map(() => 0);
    const shown = panel.curves.map(({ values }) => {
      if (!panel.stacked) return values;
      sum = sum.map((below, index) => below + (values[index] ?? 0));
      return sum;
    });
    const axis = { stroke: '#8e8e99', grid: { stroke: '#2c3036' }, ticks: { stroke: '#2c3036' } };
    const ticks = (/** @type {unknown} */ _, /** @type {number[]} */ splits) =>
      splits.map((value) => text(value, panel.unit));
    const series = panel.curves.map(({ name }, index) => {
      const colour = COLOURS[index % COLOURS.length];
      return { label: name, stroke: colour, fill: `${colour ?? ''}22`, width: 1.5, points: { show: false } };
    });
    const options = {
      ...{ width, height, legend: { live: false }, cursor: { show: false }, series: [{}, ...series] },
      scales: {
        y: {
          range: (/** @type {unknown} */ _, /** @type {number} */ __, /** @type {number} */ most) => [
            0,
            most > 0 ? 1.1 * most : 1,
          ],
        },
      },
      axes: [axis, { ...axis, size: 78, values: ticks }],
    };
    const { uPlot } = /** @type {{ uPlot: new (options: object, data: object, box: HTMLElement) => object }} */ (
      /** @type {unknown} */ (window)
    );
    new uPlot(options, [times, ...shown], box);
  };

  for (const panel of panels) {
    const { x, y, w, h } = panel.place;
    const box = document.createElement('div');
    box.className = 'panel';
    Object.assign(box.style, {
      left: `${x * COLUMN}px`,
      top: `${y * ROW}px`,
      width: `${w * COLUMN - 6}px`,
      height: `${h * ROW - 6}px`,
    });
    box.append(Object.assign(document.createElement('h2'), { textContent: panel.title }));
    grid.append(box);
    if (panel.type === 'stat' || panel.curves.length === 0) number(box, panel);
    else curves(box, panel, w * COLUMN - 24, h * ROW - 70);
  }
}
