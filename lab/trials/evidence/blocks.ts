import { mean } from '../../sim/report/statistics.js';
import { MEASURE_COLUMNS, formatted, interval, type Column } from '../report/columns.js';
import { commitsOf, progress } from '../report/facts.js';
import { table } from '../report/markdown.js';
import { markdownTable } from '../report/markdown-table.js';
import { pivot } from '../report/overview.js';
import { pairsOf } from '../report/paired.js';
import type { SummaryRow } from '../report/summary.js';
import type { TrialsConfig } from '../config.js';
import type { TrialResult } from '../result.js';
import { commandOf, together, type Matrix } from './kept.js';
import { rivals } from './rivals.js';
import published from './published.json' with { type: 'json' };

/** Tables of one matrix for docs/RESULTS.md. */
type Tables = (matrix: Matrix) => string;

const TABLES: Readonly<Record<string, Tables>> = {
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
  'clipstream-3-ladder-small': (matrix) =>
    pivots(matrix, ['bufRatio', 'stalls', 'aSSIM', 'bitrate', 'redundant', 'startupMedian']),
  pipelining: (matrix) => pivots(matrix, ['linkIdle']),
  recovery,
  'datagrams-streams': map,
  'first-seconds': firstSeconds,
  rivals,
  'live-small': live,
  'live-half-second-small': live,
};

/** All that docs/RESULTS.md shows of a matrix; `undefined`: no such configuration was ever kept, and none is expected. */
export function matrixBlock(name: string, matrix: Matrix | undefined): string {
  const command = `\`\`\`sh\n${commandOf(name)}\n\`\`\``;
  if (!matrix) return `${command}\n\nNot yet measured.`;
  const { sessions, planned } = matrix;
  const dates = sessions.map(({ date }) => date.slice(0, 10)).sort();
  const days = [...new Set([dates[0], dates.at(-1)])].join(' to ');
  const facts = `${capital(progress(sessions.length, planned))}; ${commitsOf(sessions)}; ${days}. [All figures](results/${name}/README.md).`;
  const tables = (TABLES[name] ?? (({ rows }) => table(mostTogether(rows), 'in columns')))(matrix);
  return `${command}\n\n${facts}\n\n${tables}`;
}

/** A row for each matrix. */
export function matricesBlock(matrices: ReadonlyMap<string, Matrix>): string {
  const lines = [...matrices.values()].map(({ name, config, sessions, planned, invalid }) => [
    `[${name}](results/${name}/README.md)`,
    config.title,
    `${sessions.length} of ${planned ?? 'all'}`,
    String(invalid),
    commitsOf(sessions).replace(/^commits? /, ''),
  ]);
  return markdownTable([['matrix', 'about', 'sessions', 'attempts that do not count', 'commits'], ...lines]);
}

const capital = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

/** Without the single traces where they are shown together. */
function mostTogether(rows: readonly SummaryRow[]): readonly SummaryRow[] {
  const all = rows.filter(({ trace }) => trace === 'all');
  return all.length > 0 ? all : rows;
}

const columnOf = (key: string): Column => MEASURE_COLUMNS.find((column) => column.key === key)!;

function pivots({ rows }: Matrix, measures: readonly string[]): string {
  return measures.map((key) => `${columnOf(key).title}:\n\n${pivot(rows, columnOf(key))}`).join('\n\n');
}

function live(matrix: Matrix): string {
  const single = matrix.rows.filter(({ trace }) => trace !== 'all');
  return pivots({ ...matrix, rows: single }, ['latencyP95', 'stalled', 'interrupted', 'score', 'bitrate']);
}

type Published = Readonly<Record<string, string | Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** A table for each measure; the paper's own figures in a line below ours of the same path. */
function besidePaper({ rows, config: { systems } }: Matrix, paper: Published, measures: readonly string[]): string {
  const tables = measures.map((key) => {
    const theirs = paper[key];
    const column = columnOf(key);
    const lines = [...new Set(rows.map(({ path }) => path))].flatMap((path) => {
      const ofPath = rows.filter((row) => row.path === path);
      const ours = [...new Set(ofPath.map(({ control }) => control))].map((control) => {
        const cells = systems.map(({ name }) => ofPath.find((row) => row.system === name && row.control === control));
        return [path, control, ...cells.map((row) => (row ? column.format(row) : ''))];
      });
      const figures = typeof theirs === 'object' ? theirs[path] : undefined;
      return figures ? [...ours, [path, 'the paper', ...systems.map(({ name }) => figures[name] ?? '')]] : ours;
    });
    return `${column.title}:\n\n${markdownTable([['path', 'control', ...systems.map(({ label }) => label)], ...lines])}`;
  });
  return [...tables, `The paper: ${paper.source as string}.`].join('\n\n');
}

