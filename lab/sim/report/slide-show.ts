import type { Tails } from './tails.js';

/** A system: what its pictures look like, and how they follow each other. */
export interface Watched {
  readonly label: string;
  readonly score: number;
  readonly tails: Pick<Tails, 'longestStill' | 'picturesPerSecond'>;
}

/** Clearly fewer pictures: less than this share of the other’s in a second. */
const FEWER = 0.9;

/** Clearly longer stills: by so many seconds. */
const LONGER_SECONDS = 0.5;

/**
 * The labels of those beside which a system's higher score is a slide show: it shows clearly fewer pictures in a second than they, or a
 * picture stands clearly longer. What is not known says nothing. `others`: under the same conditions.
 */
export function slideShowBeside(one: Watched, others: readonly Watched[]): string[] {
  return others.filter((other) => one.score > other.score && isSlower(one, other)).map(({ label }) => label);
}

function isSlower({ tails: ours }: Watched, { tails: theirs }: Watched): boolean {
  const difference = (name: keyof Watched['tails'], factor: number) =>
    ours[name] && theirs[name] ? ours[name].value - factor * theirs[name].value : undefined;
  const pictures = difference('picturesPerSecond', FEWER) ?? 0;
  const still = difference('longestStill', 1) ?? 0;
  return pictures < 0 || still > LONGER_SECONDS;
}

/** What a table says behind such a score; empty: nothing. */
export function slideShowMark(beside: readonly string[]): string {
  return beside.length === 0 ? '' : `, slide show beside ${beside.join(' and ')}`;
}
