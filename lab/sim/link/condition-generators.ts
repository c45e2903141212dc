import { derivedSeed, seededRandom } from '../random.js';
import type { ConditionRecord, Conditions } from './conditions.js';

/** Seconds. */
const LENGTH = 3 * 3600;

/** Seconds between two satellites. */
const SATELLITE = 15;

/** Means over 60.8 hours of a terminal at sea (FjordLink, `tools/data/manifest.json`): seconds that lose anything, how many come in a row, what they lose. */
const DIRTY_SHARE = 0.022;
const DIRTY_SECONDS = 2.2;
const DIRTY_PERCENT = 6.4;
const WORST_PERCENT = 55;

/** Each way, ms: half of the medians of that record's files. */
const LEAST_DELAY = 11.5;
const MOST_DELAY = 18;

/** Made up conditions by their names, for a seed: where no record is at hand. */
export const CONDITION_GENERATORS = { 'satellite-like': satelliteLike } as const satisfies Readonly<
  Record<string, (seed: number) => ConditionRecord>
>;

/** Dirty spells of some seconds, the rest clean; another delay with every satellite. */
function satelliteLike(seed: number): ConditionRecord {
  const random = seededRandom(derivedSeed(seed, 'satellite-like'));
  const ends = 1 / DIRTY_SECONDS;
  const begins = (ends * DIRTY_SHARE) / (1 - DIRTY_SHARE);
  let isDirty = false;
  let delayMs = 0;
  const conditions = Array.from({ length: LENGTH }, (_, second): Conditions => {
    if (second % SATELLITE === 0) delayMs = LEAST_DELAY + (MOST_DELAY - LEAST_DELAY) * random.uniform();
    isDirty = random.uniform() < (isDirty ? 1 - ends : begins);
    const lossPercent = isDirty ? Math.min(WORST_PERCENT, -DIRTY_PERCENT * Math.log1p(-random.uniform())) : 0;
    return { delayMs, lossPercent };
  });
  return { name: 'satellite-like', step: 1, conditions };
}