/** Datagrams against streams, a line for each path: only sessions that have a partner. */
function map(matrix: Matrix): string {
  const { config, sessions } = matrix;
  const [streams, datagrams] = config.systems.map(({ name }) => sessions.filter(({ system }) => system === name));
  const pairs = pairsOf(datagrams!, streams!);
  const paired = new Set(pairs.flatMap(({ ours, theirs }) => [ours, theirs]));
  const kept = { ...matrix, sessions: sessions.filter((session) => paired.has(session)) };
  const lossy = config.paths.filter(({ loss }) => loss.percent > 0);
  const part = (name: string, paths: TrialsConfig['paths']) => {
    const names = new Set(paths.map((path) => path.name));
    return { name, rows: together(kept, ({ path }) => names.has(path)) };
  };
  const delays = [...new Set(lossy.map(({ delayMs }) => delayMs))];
  const parts = [
    ...config.paths.map((path) => part(path.name, [path])),
    ...delays.map((delay) =>
      part(
        `${2 * delay} ms, all losses`,
        lossy.filter(({ delayMs }) => delayMs === delay),
      ),
    ),
    part('all with losses', lossy),
    part('all', config.paths),
  ];
  const both = (rows: readonly SummaryRow[], key: string) =>
    rows.map((row) => columnOf(key).format(row).split(' ±')[0]!).join(' / ');
  const lines = parts
    .filter(({ rows }) => rows.length === 2)
    .map(({ name, rows }) => {
      const ours = rows[1]!;
      return [
        name,
        String(ours.trials),
        ...['waited', 'waitedMedian', 'waitedP90', 'score', 'switches'].map((key) => both(rows, key)),
        interval(ours.versus?.waited, 1, 2),
        interval(ours.versus?.score, 1, 4),
        columnOf('datagrams').format(ours),
      ];
    });
  const header = [
    'round trip, loss',
    'pairs',
    'waited s',
    'median',
    'p90',
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
      ...keys.map((key) => columnOf(key).format(row)),
      formatted(lost.length === 0 ? null : mean(lost), { scale: 1, digits: 4 }),
    ];
  });
  return markdownTable([['path', 'server', 'n', ...keys.map((key) => columnOf(key).title), 'SSIM lost'], ...lines]);
}

/** A line for each video, path and system, and for all videos together. */
function firstSeconds(matrix: Matrix): string {
  const videos = [...new Set(matrix.sessions.map(({ video }) => video))];
  const parts = [...videos.map((video) => ({ name: video, of: [video] })), { name: 'all', of: videos }];
  const lines = parts.flatMap(({ name, of }) =>
    matrix.config.paths.flatMap((path) => {
      const isOwn = (session: TrialResult) => of.includes(session.video) && session.path === path.name;
      return together(matrix, isOwn).map((row) => {
        const own = matrix.sessions.filter((session) => isOwn(session) && session.system === row.system);
        const total = own.reduce((sum, { framesTotal }) => sum + framesTotal, 0);
        const skipped = own.reduce((sum, { framesSkipped }) => sum + framesSkipped, 0);
        return [
          name,
          path.name,
          ...['system', 'trials', 'startupMedian', 'scoreFirst'].map((key) => columnOf(key).format(row)),
          formatted(total === 0 ? null : skipped / total, { scale: 100, digits: 1 }),
          interval(row.versus?.startup, 1, 2),
          interval(row.versus?.scoreFirst, 1, 4),
        ];
      });
    }),
  );
  return markdownTable([
    ['video', 'link', 'system', 'n', 'start s', 'first 10 s', 'frames skipped %', 'Δ start, s', 'Δ first 10 s'],
    ...lines,
  ]);
}
