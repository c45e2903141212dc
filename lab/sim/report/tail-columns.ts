import { intervalText, type Bounded } from './statistics.js';
import type { Tails } from './tails.js';

/** A column of a table: its name in files, its title and form where people read it. */
export interface TailColumn {
  readonly key: string;
  readonly title: string;
  /** Null: not known. */
  readonly value: (tails: Tails) => number | null;
  readonly format: (tails: Tails) => string;
}

/** What every table says of the tails. */
export const TAIL_COLUMNS: readonly TailColumn[] = [
  column('waitsLong', 'over 5 % waited, %', ({ waitsLong }) => waitsLong, { scale: 100, digits: 1 }),
  column('waitedWorst', 'worst 5 % s', ({ worst }) => worst, { scale: 1, digits: 2 }),
  longestStall(),
  column('longestStill', 'longest still s', ({ longestStill }) => longestStill, { scale: 1, digits: 2 }),
  column('picturesPerSecond', 'pictures/s', ({ picturesPerSecond }) => picturesPerSecond, { scale: 1, digits: 1 }),
];

interface Form {
  readonly scale: number;
  readonly digits: number;
}

function column(
  key: string,
  title: string,
  figure: (tails: Tails) => Bounded | null,
  { scale, digits }: Form,
): TailColumn {
  const format = (known: Bounded | null) => (known ? intervalText(known, digits, scale) : '–');
  return { key, title, value: (tails) => figure(tails)?.value ?? null, format: (tails) => format(figure(tails)) };
}

/** Sessions that had several stalls did not always say which was the longest. */
function longestStall(): TailColumn {
  const known = column('longestStall', 'longest stall s', (tails) => tails.longestStall, { scale: 1, digits: 2 });
  const atMost = ({ longestStallAtMost }: Tails) => `≤ ${longestStallAtMost.toFixed(2)}`;
  return { ...known, format: (tails) => (tails.longestStall ? known.format(tails) : atMost(tails)) };
}
