import type { TrialResult } from './result.js';

/** What `--quick` ends with. */
export interface Verdict {
  /** One line of figures. */
  readonly text: string;
  readonly holds: boolean;
}

/** Whether the first system stalled less than each of the others. */
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
      ? `${label}: bufRatio ${(100 * result.bufRatio).toFixed(2)} %, SSIM ${result.score.toFixed(4)}, ${(result.bitrate / 1e6).toFixed(2)} Mbit/s`
      : `${label}: no valid trial`,
  );
  const [ours, ...others] = counted.map(({ result }) => result);
  const holds = ours !== undefined && others.every((other) => other !== undefined && ours.bufRatio < other.bufRatio);
  return { text: figures.join(' | '), holds };
}
