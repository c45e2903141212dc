import { markdownTable } from '../report/markdown-table.js';
import {
  intervalText,
  mean,
  meanOfWorst,
  pairedDifference,
  quantile,
  type Difference,
  type Statistic,
} from '../report/statistics.js';
import { isLongWait } from '../report/tails.js';
import { isOf, type Cell } from './kept.js';
import { aboutSet } from './sets.js';

export const CONTROLS = ['cubic', 'bbr'] as const;
export const RULES = ['abr-star', 'dynamic', 'bola', 'soda'] as const;
export const BUFFERS = [1, 3] as const;

/** How the bytes of frames that may be missing travel. */
export const CARRIERS = { streams: '@streams', datagrams: '@datagrams+without-parity', parity: '@datagrams' } as const;

type Carrier = keyof typeof CARRIERS;

/** What is compared with streams, and what of it. */
const DATAGRAMS = ['datagrams', 'parity'] as const satisfies readonly Carrier[];

type Figure = 'waited' | 'longest' | 'score' | 'felt';

/** `abr-star` hands a waited-for segment over in pieces, as the plugin does; for the others dash.js plays whole ones. */
export function ruleName(rule: string, carrier: Carrier): string {
  return `${rule}${CARRIERS[carrier]}${rule === 'abr-star' ? '/pieces' : ''}`;
}

/** What streams come to in a set, and what datagrams with parity, the plugin's own way, change. */
export function setTables(cells: readonly Cell[], set: string): string {
  const settings = settingsOf(cells, set);
  const head = [
    'control',
    'rule',
    'buffer',
    'n',
    'streams: waited s',
    'p90',
    'worst 5 %',
    'over 5 %, %',
    'longest stall',
    'SSIM',
  ];
  const changes = [
    'Δ waited s',
    'Δ p90',
    'Δ worst 5 %',
    'Δ over 5 %, pp',
    'Δ longest stall',
    'Δ SSIM',
    'Δ QoE',
    'verdict',
  ];
  const rows = settings.map(({ control, rule, buffer, streams, parity }) => [
    ...[control, `\`${rule}\``, String(buffer)],
    ...rowOf(parity, streams),
  ]);
  const furthest = (figure: Figure) =>
    Math.max(...settings.map(({ datagrams, parity }) => Math.abs(mean(datagrams[figure]) - mean(parity[figure]))));
  return [
    `**${set}**: ${aboutSet(set)}.`,
    markdownTable([[...head, ...changes], ...rows]),
    `Without parity: at most ${furthest('waited').toFixed(2)} s and ${furthest('score').toFixed(4)} of SSIM from that.`,
  ].join('\n\n');
}

interface Setting extends Readonly<Record<Carrier, Cell>> {
  readonly control: string;
  readonly rule: string;
  readonly buffer: number;
}

/** Those of which all is there. */
function settingsOf(cells: readonly Cell[], set: string): Setting[] {
  return CONTROLS.flatMap((control) =>
    RULES.flatMap((rule) =>
      BUFFERS.flatMap((buffer) => {
        const found = (carrier: Carrier) => cells.find(isOf({ set, control, buffer, rule: ruleName(rule, carrier) }));
        const [streams, datagrams, parity] = [found('streams'), found('datagrams'), found('parity')];
        return streams && datagrams && parity ? [{ control, rule, buffer, streams, datagrams, parity }] : [];
      }),
    ),
  );
}

function rowOf(ours: Cell, streams: Cell): string[] {
  const changes = changesOf(ours, streams);
  const { waited, p90, worst, felt } = changes;
  const others = (['longest', 'score'] as const).map((figure) => difference(ours, streams, figure, 'mean'));
  return [
    ...[String(streams.waited.length), mean(streams.waited).toFixed(2), quantile(streams.waited, 0.9).toFixed(2)],
    ...[meanOfWorst(streams.waited).toFixed(2), (100 * mean(streams.waited.map(waitsLong))).toFixed(1)],
    ...[mean(streams.longest).toFixed(2), mean(streams.score).toFixed(4)],
    ...[waited, p90, worst].map((change) => intervalText(change, 2)),
    intervalText(difference(ours, streams, 'waited', 'mean', waitsLong), 1, 100),
    intervalText(others[0]!, 2),
    ...[others[1]!, felt].map((change) => intervalText(change, 4)),
    verdictOf(changes),
  ];
}

