import { groupBy } from '../../sim/report/group-by.js';
import { FEWEST_SESSIONS, mean, median, quantile, standardError } from '../../sim/report/statistics.js';
import type { MosShares } from '../../sim/metrics.js';
import type { OutageCounts } from '../outage-counts.js';
import type { PathResult, TrialResult } from '../result.js';
import { slideShowBeside } from '../../sim/report/slide-show.js';
import { tailsOf, type Tails } from '../../sim/report/tails.js';
import { pairsOf, tailSession, versusOf, waitedSeconds, type Versus } from './paired.js';

/** A mean with its standard error over links; the error is null for fewer than ten sessions. */
export interface Estimate {
  readonly mean: number;
  readonly error: number | null;
}

/** What is the same for all systems that are compared. */
export const CONDITIONS = ['video', 'trace', 'path', 'server', 'control', 'crossTraffic'] as const;

type Scenario = Readonly<Record<(typeof CONDITIONS)[number], string>>;

/** What a system did under the same conditions: over starts and repetitions, or over traces as well: then `trace` is `all`. */
export interface SummaryRow extends Scenario {
  readonly buffer: number;
  readonly system: string;
  readonly label: string;
  readonly trials: number;
  /** Seconds of start-up and stalls. */
  readonly waited: Estimate;
  readonly waitedMedian: number;
  readonly waitedP90: number;
  readonly tails: Tails;
  /** Systems under the same conditions beside which a higher score is a slide show. */
  readonly slideShowBeside: readonly string[];
  readonly bufRatio: Estimate;
  readonly bufRatioP90: number;
  readonly score: Estimate;
  readonly bitrate: Estimate;
  /** Shares of all the bytes that whole segments would have had. */
  readonly skipped: Estimate;
  readonly lost: Estimate;
  readonly aSSIM: Estimate;
  readonly qoe: Estimate;
  readonly switches: Estimate;
  readonly stalls: Estimate;
  /** Seconds, of the sessions that started. */
  readonly startupMedian: number | null;
  /** Median seconds until a right picture was on the screen: from the start, from every jump, from every return of the link. */
  readonly start: number | null;
  readonly seek: number | null;
  readonly resume: number | null;
  /** Mean score of the first ten seconds. */
  readonly scoreFirst: number | null;
  readonly segmentsWithDrops: number;
  /** Null: no frames were left out. */
  readonly dropsWithReferences: number | null;
  readonly referencesDropped: number | null;
  /** Counts as in `RecoveryCounts`. */
  readonly datagrams: number | null;
  readonly gapsAtAppend: Estimate;
  readonly appendedTwice: number;
  readonly repeatedOverLost: number | null;
  /** Share of the bytes. */
  readonly recovered: number;
  readonly redundant: Estimate;
  /** Share of the segments that travelled as datagrams; null: sessions from before that was counted. */
  readonly segmentsAsDatagrams: number | null;
  /** Shares of the segments by what viewers would say. */
  readonly mos: MosShares;
  /** Means over the segments; null: not measured. */
  readonly psnr: number | null;
  readonly vmaf: number | null;
  /** Null: sessions too short. */
  readonly linkIdle: number | null;
  /** Names of a bundle's paths and mean shares of what came; absent without. */
  readonly paths?: readonly PathSummary[];
  /** Mean bit/s of a bulk download beside it; null: there was none. */
  readonly bulkRate: number | null;
  /** Figures of live sessions; absent: on demand. */
  readonly live?: LiveSummary;
  /** Against the baseline under the same conditions; undefined for the baseline itself. */
  readonly versus?: Versus;
}

type Measure = (result: TrialResult) => number;

/** For a heading. */
export function scenarioTitle({ video, trace, path, server, control, crossTraffic }: Scenario): string {
  const traffic = crossTraffic === 'none' ? '' : `, other traffic: ${crossTraffic}`;
  return `${trace === 'all' ? 'All traces together' : trace}, ${path}, ${video}, ${server} with ${control}${traffic}`;
}

export function isSameScenario(one: Scenario, other: Scenario): boolean {
  return CONDITIONS.every((name) => one[name] === other[name]);
}

/** Conditions with every system's results under them, in the order in which they were planned. */
export function scenarios(results: readonly TrialResult[]): TrialResult[][] {
  return [...groupBy(results, (result) => keyOf(result)).values()];
}

function keyOf(scenario: Scenario): string {
  return CONDITIONS.map((name) => scenario[name]).join('\0');
}

