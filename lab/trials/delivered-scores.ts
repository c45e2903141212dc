import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { FILES } from './job.js';
import type { DeliveredSegment } from './page/types.js';
import type { Trial } from './plan.js';
import type { SessionMeasure } from './session-measures.js';

/** What preparation's scorer says of a segment. */
export interface ScoredSegment {
  /** Score of a segment with gaps; a whole one has the manifest's, unless the video has a reference of its own. */
  readonly score?: number;
  /** Score of the whole segment, where the video has a reference of its own. */
  readonly wholeScore?: number;
  /** For each frame in decode order whether others may refer to it. */
  readonly references?: readonly boolean[];
  readonly measures: Readonly<Record<SessionMeasure, number>>;
  /** Media times in a live stream of the pictures that are not as they were encoded, s. */
  readonly replaced?: readonly number[];
}

/**
 * Scores the segments that were appended with gaps from their very bytes, which lie in the trial's folder. Whole
 * segments are among the results where there are other `measures`, or a reference: their scores are otherwise the manifest's.
 */
export async function scoreDelivered(
  folder: string,
  { media, measures }: Pick<Trial, 'media' | 'measures'>,
  segments: readonly DeliveredSegment[],
): Promise<ReadonlyMap<number, ScoredSegment>> {
  const requests = segments.flatMap(({ index, representation, startTime: start, duration }) => {
    const path = join(folder, FILES.segment(index));
    const file = existsSync(path) ? path : null;
    return file !== null || measures.length > 0 || media.reference
      ? [{ index, representation, start, duration, file }]
      : [];
  });
  if (requests.length === 0) return new Map();
  return jsonLinesOf(
    join(import.meta.dirname, 'score_delivered.py'),
    [...(media.reference ? ['--reference', media.reference] : []), media.folder, media.metric, ...measures],
    requests,
  );
}

/** What a scorer says of segments, by their numbers. Throws a `UserError`. */
export async function jsonLinesOf(
  program: string,
  args: readonly string[],
  requests: readonly object[],
): Promise<ReadonlyMap<number, ScoredSegment>> {
  const child = spawn(venvProgram('python'), [program, ...args]);
  // Other trials are being played meanwhile, and their timers must not be late.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  child.stdin.end(JSON.stringify(requests));
  const [code, output, complaint] = await Promise.all([
    new Promise((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new UserError(`scoring the delivered segments failed: ${complaint.trim()}`, 1);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const { index, ...scored } = JSON.parse(line) as ScoredSegment & { readonly index: number };
      return [index, scored];
    }),
  );
}
