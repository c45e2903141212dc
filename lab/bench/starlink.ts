import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../tools/setup/process.mjs';
import { runTask, tasksOf, type Experiment, type SessionResult } from '../sim/experiment.js';
import { readTraces } from '../sim/link/trace-source.js';
import { meanRate, scaled, type Trace } from '../sim/link/trace.js';
import { atLeast, atMost, barLine, type Bar } from '../sim/report/bar.js';
import { markdownTable } from '../sim/report/markdown-table.js';
import { mean } from '../sim/report/statistics.js';
import { SECONDS, SEGMENTS, starlinkContent } from './starlink/content.js';
import { qoeOf, stepsOf, type Played } from './starlink/qoe.js';

export const usage = `npm run bench -- starlink [--windows FOLDER]: abr-star in SafeSABR's setting (arXiv 2605.23560), in simulation: 3 to 120 Mbit/s in 48
segments of four seconds, eight seconds of buffer, 40 ms, its measure of quality. --windows: its 30 recorded windows, the folder
data/starlink_holdout30 of a copy of github.com/luopeng69131/SafeSABR-dashjs-emulation; without them generated links of that kind. Seconds.
Exit code 1 where a bar is missed: with the windows the published figures of SafeSABR and of dash.js' Dynamic, else Dynamic as simulated.`;

export const options = { windows: { type: 'string' } } as const;

const RULES = ['abr-star', 'abr-star@whole', 'dynamic', 'bola-e', 'mpc'] as const;

type RuleName = (typeof RULES)[number];

/** Their table: quality of SafeSABR, the best with few severe sessions, and seconds stalled of Dynamic, the fewest. */
const PUBLISHED = { qoe: 3904, stalled: 0.7 };

/** Mbit/s that generated links carry on average, as most of the windows do, and where their sessions start. */
const GENERATED = { mbps: 200, starts: 3 };

/** What the bottleneck's queue holds: a round trip at 300 Mbit/s. */
const QUEUE_PACKETS = 1000;

/** Means over sessions, but for the worst one. */
interface Figures {
  readonly qoe: number;
  readonly mbps: number;
  readonly stalled: number;
  readonly longest: number;
  readonly steps: number;
}

/** Measures and prints. */
export function main({ windows }: { windows?: string }): Bar[] {
  const traces = windows === undefined ? generated() : recorded(windows);
  const experiment: Experiment = {
    ...{ traces, rules: RULES, buffers: [1], content: 'synthetic', segments: SEGMENTS, seed: 1 },
    shifts: windows === undefined ? GENERATED.starts : 1,
    transport: { kind: 'quic', roundTrip: 0.04, queuePackets: QUEUE_PACKETS, loss: 0, control: 'cubic' },
  };
  const content = starlinkContent();
  const results = tasksOf(experiment).flatMap((task) => runTask(experiment, content, task));
  const figures = new Map(RULES.map((rule) => [rule, figuresOf(results.filter(({ abr }) => abr === rule))]));
  const bars = windows === undefined ? barsGenerated(figures) : barsPublished(figures);
  console.log([table(figures), '', ...bars.map(barLine)].join('\n'));
  return bars;
}

function generated(): Trace[] {
  return readTraces('starlink-like', 1).map((trace) => scaled(trace, (1e6 * GENERATED.mbps) / meanRate(trace)));
}

/** All windows in a folder and those in it. */
function recorded(folder: string): Trace[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UserError(`no folder '${folder}'`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(trace|csv)$/.test(name),
  );
  if (files.length === 0) throw new UserError(`${folder}: no .trace files`);
  return files.sort().flatMap((name) => readTraces(join(folder, name), 1));
}

function figuresOf(results: readonly SessionResult[]): Figures {
  const sessions: Played[] = results.map(({ scores, bufRatio }) => ({ rates: scores, stalled: bufRatio * SECONDS }));
  const stalled = sessions.map((session) => session.stalled);
  return {
    qoe: mean(sessions.map(qoeOf)),
    mbps: mean(sessions.map(({ rates }) => mean(rates))),
    stalled: mean(stalled),
    longest: Math.max(...stalled),
    steps: mean(sessions.map(stepsOf)),
  };
}

function barsPublished(figures: ReadonlyMap<RuleName, Figures>): Bar[] {
  const { qoe, stalled } = figures.get('abr-star')!;
  return [
    atLeast("abr-star: QoE, SafeSABR's as published", qoe, PUBLISHED.qoe),
    atMost("abr-star: seconds stalled, Dynamic's as published", stalled, PUBLISHED.stalled),
  ];
}

function barsGenerated(figures: ReadonlyMap<RuleName, Figures>): Bar[] {
  const [ours, theirs] = [figures.get('abr-star')!, figures.get('dynamic')!];
  return [
    atLeast("abr-star: QoE less Dynamic's as simulated", ours.qoe - theirs.qoe, 0),
    atMost("abr-star: seconds stalled less Dynamic's as simulated", ours.stalled - theirs.stalled, 0),
  ];
}

function table(figures: ReadonlyMap<RuleName, Figures>): string {
  return markdownTable([
    ['rule', 'QoE', 'Mbit/s', 'stalled s', 'worst session s', 'steps Mbit/s'],
    ...[...figures].map(([rule, { qoe, mbps, stalled, longest, steps }]) => [
      rule,
      qoe.toFixed(0),
      mbps.toFixed(1),
      stalled.toFixed(2),
      longest.toFixed(2),
      steps.toFixed(0),
    ]),
  ]);
}
