import { seededRandom } from '../random.js';

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
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

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Standard error of the mean; 0 for a single value. */
export function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length);
}

/** A figure with the bounds between which it lies with 95 % confidence. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Enough that the bounds hold to two digits. */
const RESAMPLES = 2000;

/**
 * The mean of paired differences, with bounds from a percentile bootstrap: differences of stall ratios are mostly 0 with
 * a long tail, so no normal distribution may be assumed. The same values give the same bounds.
 */
export function meanDifference(ours: readonly number[], theirs: readonly number[]): Interval {
  return meanOfGroups(ours.map((value, index) => [value - theirs[index]!]));
}

/** The median, with bounds in the same way. */
export function medianInterval(values: readonly number[]): Interval {
  return bootstrap(alone(values), median);
}

/**
 * The mean of all values, with bounds from a bootstrap in two stages: groups are drawn, then the values of each. Sessions over the same
 * trace resemble each other, so as many sessions over few traces say less than over many.
 */
export function meanOfGroups(groups: readonly (readonly number[])[]): Interval {
  return bootstrap(groups, mean);
}

const alone = (values: readonly number[]) => values.map((value) => [value]);

function bootstrap(groups: readonly (readonly number[])[], measure: (sample: readonly number[]) => number): Interval {
  const values = groups.flat();
  const random = seededRandom(values.length);
  const draw = <T>(from: readonly T[]): T => from[from.length === 1 ? 0 : Math.floor(random.uniform() * from.length)]!;
  const resampled = Array.from({ length: RESAMPLES }, () =>
    measure(
      groups.flatMap(() => {
        const group = draw(groups);
        return group.map(() => draw(group));
      }),
    ),
  );
  return { value: measure(values), low: quantile(resampled, 0.025), high: quantile(resampled, 0.975) };
}
