import { mean } from '../../sim/report/statistics.js';
import { formatted, interval, measureColumn } from '../report/columns.js';
import { TAILS, table } from '../report/markdown.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import { pivot } from '../report/overview.js';
import { pairsOf } from '../report/paired.js';
import type { SummaryRow } from '../report/summary.js';
import type { TrialsConfig } from '../config.js';
import type { TrialResult } from '../result.js';
import { together, type Matrix } from './kept.js';
import { rivals } from './rivals.js';
import published from './published.json' with { type: 'json' };

/** Tables of single matrices for the pages in docs/results/. */
const TABLES: Readonly<Record<string, (matrix: Matrix) => string>> = {
  'clipstream-3-small': (matrix) =>
    besidePaper(matrix, published.clipstream, ['bufRatio', 'aSSIM', 'redundant', 'startupMedian']),
  'hollywood-3-9-small': (matrix) =>
    besidePaper(matrix, published.hollywood, [
      'waited',
      'bufRatio',
      'stalls',
      'score',
      'aSSIM',
      'bitrate',
      'redundant',
      'startupMedian',
    ]),
  'clipstream-3-ladder-small': ({ rows }) =>
    pivots(rows, ['bufRatio', 'stalls', 'aSSIM', 'bitrate', 'redundant', 'startupMedian']),
  pipelining: ({ rows }) => pivots(rows, ['linkIdle']),
  recovery,
  'datagrams-streams': (matrix) =>
    datagramsAgainstStreams(matrix, [...eachPath(matrix.config), ...pathGroups(matrix.config)]),
  'first-seconds': (matrix) => firstSeconds(matrix, [...eachVideo(matrix), allVideos(matrix)]),
  rivals,
  'live-small': live,
  'live-half-second-small': live,
};

/** What the page of a matrix shows before all its figures: the tables that its text speaks of. */
export function tablesBlock(matrix: Matrix): string {
  const tables = TABLES[matrix.name] ?? (({ rows }) => table(mostTogether(rows), 'in columns'));
  return tables(matrix);
}

/** Rows without the single traces where they are shown together. */
export function mostTogether(rows: readonly SummaryRow[]): readonly SummaryRow[] {
  const all = rows.filter(({ trace }) => trace === 'all');
  return all.length > 0 ? all : rows;
}

/** Without a standard error. */
const plain = (figure: string) => figure.replace(/ ± [\d.]+/, '');

/** A table for each measure: conditions below each other, systems beside each other. */
function pivots(rows: readonly SummaryRow[], measures: readonly string[]): string {
  return measures.map((key) => `${measureColumn(key).title}:\n\n${pivot(rows, measureColumn(key))}`).join('\n\n');
}

function live(matrix: Matrix): string {
  const single = matrix.rows.filter(({ trace }) => trace !== 'all');
  return pivots(single, ['latencyP95', 'stalled', 'interrupted', 'score', 'bitrate']);
}

type Published = Readonly<Record<string, string | Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** A table for each measure, with those of `behind` in the same cells; the paper's own figures in a line below ours of the same path. */
export function besidePaper(
  { rows, config: { systems } }: Matrix,
  paper: Published,
  measures: readonly string[],
  behind: readonly string[] = [],
): string {
  const others = behind.map(measureColumn);
  const tables = measures.map((key) => {
    const theirs = paper[key];
    const column = measureColumn(key);
    const lines = [...new Set(rows.map(({ path }) => path))].flatMap((path) => {
      const ofPath = rows.filter((row) => row.path === path);
      const ours = [...new Set(ofPath.map(({ control }) => control))].map((control) => {
        const cells = systems.map(({ name }) => ofPath.find((row) => row.system === name && row.control === control));
        return [
          path,
          control,
          ...cells.map((row) => (row ? [column, ...others].map(({ format }) => plain(format(row))).join(' / ') : '')),
        ];
      });
      const figures = typeof theirs === 'object' ? theirs[path] : undefined;
      return figures ? [...ours, [path, 'the paper', ...systems.map(({ name }) => figures[name] ?? '')]] : ours;
    });
    const title = [column, ...others].map((one) => one.title).join(' / ');
    return `${title}:\n\n${markdownTable([['path', 'control', ...systems.map(({ label }) => label)], ...lines])}`;
  });
  return [...tables, `The paper: ${paper.source as string}.`].join('\n\n');
}

/** Paths that one line of a table is about. */
interface PathGroup {
  readonly name: string;
  readonly paths: TrialsConfig['paths'];
}

const eachPath = ({ paths }: TrialsConfig): PathGroup[] => paths.map((path) => ({ name: path.name, paths: [path] }));

