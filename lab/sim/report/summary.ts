import type { SessionResult } from '../experiment.js';
import { groupBy } from './group-by.js';
import {
  FEWEST_SESSIONS,
  mean,
  median,
  pairedDifference,
  quantile,
  standardError,
  type Difference,
  type Statistic,
} from './statistics.js';
import { slideShowBeside } from './slide-show.js';
import { isLongWait, tailsOf, type TailSession, type Tails } from './tails.js';

/** What a rule did with one buffer over many sessions. */
export interface SummaryRow {
  readonly abr: string;
  readonly buffer: number;
  readonly sessions: number;
  readonly bufRatio: { readonly mean: number; readonly median: number; readonly p90: number; readonly p95: number };
  /** Standard error of the mean bufRatio; null: fewer than ten sessions. */
  readonly standardError: number | null;
  readonly score: number;
  /** The score below which a tenth of all segments lies. */
  readonly scoreP10: number;
  readonly bitrate: number;
  readonly switches: number;
  readonly aSSIM: number;
  readonly qoe: number;
  readonly perfect: number;
  readonly partial: number;
  readonly startup: { readonly mean: number; readonly median: number; readonly p95: number };
  /** Mean score of the first ten seconds. */
  readonly scoreFirst: number;
  /** Seconds of start-up and stalls. */
  readonly waited: { readonly mean: number; readonly median: number; readonly p90: number };
  readonly tails: Tails;
  /** Rules with the same buffer beside which a higher score is a slide show. */
  readonly slideShowBeside: readonly string[];
  readonly linkIdle: number;
  readonly felt: number;
  readonly soda: number;
  /** Less the baseline over the same traces and starts; undefined for the baseline itself. */
  readonly versus?: Versus;
}

interface Comparison {
  readonly measure: (result: SessionResult) => number;
  readonly statistic?: Statistic;
}

/** What is compared with the baseline, means unless they say otherwise. */
const COMPARED = {
  bufRatio: { measure: ({ bufRatio }) => bufRatio },
  bufRatioP90: { measure: ({ bufRatio }) => bufRatio, statistic: 'p90' },
  score: { measure: ({ score }) => score },
  qoe: { measure: ({ qoe }) => qoe },
  felt: { measure: ({ felt }) => felt },
  soda: { measure: ({ soda }) => soda },
  switches: { measure: ({ switches }) => switches },
  startup: { measure: ({ startup }) => startup },
  startupMedian: { measure: ({ startup }) => startup, statistic: 'median' },
  scoreFirst: { measure: ({ scoreFirst }) => scoreFirst },
  waited: { measure: ({ waited }) => waited },
  waitedMedian: { measure: ({ waited }) => waited, statistic: 'median' },
  waitedP90: { measure: ({ waited }) => waited, statistic: 'p90' },
  waitedWorst: { measure: ({ waited }) => waited, statistic: 'worst' },
  waitsLong: { measure: ({ waitedShare }) => Number(isLongWait(waitedShare)) },
  longestStall: { measure: ({ longestStall }) => longestStall },
  longestStill: { measure: ({ longestStill }) => longestStill },
  picturesPerSecond: { measure: ({ picturesPerSecond }) => picturesPerSecond },
} satisfies Record<string, Comparison>;

export type Versus = Readonly<Record<keyof typeof COMPARED, Difference>>;

/** One row for each buffer and rule, in the order of the results. `baseline`: the rule to compare with. */
export function summarise(results: readonly SessionResult[], baseline: string): SummaryRow[] {
  const groups = groupBy(results, ({ buffer, abr }) => `${buffer}/${abr}`);
  const rows = [...groups.values()].map((group) => row(group, groups.get(`${group[0]!.buffer}/${baseline}`)));
  const watched = rows.map((one) => ({ ...one, label: one.abr }));
  return watched
    .map(({ label, ...one }) => {
      const others = watched.filter(({ buffer }) => buffer === one.buffer);
      return { ...one, slideShowBeside: slideShowBeside({ ...one, label }, others) };
    })
    .sort((a, b) => a.buffer - b.buffer);
}

function row(
  group: readonly SessionResult[],
  baseline: readonly SessionResult[] | undefined,
): Omit<SummaryRow, 'slideShowBeside'> {
  const { abr, buffer } = group[0]!;
  const all = (measure: (result: SessionResult) => number) => group.map(measure);
  const bufRatios = all(({ bufRatio }) => bufRatio);
  const startups = all(({ startup }) => startup);
  const waited = all((result) => result.waited);
  const versus = baseline && baseline !== group ? compare(group, baseline) : undefined;
  return {
    ...{ abr, buffer, sessions: group.length },
    bufRatio: {
      mean: mean(bufRatios),
      median: median(bufRatios),
      p90: quantile(bufRatios, 0.9),
      p95: quantile(bufRatios, 0.95),
    },
    standardError: group.length < FEWEST_SESSIONS ? null : errorOf(group),
    score: mean(all(({ score }) => score)),
    scoreP10: quantile(
      group.flatMap(({ scores }) => scores),
      0.1,
    ),
    bitrate: mean(all(({ bitrate }) => bitrate)),
    switches: mean(all(({ switches }) => switches)),
    aSSIM: mean(all(({ aSSIM }) => aSSIM)),
    qoe: mean(all(({ qoe }) => qoe)),
    perfect: mean(all(({ perfect }) => perfect)),
    partial: mean(all(({ partial }) => partial)),
    startup: { mean: mean(startups), median: median(startups), p95: quantile(startups, 0.95) },
    scoreFirst: mean(all(({ scoreFirst }) => scoreFirst)),
    waited: { mean: mean(waited), median: median(waited), p90: quantile(waited, 0.9) },
    tails: tailsOf(group.map(tailSession)),
    linkIdle: mean(all(({ linkIdle }) => linkIdle)),
    felt: mean(all(({ felt }) => felt)),
    soda: mean(all(({ soda }) => soda)),
    ...(versus && { versus }),
  };
}

/** Sessions of an older version do not say how pictures followed each other. */
type AnyVersion = Omit<SessionResult, PicturesKey> & Partial<Pick<SessionResult, PicturesKey>>;
type PicturesKey = 'longestStill' | 'picturesPerSecond';

function tailSession(result: AnyVersion): TailSession {
  const { trace, waited, waitedShare, startup, longestStall, longestStill = null, picturesPerSecond = null } = result;
  const waitsLong = isLongWait(waitedShare);
  return { trace, waited, waitsLong, stalled: waited - startup, longestStall, longestStill, picturesPerSecond };
}

function errorOf(group: readonly SessionResult[]): number {
  const traces = groupBy(group, ({ trace }) => trace);
  return standardError([...traces.values()].map((own) => own.map(({ bufRatio }) => bufRatio)));
}

/** Undefined: nothing can be paired. */
function compare(ours: readonly SessionResult[], theirs: readonly SessionResult[]): Versus | undefined {
  const others = new Map(theirs.map((result) => [linkOf(result), result]));
  const pairs = ours.flatMap((result) => {
    const other = others.get(linkOf(result));
    return other ? [{ trace: result.trace, ours: result, theirs: other }] : [];
  });
  if (pairs.length === 0) return undefined;
  const differences = Object.entries<Comparison>(COMPARED).map(([name, { measure, statistic }]) => {
    const values = pairs.map((pair) => ({ trace: pair.trace, ours: measure(pair.ours), theirs: measure(pair.theirs) }));
    return [name, pairedDifference(values, statistic)] as const;
  });
  return Object.fromEntries(differences) as Versus;
}

const linkOf = ({ trace, shift }: SessionResult) => `${trace}\0${shift}`;
