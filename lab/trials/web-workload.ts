import type { Random } from '../sim/random.js';

/**
 * Sizes and pauses of web-like downloads. File sizes are Pareto distributed: with a shape between 1 and 2 the sum of many
 * such on-off flows is self-similar (Willinger et al. 1997), as the traffic of Harpoon in the thesis (§6.5.2) is.
 */
const SHAPE = 1.5;
const LEAST_BYTES = 50_000;

/** No download outlasts the trial: the distribution is cut here. */
const MOST_BYTES = 20_000_000;

/** The mean of the distribution as cut, in closed form. */
export const MEAN_FILE_BYTES = cutParetoMean();

export function paretoBytes(random: Random): number {
  // 1 − uniform is never 0.
  return Math.round(Math.min(MOST_BYTES, LEAST_BYTES / (1 - random.uniform()) ** (1 / SHAPE)));
}

/** Exponentially distributed. */
export function thinkSeconds(random: Random, mean: number): number {
  return -mean * Math.log(1 - random.uniform());
}

function cutParetoMean(): number {
  const tail = (LEAST_BYTES / MOST_BYTES) ** SHAPE;
  const below = (SHAPE / (SHAPE - 1)) * LEAST_BYTES * (1 - (LEAST_BYTES / MOST_BYTES) ** (SHAPE - 1));
  return below + tail * MOST_BYTES;
}
