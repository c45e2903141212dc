import { say } from '../../tools/setup/process.mjs';
import { median } from '../sim/report/statistics.js';
import type { FirstPicture } from './first-pictures.js';
import type { Laboratory } from './laboratory.js';
import type { Trial } from './plan.js';
import type { TrialResult } from './result.js';
import type { ResultsFile } from './results-file.js';
import { runTrial, trialFolder } from './run-trial.js';

export interface RunSettings {
  readonly out: string;
  readonly jobs: number;
  /** For each trial: one that does not count is repeated, but not for ever on a machine that is too slow. */
  readonly attempts: number;
  /** Keep the bytes of segments with gaps. */
  readonly keep?: boolean;
}

/** Which of these trials still have to be run: no attempt was valid, and there are attempts left. */
export function unfinished(trials: readonly Trial[], results: readonly TrialResult[], most: number): Trial[] {
  return trials.filter(({ id }) => {
    const attempts = results.filter((result) => result.id === id);
    return attempts.length < most && !attempts.some(({ valid }) => valid);
  });
}

/** Runs what is unfinished, some at a time; every result is kept as soon as it is there. */
export async function runAll(
  trials: readonly Trial[],
  file: ResultsFile,
  laboratory: Laboratory,
  { out, jobs, attempts, keep = false }: RunSettings,
): Promise<void> {
  const waiting = unfinished(trials, file.results, attempts);
  const total = waiting.length;
  if (total < trials.length) say(`${trials.length - total} of ${trials.length} trials are there already`);
  const started = Date.now();
  let done = 0;
  const work = async () => {
    for (let trial = waiting.shift(); trial; trial = waiting.shift()) {
      for (const { id } = trial; unfinished([trial], file.results, attempts).length > 0;) {
        const attempt = file.results.filter((result) => result.id === id).length + 1;
        const result = await runTrial(trial, laboratory, { attempt, folder: trialFolder(out, id, attempt), keep });
        file.add(result);
        say(describe(result));
      }
      done++;
      const minutes = ((Date.now() - started) / done / 60_000) * (total - done);
      say(`${done} of ${total} trials, about ${minutes < 2 ? '2 min or less' : `${Math.ceil(minutes)} min`} left`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

/** One line about a trial. */
function describe(result: TrialResult): string {
  const { trace, path, server, control, shift, buffer, label } = result;
  const { bufRatio, score, bitrate, startup, problems } = result;
  const figures = [
    `bufRatio ${(100 * bufRatio).toFixed(1)} %`,
    `score ${score.toFixed(4)}`,
    `${(bitrate / 1e6).toFixed(2)} Mbit/s`,
    `start ${startup === null ? 'never' : `${startup.toFixed(1)} s`}`,
    ...describePictures(result),
  ];
  const verdict = problems.length > 0 ? `; does not count: ${problems.join('; ')}` : '';
  return `  ${trace}, ${path}, ${server} with ${control}, start ${shift}, buffer ${buffer}, ${label}: ${figures.join(', ')}${verdict}`;
}

/** What a viewer waited for after jumps and when the link came back. */
function describePictures({ firstPictures }: TrialResult): string[] {
  const medianOf = (pictures: readonly FirstPicture[]) => median(pictures.map(({ seconds }) => seconds)).toFixed(2);
  const { seeks = [], resumes = [] } = firstPictures ?? {};
  return [
    ...(seeks.length > 0 ? [`${seeks.length} seeks ${medianOf(seeks)} s`] : []),
    ...(resumes.length > 0 ? [`resume ${medianOf(resumes)} s`] : []),
  ];
}
