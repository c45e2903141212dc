import type { TrialsConfig } from '../config.js';
import type { PathSpec } from '../path.js';
import type { TrialResult } from '../result.js';

/** What was run, with what, where and when, a line each. `planned`: how many trials the configuration has. */
export function factsOf(
  { shifts, repetitions, paths }: Pick<TrialsConfig, 'shifts' | 'repetitions' | 'paths'>,
  results: readonly TrialResult[],
  planned: number,
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
export function measuresExplained(baseline: string): string {
  return `bufRatio: stalled time without start-up over the video's duration, at most 1. SSIM: of segments as delivered, decoded and
compared with the top level. ±: standard error of the mean over starts and repetitions (none where there is one session only).
Differences (Δ) are paired with ${baseline}: same trace, same start; with 95 % bootstrap intervals. “Drops” are frames left out on
purpose. Datagrams: share of the bytes that may be lost that went so. Gaps: share of the bytes missing at a segment's first append; twice:
segments appended again with gaps filled; repeated/lost: bytes asked for twice over bytes lost; redundant: these and parity over the bytes delivered. Link idle:
share of what the link could carry from the first segment's delivery to the last one's that was left unused.`;
}

function progress(valid: number, planned: number): string {
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
    `commit ${unique(results.map(({ versions }) => versions.commit))}`,
    unique(results.map(({ versions: { browser, dashjs, node } }) => `${browser}, dash.js ${dashjs}, Node ${node}`)),
    `${unique(results.map(({ versions }) => versions.machine))}; ${unique([dates[0]!, dates.at(-1)!])}`,
  ];
}