/** A row for each scenario, buffer and system; where a video has several traces, also for all of them together. */
export function summarise(results: readonly TrialResult[], baseline: string): SummaryRow[] {
  const byTrace = scenarios(results).flatMap((scenario) => rowsOf(scenario, baseline, scenario[0]!.trace));
  const together = [...groupBy(results, (result) => keyOf({ ...result, trace: 'all' })).values()]
    .filter((group) => new Set(group.map(({ trace }) => trace)).size > 1)
    .flatMap((group) => rowsOf(group, baseline, 'all'));
  return [...byTrace, ...together];
}

/** A row for each buffer and system over all these results, whatever their conditions; all but `trace` are those of the first. */
export function rowsOf(scenario: readonly TrialResult[], baseline: string, trace: string): SummaryRow[] {
  return [...groupBy(scenario, ({ buffer }) => String(buffer)).values()].flatMap((ofBuffer) => {
    const theirs = ofBuffer.filter(({ system }) => system === baseline);
    const rows = [...groupBy(ofBuffer, ({ system }) => system).values()].map((ours) => row(ours, theirs));
    const watched = rows.map(({ label, score, tails }) => ({ label, score: score.mean, tails }));
    return rows.map((one, index) => ({ ...one, trace, slideShowBeside: slideShowBeside(watched[index]!, watched) }));
  });
}

function row(results: readonly TrialResult[], baseline: readonly TrialResult[]): Omit<SummaryRow, 'slideShowBeside'> {
  const { video, trace, path, server, control, crossTraffic, buffer, system, label } = results[0]!;
  const estimate = (measure: Measure): Estimate => {
    const traces = [...groupBy(results, (result) => result.trace).values()];
    const error = results.length < FEWEST_SESSIONS ? null : standardError(traces.map((own) => own.map(measure)));
    return { mean: mean(results.map(measure)), error };
  };
  const whole = ({ bytesDelivered, bytesSkipped, bytesLost }: TrialResult) => bytesDelivered + bytesSkipped + bytesLost;
  const startups = present(results.map(({ startup }) => startup));
  const versus = versusOf(pairsOf(results, baseline));
  const waited = results.map(waitedSeconds);
  return {
    ...{ video, trace, path, server, control, crossTraffic, buffer, system, label, trials: results.length },
    waited: estimate(waitedSeconds),
    waitedMedian: median(waited),
    waitedP90: quantile(waited, 0.9),
    tails: tailsOf(results.map(tailSession)),
    bufRatio: estimate(({ bufRatio }) => bufRatio),
    bufRatioP90: quantile(
      results.map(({ bufRatio }) => bufRatio),
      0.9,
    ),
    score: estimate(({ score }) => score),
    bitrate: estimate(({ bitrate }) => bitrate),
    skipped: estimate((result) => result.bytesSkipped / Math.max(1, whole(result))),
    lost: estimate((result) => result.bytesLost / Math.max(1, whole(result))),
    aSSIM: estimate(({ aSSIM }) => aSSIM),
    qoe: estimate(({ qoe }) => qoe),
    switches: estimate(({ switches }) => switches),
    stalls: estimate(({ stalls }) => stalls),
    startupMedian: startups.length > 0 ? median(startups) : null,
    ...firstPicturesOf(results),
    scoreFirst: meanOfPresent(results.map(({ scoreFirst }) => scoreFirst)),
    segmentsWithDrops: mean(results.map(({ segmentsWithDrops }) => segmentsWithDrops)),
    dropsWithReferences: meanOfPresent(results.map(({ dropsWithReferences }) => dropsWithReferences)),
    referencesDropped: meanOfPresent(results.map(({ referencesDropped }) => referencesDropped)),
    datagrams: meanOfPresent(results.map(({ datagrams }) => datagrams)),
    gapsAtAppend: estimate(({ gapsAtAppend }) => gapsAtAppend),
    appendedTwice: mean(results.map(({ appendedTwice }) => appendedTwice)),
    repeatedOverLost: meanOfPresent(results.map(({ repeatedOverLost }) => repeatedOverLost)),
    redundant: estimate(({ redundant }) => redundant),
    segmentsAsDatagrams: meanOfPresent(results.map(({ carriers }) => carriers?.datagrams ?? null)),
    mos: meanShares(results.map(({ mos }) => mos)),
    psnr: meanOfPresent(results.map(({ measures }) => (measures?.psnr ? mean(measures.psnr) : null))),
    vmaf: meanOfPresent(results.map(({ measures }) => (measures?.vmaf ? mean(measures.vmaf) : null))),
    linkIdle: meanOfPresent(results.map(({ linkIdle }) => linkIdle)),
    bulkRate: meanOfPresent(results.map(({ bulkRates }) => (bulkRates ? mean(bulkRates) : null))),
    ...pathsOf(results),
    recovered: mean(results.map((result) => result.bytesRecovered / Math.max(1, whole(result)))),
    ...liveOf(results, estimate),
    ...(versus && { versus }),
  };
}

