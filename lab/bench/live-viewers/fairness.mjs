// @ts-check
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { say, UserError } from '../../../tools/setup/process.mjs';
import { ensureLinkEmulator } from '../../../tools/setup/rust.mjs';
import { atLeast, barLine } from '../../sim/report/bar.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import { overLink } from '../beside/link.mjs';
import { newestSegment, record, startLive } from './replay.mjs';

const CONTROLS = ['delay', 'ordinary'];

const MBPS = 4;
const DELAY_MS = 30;

/** A queue that fills, as many routers have one: 300 ms. And one that does not, with a turn for each flow. */
const QUEUES = {
  'drop-tail': { discipline: 'drop-tail', limit: { packets: 100 } },
  'FQ-CoDel': { discipline: 'fq-codel', limit: { packets: 1000 } },
};
const OTHERS = /** @type {const} */ (['cubic', 'bbr']);
const FLOWS = [1, 4];

/** The viewer watches so many, a second each. */
const SEGMENTS = 22;
/** Those, and what comes before the viewer. */
const RECORDED_SECONDS = 32;
/** What the viewer asks for, in Mbit/s. */
const WANTED = 2;
const LEAST_OF_SHARE = 0.5;

/**
 * Mbit/s on the link, of the viewer and of each download, and what the viewer saw.
 * @typedef {{ viewer: number, downloads: number[] } & import('../server/probe.mjs').Viewing} Shared
 */

/**
 * One viewer beside downloads.
 * @param {{ quiche: string, probe: string, folder: string }} tools @param {string} control @param {boolean} json
 * @returns {Promise<import('../../sim/report/bar.js').Bar[]>}
 */
export async function beside({ quiche, probe, folder }, control, json) {
  if (!CONTROLS.includes(control))
    throw new UserError(`--beside must be one of ${CONTROLS.join(', ')}, got '${control}'`);
  const { linkemu } = await ensureLinkEmulator();
  const recording = join(folder, 'recording');
  say('live-viewers: recording');
  await record(recording, RECORDED_SECONDS);
  /** @type {(Shared & { queue: string, others: string, flows: number, gaveWay: number })[]} */
  const results = [];
  for (const [queue, discipline] of Object.entries(QUEUES))
    for (const others of OTHERS)
      for (const flows of FLOWS) {
        say(`live-viewers: ${control}, ${queue}, ${flows} × ${others}`);
        const cell = { linkemu, quiche, probe, recording, folder, control, discipline, others, flows };
        results.push({ queue, others, flows, ...(await share(cell)) });
      }
  const bars = results.flatMap(({ queue, others, flows, viewer, downloads }) => {
    const equal = MBPS / (flows + 1);
    const name = `${queue}, ${flows} × ${others}`;
    return [
      atLeast(`${name}: viewer, of an equal share`, viewer / Math.min(equal, WANTED), LEAST_OF_SHARE),
      atLeast(`${name}: downloads, of an equal share`, sum(downloads) / flows / equal, LEAST_OF_SHARE),
    ];
  });
  console.log(json ? JSON.stringify(results) : [table(results), '', ...bars.map(barLine)].join('\n'));
  return bars;
}

/**
 * @param {{ linkemu: string, quiche: string, probe: string, recording: string, folder: string, control: string, discipline: object,
 *   others: string, flows: number }} cell
 * @returns {Promise<Shared & { gaveWay: number }>} `gaveWay`: how often the ordinary control took over
 */
async function share({ linkemu, quiche, probe, recording, folder, control, discipline, others, flows }) {
  const own = mkdtempSync(join(folder, 'cell-'));
  const site = join(own, 'site');
  const replay = startLive(recording, ['--out', site, '--replay']);
  try {
    const { track, number } = await newestSegment(site);
    // The viewer comes some seconds later.
    const first = number + 5;
    const asked = {
      server: [quiche, site, '--live-control', control],
      probe,
      asking: ['--target', `/${track}/$Number$.m4s`, '--follow', String(first), '--requests', String(SEGMENTS)],
      ...{ tcpControl: others, flows },
    };
    const up = { trace: { mbps: 100 }, queue: QUEUES['drop-tail'], delayMs: DELAY_MS };
    const down = { trace: { mbps: MBPS }, queue: discipline, delayMs: DELAY_MS };
    const {
      own: viewer,
      downloads,
      seen,
      log,
    } = await overLink(linkemu, own, asked, { seed: 1, paths: [{ down, up }] });
    const gaveWay = readFileSync(log, 'utf8').match(/control="ordinary"/g)?.length ?? 0;
    return { viewer, downloads, .../** @type {import('../server/probe.mjs').Viewing} */ (seen), gaveWay };
  } finally {
    await replay.stop();
  }
}

/** @param {(Shared & { queue: string, others: string, flows: number, gaveWay: number })[]} results */
function table(results) {
  const rows = results.map(({ queue, others, flows, viewer, downloads, lateShare, wholeMsP95, gaveWay }) => [
    queue,
    `${flows} × ${others}`,
    viewer.toFixed(2),
    (sum(downloads) / flows).toFixed(2),
    (100 * lateShare).toFixed(0),
    wholeMsP95 === null ? '–' : wholeMsP95.toFixed(0),
    String(gaveWay),
  ]);
  const head = [
    'queue',
    'downloads',
    'viewer, Mbit/s',
    'each download, Mbit/s',
    'late chunks, %',
    'chunk p95, ms',
    'gave way',
  ];
  return markdownTable([head, ...rows]);
}

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
