import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { FILES } from './job.js';
import type { Media } from './media.js';
import type { DeliveredSegment } from './page/types.js';

/** What preparation's scorer says of a segment with gaps. */
export interface DamagedSegment {
  readonly score: number;
  /** For each frame in decode order whether others may refer to it. */
  readonly references: readonly boolean[];
}

/**
 * Scores the segments that were appended with gaps from their very bytes, which lie in the trial's folder. Whole
 * segments are not among the results: theirs are the manifest's scores.
 */
export async function scoreDamaged(
  folder: string,
  media: Media,
  segments: readonly DeliveredSegment[],
): Promise<ReadonlyMap<number, DamagedSegment>> {
  const requests = segments.flatMap(({ index, representation, startTime: start, duration }) => {
    const file = join(folder, FILES.segment(index));
    return existsSync(file) ? [{ index, representation, start, duration, file }] : [];
  });
  if (requests.length === 0) return new Map();
  const child = spawn(venvProgram('python'), [join(import.meta.dirname, 'score_delivered.py'), media.folder]);
  // Other trials are being played meanwhile, and their timers must not be late.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  child.stdin.end(JSON.stringify(requests));
  const [code, output, complaint] = await Promise.all([
    new Promise((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new UserError(`scoring the delivered segments failed: ${complaint.trim()}`, 1);
  const lines = output.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const { index, ...scored } = JSON.parse(line) as DamagedSegment & { readonly index: number };
      return [index, scored];
    }),
  );
}
