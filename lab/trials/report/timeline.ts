import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineChart, type Series } from '../../sim/report/line-chart.js';
import type { EvaluatedSegment } from '../evaluate.js';
import { readJsonLines } from '../../sim/report/json-lines.js';
import { pathNames } from '../link-file.js';
import type { Sample } from '../page/types.js';
import type { TrialResult } from '../result.js';

type Point = readonly [x: number, y: number];

/** What one session was like from second to second. */
export interface Timeline {
  readonly rates: string;
  readonly buffer: string;
}

/** Draws a trial from the files in its folder; undefined where they are absent. */
export function drawTimeline(folder: string, { paths }: Pick<TrialResult, 'paths'>): Timeline | undefined {
  const names = pathNames(paths);
  const logs = names.map((name) => `${name}-down.csv`);
  const files = ['timeline.json', 'segments.jsonl', ...logs].map((name) => join(folder, name));
  if (!files.every((file) => existsSync(file))) return undefined;
  const [samples, segments, ...links] = files as [string, string, ...string[]];
  const series = names.map((name, index) => ({ name, points: linkRates(readFileSync(links[index]!, 'utf8')) }));
  return draw(
    JSON.parse(readFileSync(samples, 'utf8')) as Sample[],
    readJsonLines<EvaluatedSegment>(segments, 'a segment of a trial'),
    series,
  );
}

function draw(samples: readonly Sample[], segments: readonly EvaluatedSegment[], links: readonly Series[]): Timeline {
  const end = samples.at(-1)?.at ?? 0;
  const throughput = samples.flatMap(({ at, throughput: rate }) => (rate === null ? [] : [[at, rate / 1e6] as const]));
  const levels = segments
    .toSorted((a, b) => a.deliveredAt - b.deliveredAt)
    .flatMap(({ deliveredAt, seconds, bandwidth }) => [
      [deliveredAt - seconds, bandwidth / 1e6] as const,
      [deliveredAt, bandwidth / 1e6] as const,
    ]);
  const series: Series[] = [
    ...links.map(({ name, points }) => ({ name, points: points.filter(([at]) => at <= end) })),
    { name: 'estimated throughput', points: throughput },
    { name: 'level', points: levels },
  ];
  const buffer: Point[] = samples.map((sample) => [sample.at, sample.buffer]);
  const xTitle = 'seconds since the player was started';
  return {
    rates: lineChart({ title: 'link, throughput, level', xTitle, yTitle: 'Mbit/s', series }),
    buffer: lineChart({ title: 'buffer', xTitle, yTitle: 's', series: [{ name: 'buffer', points: buffer }] }),
  };
}

/** What the link could have carried in each second, Mbit/s. */
function linkRates(csv: string): Point[] {
  const [header, ...lines] = csv.trim().split('\n');
  const column = header!.split(',').indexOf('capacity_bytes');
  return lines.flatMap((line, second): Point[] => {
    const mbps = (8 * Number(line.split(',')[column])) / 1e6;
    return [
      [second, mbps],
      [second + 1, mbps],
    ];
  });
}
