// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { recordedTrace, underConditions, walk, weakened } from './traces.mjs';

/** Where `npm run data` puts recorded links. */
const RECORDINGS = join(root, '..', 'shared/data/traces');

/** Longer than any comparison; links repeat then. */
const SECONDS = 120;

/**
 * A link to compare players on. `second`: another one beside it, which players may use, too. `isLive`: what plays is a live stream.
 * @typedef {{ id: string, title: string, about: string, link: import('../link/lane.mjs').LinkSettings,
 *   second?: import('../link/lane.mjs').LinkSettings, isLive?: boolean }} Preset
 */

/**
 * Made from formulas, shaped as links of that kind are, with seeds by which something happens within the video's length. All are scaled to
 * the small ladder that three players can decode at once.
 * @type {readonly Preset[]}
 */
const GENERATED = [
  {
    id: 'tunnel',
    title: '3G, through a tunnel',
    about: 'A train enters a tunnel after nine seconds: for twenty seconds a seventh of the rate is left',
    link: {
      trace: weakened(walk({ seed: 3, seconds: SECONDS, mbps: 1.5, deviation: 0.2, correlation: 0.9 }), [
        { start: 9, end: 31, factor: 1 / 7, fade: 2 },
      ]),
      delayMs: 40,
      queuePackets: 16,
    },
  },
  {
    id: 'lte',
    title: 'LTE, on a train',
    about: 'The rate swings from second to second, now and then to almost nothing',
    link: {
      trace: walk({ seed: 1, seconds: SECONDS, mbps: 0.8, deviation: 1, correlation: 0.94 }),
      delayMs: 25,
      queuePackets: 16,
    },
  },
  {
    id: 'starlink',
    title: 'Starlink, handovers',
    about: 'Another satellite every fifteen seconds: a gap of a second and a half, then another rate',
    link: {
      trace: weakened(
        walk({ seed: 6, seconds: SECONDS, mbps: 0.8, deviation: 0.8, correlation: 0.99, redrawn: 15 }),
        Array.from({ length: SECONDS / 15 }, (_, index) => ({
          start: 15 * index + 13.5,
          end: 15 * index + 15,
          factor: 0,
        })),
      ),
      delayMs: 20,
      queuePackets: 16,
    },
  },
  {
    id: 'wifi',
    title: 'Wi-Fi, losses in bursts',
    about:
      'Four in a hundred packets are lost, eight at a time. dash.js is spared them here, and nobody waits: VOXEL repairs what it has lost',
    link: {
      trace: walk({ seed: 4, seconds: SECONDS, mbps: 2, deviation: 0.5, correlation: 0.9 }),
      delayMs: 10,
      queuePackets: 32,
      loss: { percent: 4, meanBurst: 8 },
    },
  },
  {
    id: 'paths',
    title: 'Two mobile links at once',
    about: 'VOXEL uses both for one playback. A page with dash.js alone has one of them',
    link: {
      trace: walk({ seed: 11, seconds: SECONDS, mbps: 0.8, deviation: 0.8, correlation: 0.94 }),
      delayMs: 25,
      queuePackets: 16,
    },
    second: {
      trace: walk({ seed: 12, seconds: SECONDS, mbps: 0.6, deviation: 0.8, correlation: 0.94 }),
      delayMs: 40,
      queuePackets: 16,
    },
  },
  {
    id: 'live',
    title: 'LTE, a live stream',
    about:
      'Encoded now, to be seen a second after it was captured. Behind every other house, for a second and a half, a fifth of the rate is left',
    isLive: true,
    link: {
      trace: weakened(
        walk({ seed: 3, seconds: SECONDS, mbps: 1.6, deviation: 0.3, correlation: 0.9 }),
        Array.from({ length: SECONDS / 8 }, (_, index) => ({
          start: 8 * index + 5,
          end: 8 * index + 6.5,
          factor: 0.2,
        })),
      ),
      delayMs: 25,
      queuePackets: 16,
    },
  },
];

/** The same from logs that do not come with the repository. */
const RECORDED = [
  {
    id: 'tunnel-recorded',
    title: '3G, through a tunnel (recorded)',
    about:
      'A commuter train in Norway, 29 January 2011, by Riiser et al. (MMSys 2013): for ten seconds next to nothing comes through',
    file: 'norway-3g/report.2011-01-29_1827CET.csv',
    part: { start: 152, seconds: SECONDS },
    path: { delayMs: 40, queuePackets: 16 },
  },
];

/** Rates made from a formula, with delays and losses from a record of these alone. */
const RECORDED_LOSSES = [
  {
    id: 'sea-recorded',
    title: 'Starlink at sea (losses and delays recorded)',
    about:
      'A ship off Kiel, 12 December 2024, by FjordLink (CC BY 4.0): clean, but for spells of a second or four in which one in fifteen packets is lost. dash.js is spared them here',
    file: 'fjordlink/2024-12-12-19-10-28.csv',
    start: 2270,
    trace: () => walk({ seed: 6, seconds: SECONDS, mbps: 1.2, deviation: 0.6, correlation: 0.97, redrawn: 15 }),
    path: { delayMs: 5, queuePackets: 16 },
  },
];

/** @returns {Preset[]} those that this machine has */
export function presets() {
  const isHere = (/** @type {{ file: string }} */ { file }) => existsSync(join(RECORDINGS, file));
  return [
    ...GENERATED.map((preset) => ({ ...preset, title: `${preset.title} (generated)` })),
    ...RECORDED.filter(isHere).map(({ id, title, about, file, part, path }) => ({
      ...{ id, title, about },
      link: { trace: recordedTrace(join(RECORDINGS, file), part), ...path },
    })),
    ...RECORDED_LOSSES.filter(isHere).map(({ id, title, about, file, start, trace, path }) => ({
      ...{ id, title, about },
      link: { trace: underConditions(trace(), join(RECORDINGS, file), start), ...path },
    })),
  ];
}
