import { waitedSeconds } from './report/paired.js';
import type { TrialResult } from './result.js';

/** What `--quick` ends with. */
export interface Verdict {
  /** One line of figures. */
  readonly text: string;
  readonly holds: boolean;
}

/** Whether viewers of the first system waited less, start-up included, than those of each other, and saw no less than with the better of them. */
export function quickVerdict(
  results: readonly TrialResult[],
  systems: readonly { system: string; label: string }[],
): Verdict {
  const counted = systems.map(({ system, label }) => ({
    label,
    result: results.find((result) => result.valid && result.system === system),
  }));
  const figures = counted.map(({ label, result }) =>
    result
      ? `${label}: waited ${waitedSeconds(result).toFixed(1)} s, bufRatio ${(100 * result.bufRatio).toFixed(2)} %, SSIM ${result.score.toFixed(4)}, ${(result.bitrate / 1e6).toFixed(2)} Mbit/s`
      : `${label}: no valid trial`,
  );
  const [ours, ...others] = counted.map(({ result }) => result);
  const isAhead = (other: TrialResult | undefined) =>
    other !== undefined && waitedSeconds(ours!) < waitedSeconds(other) && ours!.score >= other.score;
  const holds = ours !== undefined && others.every(isAhead);
  return { text: figures.join(' | '), holds };
}