/** All lossy paths of one round trip, all lossy ones, all. */
export function pathGroups({ paths }: TrialsConfig): PathGroup[] {
  const lossy = paths.filter(({ loss }) => loss.percent > 0);
  const delays = [...new Set(lossy.map(({ delayMs }) => delayMs))];
  return [
    ...delays.map((delay) => ({
      name: `${2 * delay} ms, all losses`,
      paths: lossy.filter(({ delayMs }) => delayMs === delay),
    })),
    { name: 'all with losses', paths: lossy },
    { name: 'all', paths },
  ];
}

/** Datagrams against streams, a line for each group: only sessions that have a partner. */
export function datagramsAgainstStreams(matrix: Matrix, groups: readonly PathGroup[]): string {
  const { config, sessions } = matrix;
  const [streams, datagrams] = config.systems.map(({ name }) => sessions.filter(({ system }) => system === name));
  const pairs = pairsOf(datagrams!, streams!);
  const paired = new Set(pairs.flatMap(({ ours, theirs }) => [ours, theirs]));
  const kept = { ...matrix, sessions: sessions.filter((session) => paired.has(session)) };
  const parts = groups.map(({ name, paths }) => {
    const names = new Set(paths.map((path) => path.name));
    return { name, rows: together(kept, ({ path }) => names.has(path)) };
  });
  const both = (rows: readonly SummaryRow[], key: string) =>
    rows.map((row) => plain(measureColumn(key).format(row))).join(' / ');
  const lines = parts
    .filter(({ rows }) => rows.length === 2)
    .map(({ name, rows }) => {
      const ours = rows[1]!;
      return [
        name,
        String(ours.trials),
        ...['waited', 'waitedMedian', 'waitedP90', ...TAILS, 'score', 'switches'].map((key) => both(rows, key)),
        interval(ours.versus?.waited, 1, 2),
        interval(ours.versus?.score, 1, 4),
        measureColumn('datagrams').format(ours),
      ];
    });
  const header = [
    'round trip, loss',
    'pairs',
    'waited s',
    'median',
    'p90',
    ...TAILS.map((key) => measureColumn(key).title),
    'SSIM',
    'switches',
    'Δ waited, s',
    'Δ SSIM',
    'datagrams %',
  ];
  return `${markdownTable([header, ...lines])}

Streams / datagrams; differences (Δ) are datagrams less streams. Datagrams: share of the unreliable bytes that were sent.`;
}

/** A line for each path and server: one system. */
function recovery({ rows, sessions }: Matrix): string {
  const keys = ['gapsAtAppend', 'appendedTwice', 'repeatedOverLost', 'redundant', 'datagrams'];
  const lines = rows.map((row) => {
    const lost = sessions
      .filter(({ path, server }) => path === row.path && server === row.server)
      .flatMap(({ scoreLost }) => scoreLost ?? []);
    return [
      row.path,
      row.server,
      String(row.trials),
      ...keys.map((key) => measureColumn(key).format(row)),
      formatted(lost.length === 0 ? null : mean(lost), { scale: 1, digits: 4 }),
    ];
  });
  return markdownTable([
    ['path', 'server', 'n', ...keys.map((key) => measureColumn(key).title), 'SSIM lost'],
    ...lines,
  ]);
}

/** Videos that one line of a table is about. */
interface VideoGroup {
  readonly name: string;
  readonly of: readonly string[];
}

const videosOf = ({ sessions }: Matrix) => [...new Set(sessions.map(({ video }) => video))];

const eachVideo = (matrix: Matrix): VideoGroup[] => videosOf(matrix).map((video) => ({ name: video, of: [video] }));

export const allVideos = (matrix: Matrix): VideoGroup => ({ name: 'all', of: videosOf(matrix) });

/** A line for each group, path and system. */
export function firstSeconds(matrix: Matrix, groups: readonly VideoGroup[]): string {
  const lines = groups.flatMap(({ name, of }) =>
    matrix.config.paths.flatMap((path) => {
      const isOwn = (session: TrialResult) => of.includes(session.video) && session.path === path.name;
      return together(matrix, isOwn).map((row) => {
        const own = matrix.sessions.filter((session) => isOwn(session) && session.system === row.system);
        const total = own.reduce((sum, { framesTotal }) => sum + framesTotal, 0);
        const skipped = own.reduce((sum, { framesSkipped }) => sum + framesSkipped, 0);
        return [
          name,
          path.name,
          ...['system', 'trials', 'startupMedian', ...TAILS, 'scoreFirst'].map((key) => measureColumn(key).format(row)),
          formatted(total === 0 ? null : skipped / total, { scale: 100, digits: 1 }),
          interval(row.versus?.startup, 1, 2),
          interval(row.versus?.scoreFirst, 1, 4),
        ];
      });
    }),
  );
  return markdownTable([
    [
      'video',
      'link',
      'system',
      'n',
      'start s',
      ...TAILS.map((key) => measureColumn(key).title),
      'first 10 s',
      'frames skipped %',
      'Δ start, s',
      'Δ first 10 s',
    ],
    ...lines,
  ]);
}
