import { seededRandom } from '../random.js';
import { groupBy } from './group-by.js';

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** The values below which the given shares of `values` lie, linear between neighbours. */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return shares.map((share) => {
    const position = share * (sorted.length - 1);
    const below = Math.floor(position);
    const upper = sorted[Math.min(below + 1, sorted.length - 1)]!;
    return sorted[below]! + (position - below) * (upper - sorted[below]!);
  });
}

export function quantile(values: readonly number[], share: number): number {
  return quantiles(values, [share])[0]!;
}

/** Share of the sessions that are the worst ones. */
export const WORST_SHARE = 0.05;

/** The mean of the largest values, a twentieth of them; one that lies on the border counts in part. */
export function meanOfWorst(values: readonly number[]): number {
  return sampled(values, 'worst')(new Uint32Array(values.length).fill(1));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Fewer sessions have no interval and no standard error. */
export const FEWEST_SESSIONS = 10;

/**
 * Standard error of the mean of all values, 0 for a single one. A group is a link's sessions: they resemble each other, so what its values
 * have in common counts once, however many there are. Values of one group alone count each for itself.
 */
export function standardError(groups: readonly (readonly number[])[]): number {
  const values = groups.flat();
  if (values.length < 2) return 0;
  const parts = groups.length > 1 ? groups : alone(values);
  const centre = mean(values);
  const sums = parts.map((part) => part.reduce((sum, value) => sum + value - centre, 0));
  const squares = sums.reduce((sum, deviation) => sum + deviation ** 2, 0);
  return Math.sqrt((squares * parts.length) / (parts.length - 1)) / values.length;
}

/** A figure; the bounds between which it lies with 95 % confidence, from ten sessions on. */
export interface Bounded {
  readonly value: number;
  readonly bounds?: { readonly low: number; readonly high: number };
}

/** A figure, times `scale`, with its bounds where it has any: `1.2 [0.9, 1.5]`. */
export function intervalText({ value, bounds }: Bounded, digits: number, scale = 1): string {
  const text = (figure: number) => (figure * scale).toFixed(digits);
  return bounds ? `${text(value)} [${text(bounds.low)}, ${text(bounds.high)}]` : text(value);
}

/** What is said of a sample. */
export type Statistic = 'mean' | 'median' | 'p90' | 'worst';

/** Two players' values under the same conditions: the same link from the same start. */
export interface Paired {
  readonly trace: string;
  readonly ours: number;
  readonly theirs: number;
}

/** Ours less theirs. */
export interface Difference extends Bounded {
  readonly pairs: number;
}

/**
 * The statistic of ours less that of theirs. Bounds come from a percentile bootstrap, as differences of stall ratios are mostly 0 with a long
 * tail, in two stages: traces are drawn, then the pairs of each. Sessions over the same trace resemble each other, so as many sessions over
 * few traces say less than over many. The same values give the same bounds. `pairs`: at least one.
 */
export function pairedDifference(pairs: readonly Paired[], statistic: Statistic = 'mean'): Difference {
  const groups = [...groupBy(pairs, ({ trace }) => trace).values()];
  const inOrder = groups.flat();
  const [ours, theirs] = [
    sampled(
      inOrder.map((pair) => pair.ours),
      statistic,
    ),
    sampled(
      inOrder.map((pair) => pair.theirs),
      statistic,
    ),
  ];
  const measure = (counts: Uint32Array) => ours(counts) - theirs(counts);
  const sizes = groups.map((group) => group.length);
  return { ...bootstrap(sizes, measure), pairs: pairs.length };
}

/** The median of values that have nothing in common, with bounds in the same way. */
export function medianInterval(values: readonly number[]): Bounded {
  return groupedMedianInterval(alone(values));
}

/** The median of all values, of groups whose values resemble each other: groups are drawn, then the values of each. */
export function groupedMedianInterval(groups: readonly (readonly number[])[]): Bounded {
  return groupedInterval(groups, 'median');
}

/** A statistic of all values, with bounds in the same way. */
export function groupedInterval(groups: readonly (readonly number[])[], statistic: Statistic): Bounded {
  return bootstrap(
    groups.map(({ length }) => length),
    sampled(groups.flat(), statistic),
  );
}

/** Enough that the bounds hold to two digits. */
const RESAMPLES = 2000;

const alone = (values: readonly number[]) => values.map((value) => [value]);

/** The statistic of a sample that has each of the values as often as it is counted. */
function sampled(values: readonly number[], statistic: Statistic): (counts: Uint32Array) => number {
  if (statistic === 'mean') {
    return (counts) => {
      let [sum, total] = [0, 0];
      // Thousands of times a table: `entries()` would make an array for every value.
      for (let index = 0; index < values.length; index++) {
        sum += counts[index]! * values[index]!;
        total += counts[index]!;
      }
      return sum / total;
    };
  }
  const order = values.map((_, index) => index).sort((a, b) => values[a]! - values[b]!);
  if (statistic === 'worst') return worstOf(values, order);
  const share = statistic === 'median' ? 0.5 : 0.9;
  return (counts) => {
    const position = share * (totalOf(counts) - 1);
    const below = Math.floor(position);
    let [place, seen] = [0, counts[order[0]!]!];
    while (seen <= below) seen += counts[order[++place]!]!;
    const value = values[order[place]!]!;
    if (position === below) return value;
    while (seen <= below + 1) seen += counts[order[++place]!]!;
    return value + (position - below) * (values[order[place]!]! - value);
  };
}

/** The sum of all counts, in a loop: a table asks for it millions of times, and a callback for each value takes longer. */
function totalOf(counts: Uint32Array): number {
  let total = 0;
  for (let index = 0; index < counts.length; index++) total += counts[index]!;
  return total;
}

/** `order`: of the values, ascending. */
function worstOf(values: readonly number[], order: readonly number[]): (counts: Uint32Array) => number {
  return (counts) => {
    const most = WORST_SHARE * totalOf(counts);
    let [left, total] = [most, 0];
    for (let place = order.length - 1; place >= 0 && left > 0; place--) {
      const taken = Math.min(left, counts[order[place]!]!);
      total += taken * values[order[place]!]!;
      left -= taken;
    }
    return total / most;
  };
}

/** `sizes`: of the groups, whose values lie one behind the other. */
function bootstrap(sizes: readonly number[], measure: (counts: Uint32Array) => number): Bounded {
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const value = measure(new Uint32Array(count).fill(1));
  if (count < FEWEST_SESSIONS) return { value };
  const resampled = resamples(sizes, count).map(measure);
  return { value, bounds: { low: quantile(resampled, 0.025), high: quantile(resampled, 0.975) } };
}

/** Those of the last sizes: a table asks for a dozen statistics of the same pairs, one after the other. */
let drawn: { readonly sizes: readonly number[]; readonly resamples: readonly Uint32Array[] } | undefined;

/** How often each of `count` values is in each sample. The same sizes are drawn alike. */
function resamples(sizes: readonly number[], count: number): readonly Uint32Array[] {
  if (drawn?.sizes.length === sizes.length && drawn.sizes.every((size, index) => size === sizes[index])) {
    return drawn.resamples;
  }
  const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  const random = seededRandom(count);
  const below = (count: number) => (count === 1 ? 0 : Math.floor(random.uniform() * count));
  const samples = Array.from({ length: RESAMPLES }, () => {
    const counts = new Uint32Array(count);
    for (let group = 0; group < sizes.length; group++) {
      const one = below(sizes.length);
      for (let place = 0; place < sizes[one]!; place++) counts[starts[one]! + below(sizes[one]!)]!++;
    }
    return counts;
  });
  drawn = { sizes, resamples: samples };
  return samples;
}
