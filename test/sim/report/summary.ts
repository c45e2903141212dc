import type { SessionResult } from '../experiment.js';
import { groupBy } from './group-by.js';
import { mean, meanDifference, median, quantile, standardError, type Interval } from './statistics.js';

/** What a rule did with one buffer over many sessions. */
export interface SummaryRow {
  readonly abr: string;
  readonly buffer: number;
  readonly sessions: number;
  readonly bufRatio: { readonly mean: number; readonly median: number; readonly p90: number; readonly p95: number };
  /** Of the mean bufRatio. */
  readonly standardError: number;
  readonly score: number;
  /** The score below which a tenth of all segments lies. */
  readonly scoreP10: number;
  readonly bitrate: number;
  readonly switches: number;
  readonly aSSIM: number;
  readonly qoe: number;
  readonly perfect: number;
  readonly partial: number;
  readonly startup: number;
  /** Seconds of start-up and stalls. */
  readonly waited: { readonly mean: number; readonly p90: number };
  readonly felt: number;
  readonly soda: number;
  /** Against the baseline over the same traces and shifts, with 95 % bounds; undefined for the baseline itself. */
  readonly versus?: { readonly bufRatio: Interval; readonly score: Interval; readonly qoe: Interval };
}

/** One row for each buffer and rule, in the order of the results. `baseline`: the rule to compare with. */
export function summarise(results: readonly SessionResult[], baseline: string): SummaryRow[] {
  const groups = groupBy(results, ({ buffer, abr }) => `${buffer}/${abr}`);
  return [...groups.values()]
    .map((group) => row(group, groups.get(`${group[0]!.buffer}/${baseline}`)))
    .sort((a, b) => a.buffer - b.buffer);
}

function row(group: readonly SessionResult[], baseline: readonly SessionResult[] | undefined): SummaryRow {
  const { abr, buffer } = group[0]!;
  const all = (measure: (result: SessionResult) => number) => group.map(measure);
  const bufRatios = all(({ bufRatio }) => bufRatio);
  const waited = all((result) => result.waited);
  return {
    ...{ abr, buffer, sessions: group.length },
    bufRatio: {
      mean: mean(bufRatios),
      median: median(bufRatios),
      p90: quantile(bufRatios, 0.9),
      p95: quantile(bufRatios, 0.95),
    },
    standardError: standardError(bufRatios),
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
    startup: mean(all(({ startup }) => startup)),
    waited: { mean: mean(waited), p90: quantile(waited, 0.9) },
    felt: mean(all(({ felt }) => felt)),
    soda: mean(all(({ soda }) => soda)),
    ...(baseline && baseline !== group ? { versus: compare(group, baseline) } : {}),
  };
}

/** Both lists are in the order of the same traces and shifts. */
function compare(ours: readonly SessionResult[], theirs: readonly SessionResult[]): SummaryRow['versus'] {
  const difference = (measure: 'bufRatio' | 'score' | 'qoe') =>
    meanDifference(
      ours.map((result) => result[measure]),
      theirs.map((result) => result[measure]),
    );
  return { bufRatio: difference('bufRatio'), score: difference('score'), qoe: difference('qoe') };
}
