import { groupBy } from '../report/group-by.js';
import { quantiles } from '../report/statistics.js';
import { aligned } from '../report/text-table.js';
import { BASELINE, type PageLoad } from './experiment.js';
import { POLICIES } from './policies.js';
import type { SegmentRates } from './segments.js';

/** Relative: load times that differ by less are equal. */
const EQUAL = 1e-9;

const COMPARED = Object.keys(POLICIES).filter((name) => name !== BASELINE);

/** Load times of a policy relative to the first interface alone. */
export interface Ratios {
  readonly policy: string;
  readonly median: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  /** Shares of the loads. */
  readonly faster: number;
  readonly slower: number;
}

export interface GroupRow {
  readonly class: string;
  /** Mbit/s of the first interface. */
  readonly group: string;
  readonly loads: number;
  readonly policies: readonly Ratios[];
}

/** A row for each class of pages and group of scenarios. */
export function groupRows(loads: readonly PageLoad[]): GroupRow[] {
  return [...groupBy(loads, (load) => `${load.class}/${load.group}`).values()].map((own) => ({
    ...{ class: own[0]!.class, group: own[0]!.group, loads: own.length },
    policies: COMPARED.map((policy) => ratios(own, policy)),
  }));
}

function ratios(loads: readonly PageLoad[], policy: string): Ratios {
  const values = loads.map(({ seconds }) => seconds[policy]! / seconds[BASELINE]!);
  const [lowerQuartile, median, upperQuartile] = quantiles(values, [0.25, 0.5, 0.75]) as [number, number, number];
  const share = (is: (ratio: number) => boolean) => values.filter(is).length / values.length;
  return {
    ...{ policy, median, lowerQuartile, upperQuartile },
    faster: share((ratio) => ratio < 1 - EQUAL),
    slower: share((ratio) => ratio > 1 + EQUAL),
  };
}

/** A figure of the thesis (§3.5.3 and Fig. 3.4, Alexa Top 100) beside ours: percent of the loads. */
export interface Figure {
  readonly what: string;
  readonly thesis: number;
  readonly generated: number;
  readonly handcrafted: number;
  readonly all: number;
}

const FIGURES: readonly (readonly [what: string, thesis: number, policy: string, low: number, high: number])[] = [
  ['eaf faster', 42, 'eaf', 1, Infinity],
  ['eaf up to 2 × as fast', 23, 'eaf', 1, 2],
  ['eaf 2 to 5 × as fast', 11, 'eaf', 2, 5],
  ['eaf more than 5 × as fast', 8.5, 'eaf', 5, Infinity],
  ['eaf slower', 1.5, 'eaf', 0, 1],
  ['eaf-striped faster', 63, 'eaf-striped', 1, Infinity],
  ['eaf-striped slower', 1.5, 'eaf-striped', 0, 1],
  ['striped-1 faster', 78, 'striped-1', 1, Infinity],
  ['striped-random slower', 48, 'striped-random', 0, 1],
  ['round-robin slower', 70, 'round-robin', 0, 1],
  ['interface-2 slower', 70, 'interface-2', 0, 1],
];

/** Handcrafted and generated pages, and all of them, beside what the thesis found. */
export function besideThesis(loads: readonly PageLoad[]): Figure[] {
  const isGenerated = (load: PageLoad) => load.class === 'generated';
  const generated = loads.filter(isGenerated);
  const handcrafted = loads.filter((load) => !isGenerated(load));
  return FIGURES.map(([what, thesis, policy, low, high]) => {
    const percent = (own: readonly PageLoad[]) => 100 * speedupShare(own, policy, { low, high });
    return { what, thesis, generated: percent(generated), handcrafted: percent(handcrafted), all: percent(loads) };
  });
}

/** The share of loads that are more than `low` and less than `high` times as fast as over the first interface. */
function speedupShare(
  loads: readonly PageLoad[],
  policy: string,
  { low, high }: { low: number; high: number },
): number {
  const speedups = loads.map(({ seconds }) => seconds[BASELINE]! / seconds[policy]!);
  return (
    speedups.filter((speedup) => speedup > low * (1 + EQUAL) && speedup < high * (1 - EQUAL)).length / loads.length
  );
}

/** For a terminal: segments over both interfaces. */
export function segmentsTable(rows: readonly SegmentRates[]): string {
  const body = rows.map(({ bytes, scenarios, ...shares }) => [
    ...[`${bytes / 1e6} MB`, String(scenarios)],
    ...[shares.median, shares.lowest, shares.full].map((share) => (100 * share).toFixed(1)),
  ]);
  return [
    'Segments one behind the other over both interfaces, in % of their rates together',
    aligned([['segments', 'scenarios', 'median', 'lowest', 'scenarios with 95 %'], ...body], [0]),
  ].join('\n');
}

/** For a terminal: medians and quartiles, then the figures of the thesis. */
export function tables(rows: readonly GroupRow[], figures: readonly Figure[]): string {
  const head = ['pages', 'Mbit/s 1', 'loads', ...COMPARED];
  const body = rows.map(({ loads, policies, ...row }) => [
    ...[row.class, row.group, String(loads)],
    ...policies.map(
      ({ median, lowerQuartile, upperQuartile }) =>
        `${median.toFixed(2)} [${lowerQuartile.toFixed(2)}, ${upperQuartile.toFixed(2)}]`,
    ),
  ]);
  const beside = figures.map(({ what, ...values }) => [
    what,
    ...[values.thesis, values.generated, values.handcrafted, values.all].map((value) =>
      isNaN(value) ? '' : value.toFixed(1),
    ),
  ]);
  return [
    `Load time over that of ${BASELINE} alone: median [quartiles]`,
    aligned([head, ...body], [0, 1]),
    '',
    `Share of the loads in %, compared with ${BASELINE}`,
    aligned([['', 'thesis', 'generated', 'handcrafted', 'all'], ...beside], [0]),
  ].join('\n');
}
