import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import type { Experiment, SessionResult } from '../sim/experiment.js';
import { controlNames } from '../sim/link/controls.js';
import { runExperiment } from '../sim/pool.js';
import { progressLine } from '../sim/report/progress-line.js';
import { mean, pairedDifference, type Difference } from '../sim/report/statistics.js';
import { readConfig } from '../trials/config.js';
import { pathModel } from '../trials/calibrate.js';
import { prepareMedia } from '../trials/prepare-media.js';
import { interval } from '../trials/report/columns.js';
import { tracesOf } from '../trials/traces.js';

export const usage = `npm run bench -- carriers [--json] [--quick]: abr-star over datagrams and over streams alone in simulation, with the video, the links and
the paths of lab/trials/configs/datagrams-streams.json: seconds waited (start-up and stalls), SSIM and QoE, as means of paired differences with
95 % intervals. Without ../shared: generated links and the sample. About two minutes, and three more to prepare the video the first
time. --quick: a fifth of the starts. --json: one object on standard output.`;

const flag = { type: 'boolean', default: false } as const;

export const options = { json: flag, quick: flag } as const;

const STREAMS = 'abr-star@streams';
const DEFAULT = 'abr-star';

/** Segments: a minute and twenty seconds. */
const SEGMENTS = 40;

/** Places in each link where sessions start. */
const STARTS = 20;

/** What one control made of one path. Seconds, scores; differences: datagrams less streams. */
interface Cell {
  readonly path: string;
  readonly control: string;
  readonly pairs: number;
  readonly streams: { readonly waited: number; readonly score: number };
  readonly waited: Difference;
  readonly score: Difference;
  readonly qoe: Difference;
}

/** Measures and prints. */
export async function main({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  const config = readConfig(join(root, 'lab/trials/configs/datagrams-streams.json'));
  const { videos, paths, buffers, seed } = config;
  const media = await prepareMedia(videos[0]!);
  const { segmentDuration } = media.content;
  const common = {
    traces: tracesOf(config),
    shifts: quick ? STARTS / 5 : STARTS,
    rules: [STREAMS, DEFAULT],
    buffers,
    content: media.folder,
    segments: SEGMENTS,
    seed,
  } satisfies Omit<Experiment, 'transport'>;
  const cells: Cell[] = [];
  for (const control of controlNames) {
    for (const path of paths) {
      const { name } = path;
      const transport = { kind: 'quic', ...pathModel(path), control } as const;
      const results = await runExperiment(
        { ...common, transport },
        { onProgress: progressLine(`${name}, ${control}`) },
      );
      cells.push({ path: name, control, ...compare(results, SEGMENTS * segmentDuration) });
    }
  }
  if (json) console.log(JSON.stringify({ cells }));
  else console.log(cells.map(describe).join('\n'));
}

/** `duration` of the video in seconds. */
function compare(results: readonly SessionResult[], duration: number): Omit<Cell, 'path' | 'control'> {
  const [ours, streams] = [DEFAULT, STREAMS].map((rule) => results.filter(({ abr }) => abr === rule)) as [
    SessionResult[],
    SessionResult[],
  ];
  const waited = ({ startup, bufRatio }: SessionResult) => startup + bufRatio * duration;
  const difference = (measure: (result: SessionResult) => number) =>
    pairedDifference(
      ours.map((result, index) => ({
        trace: result.trace,
        ours: measure(result),
        theirs: measure(streams[index]!),
      })),
    );
  return {
    pairs: ours.length,
    streams: { waited: mean(streams.map(waited)), score: mean(streams.map(({ score }) => score)) },
    waited: difference(waited),
    score: difference(({ score }) => score),
    qoe: difference(({ qoe }) => qoe),
  };
}

function describe({ path, control, pairs, streams, waited, score, qoe }: Cell): string {
  const text = (difference: Difference, digits: number) => interval(difference, 1, digits);
  const base = `streams ${streams.waited.toFixed(2)} s, ${streams.score.toFixed(4)}`;
  return `${path}, ${control}, ${pairs} pairs: ${base}; waited ${text(waited, 2)} s, SSIM ${text(score, 4)}, QoE ${text(qoe, 4)}`;
}
