import { slideShowMark } from '../../sim/report/slide-show.js';
import { intervalText, type Bounded } from '../../sim/report/statistics.js';
import { TAIL_COLUMNS } from '../../sim/report/tail-columns.js';
import { LIVE_MEASURES, type Estimate, type LiveSummary, type PathSummary, type SummaryRow } from './summary.js';

/** A column of the summary: its name in summary.csv, its title and form where people read it. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly value: (row: SummaryRow) => number | string | null;
  readonly format: (row: SummaryRow) => string;
}

/** What was not measured. */
export const NOTHING = '–';

/** Those that say what was measured under which conditions. */
export const CONDITION_COLUMNS: readonly Column[] = [
  text('video', 'video', ({ video }) => video),
  text('trace', 'trace', ({ trace }) => trace),
  text('path', 'path', ({ path }) => path),
  text('server', 'server', ({ server }) => server),
  text('control', 'control', ({ control }) => control),
  text('crossTraffic', 'other traffic', ({ crossTraffic }) => crossTraffic),
];

export const MEASURE_COLUMNS: readonly Column[] = [
  {
    ...text('buffer', 'buffer', ({ buffer, live }) => (live ? NOTHING : String(buffer))),
    value: ({ buffer }) => buffer,
  },
  { ...text('system', 'system', ({ label }) => label), value: ({ system }) => system },
  { ...text('trials', 'n', ({ trials }) => String(trials)), value: ({ trials }) => trials },
  ...estimate('waited', 'waited s', ({ waited }) => waited, { scale: 1, digits: 2 }),
  number('waitedMedian', 'waited median', ({ waitedMedian }) => waitedMedian, { scale: 1, digits: 2 }),
  number('waitedP90', 'waited p90', ({ waitedP90 }) => waitedP90, { scale: 1, digits: 2 }),
  ...TAIL_COLUMNS.map(({ key, title, value, format }): Column => ({
    ...{ key, title, value: ({ tails }) => value(tails), format: ({ tails }) => format(tails) },
  })),
  ...estimate('bufRatio', 'bufRatio %', ({ bufRatio }) => bufRatio, { scale: 100, digits: 2 }),
  number('bufRatioP90', 'bufRatio p90', ({ bufRatioP90 }) => bufRatioP90, { scale: 100, digits: 2 }),
  ...marked(estimate('score', 'SSIM', ({ score }) => score, { scale: 1, digits: 4 })),
  ...estimate('switches', 'switches', ({ switches }) => switches, { scale: 1, digits: 1 }),
  ...estimate('bitrate', 'kbit/s', ({ bitrate }) => bitrate, { scale: 1e-3, digits: 0 }),
  ...estimate('skipped', 'skipped %', ({ skipped }) => skipped, { scale: 100, digits: 1 }),
  ...estimate('lost', 'lost %', ({ lost }) => lost, { scale: 100, digits: 2 }),
  ...estimate('aSSIM', 'aSSIM', ({ aSSIM }) => aSSIM, { scale: 1, digits: 4 }),
  ...estimate('qoe', 'QoE', ({ qoe }) => qoe, { scale: 1, digits: 4 }),
  ...estimate('stalls', 'stalls', ({ stalls }) => stalls, { scale: 1, digits: 1 }),
  number('startupMedian', 'start s', ({ startupMedian }) => startupMedian, { scale: 1, digits: 2 }),
  number('start', 'first picture s', ({ start }) => start, { scale: 1, digits: 2 }),
  number('seek', 'seek s', ({ seek }) => seek, { scale: 1, digits: 2 }),
  number('resume', 'resume s', ({ resume }) => resume, { scale: 1, digits: 2 }),
  number('scoreFirst', 'first 10 s', ({ scoreFirst }) => scoreFirst, { scale: 1, digits: 4 }),
  number('segmentsWithDrops', 'segments with drops %', (row) => row.segmentsWithDrops, { scale: 100, digits: 0 }),
  number('dropsWithReferences', '… referenced too %', (row) => row.dropsWithReferences, { scale: 100, digits: 0 }),
  number('referencesDropped', '… of referenced frames %', (row) => row.referencesDropped, { scale: 100, digits: 0 }),
  number('datagrams', 'datagrams %', ({ datagrams }) => datagrams, { scale: 100, digits: 0 }),
  ...estimate('gapsAtAppend', 'gaps %', ({ gapsAtAppend }) => gapsAtAppend, { scale: 100, digits: 3 }),
  number('appendedTwice', 'twice %', ({ appendedTwice }) => appendedTwice, { scale: 100, digits: 1 }),
  number('repeatedOverLost', 'repeated/lost', ({ repeatedOverLost }) => repeatedOverLost, { scale: 1, digits: 2 }),
  number('recovered', 'recovered %', ({ recovered }) => recovered, { scale: 100, digits: 2 }),
  ...estimate('redundant', 'redundant %', ({ redundant }) => redundant, { scale: 100, digits: 1 }),
  number('segmentsAsDatagrams', 'segments as datagrams %', (row) => row.segmentsAsDatagrams, { scale: 100, digits: 0 }),
  text('mos', 'excellent / good / fair / poor / bad %', ({ mos: { excellent, good, fair, poor, bad } }) =>
    [excellent, good, fair, poor, bad].map((share) => formatted(share, { scale: 100, digits: 0 })).join(' / '),
  ),
  number('vmaf', 'VMAF', ({ vmaf }) => vmaf, { scale: 1, digits: 1 }),
  number('psnr', 'PSNR, dB', ({ psnr }) => psnr, { scale: 1, digits: 1 }),
  text('paths', 'paths’ shares %', ({ paths }) => paths?.map(pathShare).join(', ') ?? NOTHING),
  text('outages', 'outages', ({ paths }) => paths?.flatMap(pathOutages).join('; ') || NOTHING),
  number('bulkRate', 'kbit/s of a bulk flow', ({ bulkRate }) => bulkRate, { scale: 1e-3, digits: 0 }),
  number('linkIdle', 'link idle %', ({ linkIdle }) => linkIdle, { scale: 100, digits: 1 }),
  ...liveEstimate('latency', 'latency s', { scale: 1, digits: 3 }),
  ...liveEstimate('latencyP95', 'latency p95', { scale: 1, digits: 3 }),
  ...liveEstimate('stallsPerMinute', 'stalls/min', { scale: 1, digits: 2 }),
  ...liveEstimate('stalled', 'stalled %', { scale: 100, digits: 2 }),
  ...liveEstimate('interrupted', 'interrupted %', { scale: 100, digits: 2 }),
  ...liveEstimate('interruptionsPerMinute', 'interruptions/min', { scale: 1, digits: 2 }),
  ...liveEstimate('replaced', 'pictures replaced %', { scale: 100, digits: 2 }),
  ...liveEstimate('skippedMedia', 'media skipped %', { scale: 100, digits: 2 }),
  ...liveEstimate('chunksRepaired', 'chunks repaired %', { scale: 100, digits: 1 }),
  ...liveEstimate('chunksLate', 'chunks late %', { scale: 100, digits: 1 }),
];