/** Both tables of verdicts. */
export function verdictsTables(cells: readonly Cell[], sets: readonly string[]): string {
  return DATAGRAMS.map((carrier) => {
    const has = carrier === 'parity' ? 'with' : 'without';
    return `Datagrams ${has} parity beside streams; settings (control, buffer) of each rule:\n\n${verdictsTable(cells, sets, carrier)}`;
  }).join('\n\n');
}

export type Verdict = 'better' | 'worse' | 'mixed' | 'equal';

/**
 * What datagrams are beside streams. Worse: an interval says so of the seconds waited, on average, at the 90th percentile or in the worst
 * twentieth, or of QoE. Better: of one of the two tails, or of QoE.
 */
export function verdictOn(ours: Cell, streams: Cell): Verdict {
  return verdictOf(changesOf(ours, streams));
}

type Changes = Readonly<Record<'waited' | 'p90' | 'worst' | 'felt', Difference>>;

/** What a verdict goes by: seconds waited, on average and in two tails, and QoE. */
function changesOf(ours: Cell, streams: Cell): Changes {
  const waited = (statistic: Statistic) => difference(ours, streams, 'waited', statistic);
  const felt = difference(ours, streams, 'felt', 'mean');
  return { waited: waited('mean'), p90: waited('p90'), worst: waited('worst'), felt };
}

function verdictOf({ waited, p90, worst, felt }: Changes): Verdict {
  const signs = [-signOf(waited), -signOf(p90), -signOf(worst), signOf(felt)];
  const isWorse = signs.some((sign) => sign < 0);
  const isBetter = signs.slice(1).some((sign) => sign > 0);
  if (isWorse && isBetter) return 'mixed';
  return isWorse ? 'worse' : isBetter ? 'better' : 'equal';
}

/** 0 where the interval holds zero. */
function signOf({ bounds }: Difference): number {
  if (!bounds || (bounds.low <= 0 && bounds.high >= 0)) return 0;
  return bounds.low > 0 ? 1 : -1;
}

/** A session of the setting lasts as long without waiting, in seconds: 75 segments of 4. */
const PLAYED = 300;

const waitsLong = (waited: number) => Number(isLongWait(waited / (PLAYED + waited)));

function difference(
  ours: Cell,
  theirs: Cell,
  figure: Figure,
  statistic: Statistic,
  measure = (value: number) => value,
): Difference {
  const traceOf = ours.traces.flatMap((count, trace) => Array.from({ length: count }, () => String(trace)));
  return pairedDifference(
    ours[figure].map((value, index) => ({
      trace: traceOf[index]!,
      ours: measure(value),
      theirs: measure(theirs[figure][index]!),
    })),
    statistic,
  );
}

/** How many of a rule's settings (control, buffer) are what, for each set. */
function verdictsTable(cells: readonly Cell[], sets: readonly string[], carrier: (typeof DATAGRAMS)[number]): string {
  const counted = (set: string, wanted: string): string => {
    const settings = settingsOf(cells, set).filter(({ rule }) => rule === wanted);
    const verdicts = settings.map((setting) => verdictOn(setting[carrier], setting.streams));
    const kinds = [...new Set(verdicts)].sort();
    return kinds.map((kind) => `${verdicts.filter((verdict) => verdict === kind).length} ${kind}`).join(', ');
  };
  return markdownTable([
    ['links', ...RULES.map((rule) => `\`${rule}\``)],
    ...sets.map((set) => [set, ...RULES.map((rule) => counted(set, rule))]),
  ]);
}
