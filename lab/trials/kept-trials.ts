import { existsSync } from 'node:fs';
import type { Trace } from '../sim/link/trace.js';
import { videoName, type TrialsConfig, type VideoSpec } from './config.js';
import type { Media } from './media.js';
import { anyContent, planTrials, type Trial } from './plan.js';
import type { TrialResult } from './result.js';

/**
 * The trials of a configuration as a folder has them, for a report: no video is prepared, so their identifiers are those of the latest results of
 * the same words. Where a trial was never tried, its own is no result's.
 */
export function keptTrials(
  config: TrialsConfig,
  traces: readonly Trace[],
  results: readonly Pick<TrialResult, 'id'>[],
): Trial[] {
  const kept = new Map(results.map(({ id }) => [anyContent(id), id]));
  return planTrials(config, config.videos.map(unprepared), traces).map((trial) => ({
    ...trial,
    id: kept.get(anyContent(trial.id)) ?? trial.id,
  }));
}

/** What a plan needs of a video: its name. */
function unprepared(spec: VideoSpec): Media {
  const isAbsent = spec.file !== undefined && !existsSync(spec.file) && spec.otherwise !== undefined;
  const name = videoName(isAbsent ? { ...spec, file: undefined } : spec);
  const content = { name, segmentDuration: 1, ladder: [], segments: [], options: [] };
  return { name, folder: '', digest: '', metric: spec.metric ?? 'ssim', content };
}
