import { atLeast, atMost, type Bar } from '../report/bar.js';
import { markdownTable } from '../report/markdown-table.js';
import { intervalText, mean, median, pairedDifference, quantile, type Difference } from '../report/statistics.js';
import type { Kept } from './kept.js';

/** Rules that begin with whole segments, as they are published. */
export const WHOLE = ['soda', 'bola-e', 'fugu', 'mpc', 'bba'] as const;

/** The rule, and as it was before the player got pieces. */
const OURS = 'abr-star';
export const BEFORE = 'abr-star/whole';

/** Buffers from all starts, and from the first alone. */
const BUFFERS = [1, 7];
export const FIRST_START_BUFFERS = [2, 3];

const DIGITS = { startups: 2, firsts: 4, waits: 2 };

type Measure = 'startups' | 'firsts' | 'waits';

/** Tables of docs/results/simulated/README.md: how soon sessions begin, with what, and how long a viewer waits. */
export function startsTables(all: readonly Kept[]): string {
  const lines = all.filter(({ startups }) => startups !== undefined);
  if (lines.length === 0) return 'Not yet measured.';
  const first = lines.map(firstStart);
  return [
    `${sessionsOf(lines, [OURS, BEFORE, ...WHOLE], BUFFERS)}, buffer of 1 segment / of 7; rivals as published, over whole segments:`,
    figuresTable(lines, [OURS, BEFORE, ...WHOLE]),
    `\`${OURS}\` less each, paired, with 95 % intervals:`,
    differencesTable(lines),
    `${sessionsOf(first, [OURS, ...WHOLE.map(inPieces)], BUFFERS)}, the first start of each trace; the rivals, too, with pieces:`,
    figuresTable(first, [OURS, ...WHOLE.map(inPieces)]),
    `\`${OURS}\` less \`${BEFORE}\`, waited, by buffer (2 and 3 segments: the first start of each trace):`,
    waitedTable(lines),
  ].join('\n\n');
}

/** Every demand on those figures. */
export function startsBars(all: readonly Kept[]): Bar[] {
  const lines = all.filter(({ startups }) => startups !== undefined);
  const of = (rule: string, buffer: number, measure: Measure) => mean(valuesOf(lines, rule, buffer, measure));
  return [
    ...BUFFERS.flatMap((buffer) =>
      WHOLE.flatMap((rival) => [
        atMost(
          `${buffer} segment(s): start-up less ${rival}'s`,
          of(OURS, buffer, 'startups') - of(rival, buffer, 'startups'),
          0,
        ),
        atLeast(
          `${buffer} segment(s): first ten seconds less ${rival}'s`,
          of(OURS, buffer, 'firsts') - of(rival, buffer, 'firsts'),
          0,
        ),
      ]),
    ),
    ...[...BUFFERS, ...FIRST_START_BUFFERS].flatMap((buffer) => {
      const [ours, before] = [OURS, BEFORE].map((rule) => valuesOf(lines, rule, buffer, 'waits'));
      return [
        atMost(`${buffer} segment(s): waited less that before`, mean(ours!) - mean(before!), 0),
        atMost(`${buffer} segment(s): its 90th percentile`, quantile(ours!, 0.9) - quantile(before!, 0.9), 0),
      ];
    }),
  ];
}

/** A rule's name, and its segments handed over in pieces. */
export function inPieces(rule: string): string {
  return `${rule}/pieces`;
}

function figuresTable(lines: readonly Kept[], rules: readonly string[]): string {
  const both = (rule: string, measure: Measure, statistic: (values: readonly number[]) => number) =>
    BUFFERS.map((buffer) => statistic(valuesOf(lines, rule, buffer, measure)).toFixed(DIGITS[measure])).join(' / ');
  const header = ['rule', 'start s', 'median', 'p95', 'first 10 s, SSIM', 'waited s', 'median', 'p90'];
  return markdownTable([
    header,
    ...rules.map((rule) => [
      `\`${rule}\``,
      both(rule, 'startups', mean),
      both(rule, 'startups', median),
      both(rule, 'startups', (values) => quantile(values, 0.95)),
      both(rule, 'firsts', mean),
      both(rule, 'waits', mean),
      both(rule, 'waits', median),
      both(rule, 'waits', (values) => quantile(values, 0.9)),
    ]),
  ]);
}

function differencesTable(lines: readonly Kept[]): string {
  const rows = (['startups', 'firsts', 'waits'] as const).flatMap((measure) =>
    BUFFERS.map((buffer) => [
      `${TITLES[measure]}, ${buffer} segment${buffer > 1 ? 's' : ''}`,
      ...[BEFORE, ...WHOLE].map((rule) => intervalText(lessThan(lines, { rule, buffer, measure }), DIGITS[measure])),
    ]),
  );
  return markdownTable([['Δ', ...[BEFORE, ...WHOLE].map((rule) => `\`${rule}\``)], ...rows]);
}

const TITLES = { startups: 'start, s', firsts: 'first 10 s', waits: 'waited, s' };

function waitedTable(lines: readonly Kept[]): string {
  const rows = [...BUFFERS, ...FIRST_START_BUFFERS]
    .sort((a, b) => a - b)
    .map((buffer) => {
      const statistics = (statistic: (values: readonly number[]) => number) =>
        [BEFORE, OURS].map((rule) => statistic(valuesOf(lines, rule, buffer, 'waits')).toFixed(2)).join(' → ');
      return [
        String(buffer),
        String(valuesOf(lines, OURS, buffer, 'waits').length),
        statistics(mean),
        statistics((values) => quantile(values, 0.9)),
        intervalText(lessThan(lines, { rule: BEFORE, buffer, measure: 'waits' }), 2),
      ];
    });
  return markdownTable([['buffer', 'n', 'waited s', 'p90', 'Δ'], ...rows]);
}

/** Ours less theirs, session by session; traces drawn again. */
function lessThan(
  lines: readonly Kept[],
  { rule, buffer, measure }: { readonly rule: string; readonly buffer: number; readonly measure: Measure },
): Difference {
  const theirs = new Map(select(lines, rule, buffer).map((line) => [line.trace, line[measure]!]));
  return pairedDifference(
    select(lines, OURS, buffer).flatMap((line) =>
      line[measure]!.map((ours, start) => ({ trace: line.trace!, ours, theirs: theirs.get(line.trace)![start]! })),
    ),
  );
}

function firstStart(line: Kept): Kept {
  const { startups, waits, firsts } = line;
  return { ...line, startups: startups!.slice(0, 1), waits: waits!.slice(0, 1), firsts: firsts!.slice(0, 1) };
}

function sessionsOf(lines: readonly Kept[], rules: readonly string[], buffers: readonly number[]): string {
  const shown = lines.filter(({ abr, buffer }) => rules.includes(abr) && buffers.includes(buffer));
  const sessions = shown.reduce((sum, { startups }) => sum + startups!.length, 0);
  return `${sessions} sessions on ${new Set(shown.map(({ trace }) => trace)).size} traces`;
}

function valuesOf(lines: readonly Kept[], rule: string, buffer: number, measure: Measure): number[] {
  return select(lines, rule, buffer).flatMap((line) => line[measure]!);
}

function select(lines: readonly Kept[], rule: string, bufferSegments: number): readonly Kept[] {
  return lines.filter(({ abr, buffer }) => abr === rule && buffer === bufferSegments);
}