/** Whether a column is empty for sessions on demand. */
export function isForLive(key: string): boolean {
  return LIVE_KEYS.has(key);
}

/** The column of a measure. `key`: its name in files. */
export function measureColumn(key: string): Column {
  return MEASURE_COLUMNS.find((column) => column.key === key)!;
}

/** What the paired comparison with the baseline adds, where people read it. */
export const COMPARISON_COLUMNS: readonly Omit<Column, 'value'>[] = [
  { key: 'waitedDifference', title: 'Δ waited, s', format: ({ versus }) => interval(versus?.waited, 1, 2) },
  {
    key: 'waitedMedianDifference',
    title: 'Δ its median',
    format: ({ versus }) => interval(versus?.waitedMedian, 1, 2),
  },
  { key: 'waitedP90Difference', title: 'Δ its p90', format: ({ versus }) => interval(versus?.waitedP90, 1, 2) },
  {
    key: 'waitedWorstDifference',
    title: 'Δ worst 5 %, s',
    format: ({ versus }) => interval(versus?.waitedWorst, 1, 2),
  },
  { key: 'waitsLongDifference', title: 'Δ over 5 %, pp', format: ({ versus }) => interval(versus?.waitsLong, 100, 1) },
  {
    key: 'longestStallDifference',
    title: 'Δ longest stall, s',
    format: ({ versus }) => interval(versus?.longestStall, 1, 2),
  },
  {
    key: 'longestStillDifference',
    title: 'Δ longest still, s',
    format: ({ versus }) => interval(versus?.longestStill, 1, 2),
  },
  {
    key: 'picturesPerSecondDifference',
    title: 'Δ pictures/s',
    format: ({ versus }) => interval(versus?.picturesPerSecond, 1, 1),
  },
  { key: 'bufRatioDifference', title: 'Δ bufRatio, pp', format: ({ versus }) => interval(versus?.bufRatio, 100, 2) },
  {
    key: 'bufRatioP90Difference',
    title: 'Δ its p90, pp',
    format: ({ versus }) => interval(versus?.bufRatioP90, 100, 2),
  },
  { key: 'scoreDifference', title: 'Δ SSIM', format: ({ versus }) => interval(versus?.score, 1, 4) },
  { key: 'startupDifference', title: 'Δ start, s', format: ({ versus }) => interval(versus?.startup, 1, 2) },
  { key: 'scoreFirstDifference', title: 'Δ first 10 s', format: ({ versus }) => interval(versus?.scoreFirst, 1, 4) },
  { key: 'qoeDifference', title: 'Δ QoE', format: ({ versus }) => interval(versus?.qoe, 1, 4) },
];