/** Means over sessions, each with its error; seconds. */
export type LiveSummary = Readonly<Record<(typeof LIVE_MEASURES)[number], Estimate>>;

export const LIVE_MEASURES = [
  ...(['latency', 'latencyP95', 'stallsPerMinute', 'stalled', 'interrupted', 'interruptionsPerMinute'] as const),
  ...(['replaced', 'skippedMedia', 'chunksRepaired', 'chunksLate'] as const),
] as const;

/** Shares of the time and of the chunks, but for latency and what is a minute. Where nothing was shown the session's time is the latency. */
export function liveMeasures({ live, stallSeconds }: TrialResult): Readonly<Record<keyof LiveSummary, number>> {
  if (!live) throw new TypeError('not a live session');
  const { seconds, chunks } = live;
  const share = (part: number) => part / Math.max(1, chunks);
  return {
    latency: live.latency ?? seconds,
    latencyP95: live.latencyP95 ?? seconds,
    stallsPerMinute: live.stallsPerMinute,
    stalled: stallSeconds / seconds,
    interrupted: live.interruptedSeconds / seconds,
    interruptionsPerMinute: (60 * live.interruptions) / seconds,
    replaced: live.replacedSeconds / seconds,
    skippedMedia: live.skippedSeconds / seconds,
    chunksRepaired: share(live.chunksRepaired),
    chunksLate: share(live.chunksLate),
  };
}

function liveOf(results: readonly TrialResult[], estimate: (measure: Measure) => Estimate): Pick<SummaryRow, 'live'> {
  if (!results.every(({ live }) => live)) return {};
  const entries = LIVE_MEASURES.map((name) => [name, estimate((result) => liveMeasures(result)[name])] as const);
  return { live: Object.fromEntries(entries) as unknown as LiveSummary };
}

/** Failures on average, and the longest time until the path was used again. */
export type PathSummary = Omit<PathResult, 'bytes'>;

/** Paths of sessions over the same bundle. */
function pathsOf(results: readonly TrialResult[]): Pick<SummaryRow, 'paths'> {
  const all = results.flatMap(({ paths }) => (paths ? [paths] : []));
  if (all.length === 0) return {};
  const shareOf = (index: number) => mean(all.map((paths) => paths[index]!.share));
  return {
    paths: all[0]!.map(({ name }, index) => {
      const outages = outagesOf(all.map((paths) => paths[index]!));
      return { name, share: shareOf(index), ...(outages && { outages }) };
    }),
  };
}

function outagesOf(paths: readonly PathResult[]): OutageCounts[] | undefined {
  const all = paths.flatMap(({ outages }) => (outages ? [outages] : []));
  return all[0]?.map(({ start, stop }, index) => {
    const own = all.map((outages) => outages[index]!);
    const times = present(own.map(({ usedAgain }) => usedAgain));
    const usedAgain = times.length < own.length ? null : Math.max(...times);
    return { start, stop, failures: mean(own.map(({ failures }) => failures)), usedAgain };
  });
}

function firstPicturesOf(results: readonly TrialResult[]): Pick<SummaryRow, 'start' | 'seek' | 'resume'> {
  const medianOf = (all: readonly { readonly seconds: number }[]) =>
    all.length > 0 ? median(all.map(({ seconds }) => seconds)) : null;
  return {
    start: medianOf(results.flatMap(({ firstPictures }) => (firstPictures ? [firstPictures.start] : []))),
    seek: medianOf(results.flatMap(({ firstPictures }) => firstPictures?.seeks ?? [])),
    resume: medianOf(results.flatMap(({ firstPictures }) => firstPictures?.resumes ?? [])),
  };
}

function meanShares(shares: readonly MosShares[]): MosShares {
  const of = (opinion: keyof MosShares) => mean(shares.map((own) => own[opinion]));
  return { excellent: of('excellent'), good: of('good'), fair: of('fair'), poor: of('poor'), bad: of('bad') };
}

function present(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function meanOfPresent(values: readonly (number | null)[]): number | null {
  const there = present(values);
  return there.length > 0 ? mean(there) : null;
}
