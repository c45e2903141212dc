import { groupBy } from '../../sim/report/group-by.js';
import type { TrialsConfig } from '../config.js';
import type { PathSpec } from '../path.js';
import type { TrialResult } from '../result.js';
import type { SummaryRow } from './summary.js';

/** What was run, with what, where and when, a line each. `planned`: how many trials the configuration has, where that is known. */
export function factsOf(
  { shifts, repetitions, paths }: Pick<TrialsConfig, 'shifts' | 'repetitions' | 'paths'>,
  results: readonly TrialResult[],
  planned: number | undefined,
): string[] {
  return [
    `${shifts} start(s) in each trace, ${repetitions} repetition(s)`,
    ...paths.map(pathFact),
    ...madeBy(results),
    progress(results.filter(({ valid }) => valid).length, planned),
  ];
}

function pathFact({ name, delayMs, queue, loss: { percent, meanBurst } }: PathSpec): string {
  const losses = `${percent} % loss${meanBurst === undefined ? '' : ` in bursts of ${meanBurst} packets`}`;
  return `path “${name}”: ${delayMs} ms each way, queue ${JSON.stringify(queue)}, ${losses}`;
}

/** How to read the figures. `baseline`: its label. */
export function explained(rows: readonly Pick<SummaryRow, 'live'>[], baseline: string): string {
  const measures = measuresExplained(baseline);
  return rows.some(({ live }) => live) ? `${measures}\n\n${LIVE_EXPLAINED}` : measures;
}

function measuresExplained(baseline: string): string {
  return `Waited: seconds of start-up and stalls together. bufRatio: stalled time without start-up over the video's duration, at most 1. SSIM: of
segments as delivered, decoded and compared with the top level. ±: standard error of the mean, over traces. Differences (Δ) are paired with ${baseline}: same
link, same start; with 95 % bootstrap intervals, drawn over traces and their sessions. Fewer than ten sessions have neither.
Over 5 % waited: share of the sessions that wait for more than 5 % of their time; worst 5 %: their mean seconds waited; longest stall and still: means over
sessions; pictures/s: new ones in a second of playback. ≤: a session had several stalls and does not say which was the longest. A slide show has a higher SSIM
than the named one, at less than .9 of its pictures/s or with a still that is over .5 s longer.
“Drops” are frames left out on purpose, “skipped” bytes, too. Datagrams: share of the bytes that may be lost that went so. Excellent: segments with SSIM of .99 and more; good .95, fair .88, poor .5. Gaps: share of the bytes missing at a segment's first append; twice:
segments appended again with gaps filled; repeated/lost: bytes asked for twice over bytes lost; redundant: these and parity over the bytes delivered. Link idle:
share of what the link could carry from the first segment's delivery to the last one's that was left unused.`;
}

/** What live sessions have besides. */
const LIVE_EXPLAINED = `Latency: how far behind its capture the picture on the screen is, over time, stalls included; p95 of each session, then the mean. Stalled:
the video element waits. Interrupted: no new picture for max(3 δ, δ + 150 ms) with a picture every δ, whether playback waits or pictures that are missing are
replaced by others. Pictures replaced: however short; media skipped: playback jumped over it. Chunks, over the session: with replaced pictures, and come when
playback had reached them. All without the time in which players settle.`;

export function progress(valid: number, planned: number | undefined): string {
  if (planned === undefined) return `${valid} trials`;
  const missing = planned - valid;
  return missing === 0
    ? `all ${planned} trials`
    : `${valid} of ${planned} trials: ${missing} are missing or do not count`;
}

/** With what, where and when; each only once. */
function madeBy(results: readonly TrialResult[]): string[] {
  const unique = (values: readonly string[]) => [...new Set(values)].join('; ');
  const dates = results.map(({ date }) => date.slice(0, 10)).sort();
  if (dates.length === 0) return [];
  return [
    commitsOf(results),
    unique(results.map(({ versions: { browser, dashjs, node } }) => `${browser}, dash.js ${dashjs}, Node ${node}`)),
    `${unique(results.map(({ versions }) => versions.machine))}; ${unique([dates[0]!, dates.at(-1)!])}`,
  ];
}

/** Each with its number of sessions where there are several. */
export function commitsOf(results: readonly TrialResult[]): string {
  const commits = [...groupBy(results, ({ versions }) => versions.commit)];
  if (commits.length === 1) return `commit ${commits[0]![0]}`;
  return `commits ${commits.map(([commit, own]) => `${commit} (${own.length} sessions)`).join(', ')}`;
}
