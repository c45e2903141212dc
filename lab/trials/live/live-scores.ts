import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLinesOf, type ScoredSegment } from '../delivered-scores.js';
import { FILES } from '../job.js';
import type { DeliveredSegment } from '../page/types.js';
import type { Trial } from '../plan.js';

const SCORER = join(import.meta.dirname, 'live_media.py');

/**
 * Scores the segments of a live session that were appended to their ends, from all bytes that were appended, and says which pictures are not
 * as they were encoded.
 */
export async function scoreLive(
  folder: string,
  { media }: Pick<Trial, 'media'>,
  segments: readonly DeliveredSegment[],
): Promise<ReadonlyMap<number, ScoredSegment>> {
  const appended = join(folder, FILES.appended);
  if (segments.length === 0 || !existsSync(appended)) return new Map();
  const requests = segments.map(({ index, representation, startTime: start, duration }) => {
    return { index, representation, start, duration };
  });
  return jsonLinesOf(SCORER, ['score', media.folder, appended], requests);
}