/** In place of some of these for live sessions. */
export const LIVE_COMPARISON_COLUMNS: readonly Omit<Column, 'value'>[] = [
  {
    key: 'latencyP95Difference',
    title: 'Δ latency p95, s',
    format: ({ versus }) => interval(versus?.latencyP95, 1, 3),
  },
  { key: 'stalledDifference', title: 'Δ stalled, pp', format: ({ versus }) => interval(versus?.stalled, 100, 2) },
  {
    key: 'interruptedDifference',
    title: 'Δ interrupted, pp',
    format: ({ versus }) => interval(versus?.interrupted, 100, 2),
  },
  { key: 'liveScoreDifference', title: 'Δ SSIM', format: ({ versus }) => interval(versus?.score, 1, 4) },
];

/** The summary as numbers, with a header. */
export function csvTable(rows: readonly SummaryRow[]): string {
  const columns = [...CONDITION_COLUMNS, ...MEASURE_COLUMNS];
  const lines = [columns.map(({ key }) => key), ...rows.map((row) => columns.map(({ value }) => csvCell(value(row))))];
  return lines.map((line) => `${line.join(',')}\n`).join('');
}

function pathShare({ name, share }: PathSummary): string {
  return `${name} ${formatted(share, { scale: 100, digits: 0 })}`;
}

function pathOutages({ name, outages = [] }: PathSummary): string[] {
  return outages.map(({ start, stop, failures, usedAgain }) => {
    const events = `${Number(failures.toFixed(1))} failure${failures === 1 ? '' : 's'}`;
    const again = usedAgain === null ? 'not used again' : `used again after ${usedAgain.toFixed(1)} s`;
    return `${name} ${start} to ${stop} s: ${events}, ${again}`;
  });
}

function csvCell(value: number | string | null): string {
  const cell = String(value ?? '');
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

interface Form {
  readonly scale: number;
  readonly digits: number;
}

function text(key: string, title: string, value: (row: SummaryRow) => string): Column {
  return { key, title, value, format: value };
}

function number(key: string, title: string, value: (row: SummaryRow) => number | null, form: Form): Column {
  return { key, title, value, format: (row) => formatted(value(row), form) };
}

/** A score, and whether it is a slide show's. */
function marked([score, ...others]: readonly Column[]): Column[] {
  return [{ ...score!, format: (row) => `${score!.format(row)}${slideShowMark(row.slideShowBeside)}` }, ...others];
}

/** The mean and its standard error: one column each in the file, one together for people. */
function estimate(key: string, title: string, of: (row: SummaryRow) => Estimate, form: Form): Column[] {
  const both = (row: SummaryRow) => {
    const { mean, error } = of(row);
    return `${formatted(mean, form)}${error === null ? '' : ` ± ${formatted(error, form)}`}`;
  };
  return [
    { key, title, value: (row) => of(row).mean, format: both },
    { key: `${key}Error`, title: '', value: (row) => of(row).error, format: () => '' },
  ];
}

const LIVE_KEYS = new Set<string>(LIVE_MEASURES);

/** A column that only live sessions have. */
function liveEstimate(key: keyof LiveSummary, title: string, form: Form): Column[] {
  const unknown: Estimate = { mean: NaN, error: null };
  return estimate(key, title, ({ live }) => live?.[key] ?? unknown, form).map((column) => ({
    ...column,
    value: (row) => (row.live ? column.value(row) : null),
  }));
}

export function formatted(value: number | null, { scale, digits }: Form): string {
  return value === null || Number.isNaN(value) ? NOTHING : (scale * value).toFixed(digits);
}

/** With its bounds, where it has any. */
export function interval(figure: Bounded | undefined, scale: number, digits: number): string {
  return figure ? intervalText(figure, digits, scale) : NOTHING;
}
