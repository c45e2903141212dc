import { readTraces } from '../sim/link/trace-source.js';
import { GENERATORS } from '../sim/link/trace-generators.js';
import type { Trace } from '../sim/link/trace.js';

/** Links of the published tables that come with the program. Recordings do not: whoever has recorded them says who may hand them on. */
export const PUBLISHED = Object.keys(GENERATORS);

/** That of the set `report` (`lab/sim/link/trace-sets.ts`). */
const SEED = 7;

/** What each source has, one after the other. Throws a `UserError`. */
export function linksOf(sources: readonly string[], onTaken: (line: string) => void): Trace[] {
  return sources.flatMap((source) => readTraces(source, SEED, onTaken));
}
