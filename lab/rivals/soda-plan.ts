/** What a plan begins with. Rates in bit/s, levels and times in seconds. */
export interface SodaPlan {
  /** Bitrates of the ladder, ascending. */
  readonly rates: readonly number[];
  readonly throughput: number;
  readonly bufferLevel: number;
  readonly capacity: number;
  readonly target: number;
  /** Seconds of a step: so much is played during it. */
  readonly interval: number;
  readonly steps: number;
  /** Seconds that the first segment takes at each of the rates. */
  readonly downloads: readonly number[];
  /** Index of the rate before; undefined: there is none to change from. */
  readonly last: number | undefined;
}

/**
 * Weights of the buffer's distance from its target (β) and of switches (γ) against distortion. The paper tunes its own to its traces;
 * these are the best of those tried on generated LTE-like links (docs/ABR.md).
 */
const BUFFER_WEIGHT = 100;
const SWITCH_WEIGHT = 8;
/** Share of its weight that a distance above the target has (ε). */
const ABOVE_TARGET = 0.2;
/** Share of the buffer that the first download may take: the model, which counts in intervals, does not see a stall within one. */
const DOWNLOAD_SHARE = 0.5;

/**
 * The index of the first rate of the plan r_1 … r_K of least
 *
 *     Σ v(r_m) · w · Δt / r_m + β · b(x_m) + γ · (v(r_m) − v(r_(m−1)))²,    x_m = x_(m−1) + w · Δt / r_m − Δt,    0 ≤ x_m ≤ x_max
 *
 * with the distortion v(r) = ln(r_max / r), b(x) = (1 − x / x̄)² below the target x̄ and ε times that above it, w the throughput. Only plans
 * that rise or fall throughout are looked at, and none goes above the lowest rate that is at least w (the paper's §4). A player waits where
 * the model's buffer would overflow. Where every plan would stall: 0.
 */
export function bestFirstRate(plan: SodaPlan): number {
  const { rates, throughput, last } = plan;
  const sustained = rates.findIndex((rate) => rate >= throughput);
  const highest = sustained < 0 ? rates.length - 1 : sustained;
  const top = Math.max(1, rates.at(-1)!);
  const distortions = rates.map((rate) => Math.log(top / Math.max(1, rate)));
  const before = last === undefined ? undefined : distortions[last];
  let least = Infinity;
  let best = 0;

  /** Completes a plan whose first `length` steps are made, the last of them at `from`. */
  function extend(length: number, from: number, direction: 1 | -1, { level, cost }: Step, first: number): void {
    if (cost >= least) return;
    if (length === plan.steps) {
      least = cost;
      best = first;
      return;
    }
    for (let index = from; index >= 0 && index <= highest; index += direction) {
      const next = step(plan, index, level, distortions, distortions[from]);
      if (next) extend(length + 1, index, direction, { level: next.level, cost: cost + next.cost }, first);
    }
  }

  for (let index = 0; index <= highest; index++) {
    if (plan.downloads[index]! > DOWNLOAD_SHARE * plan.bufferLevel) continue;
    const first = step(plan, index, plan.bufferLevel, distortions, before);
    if (!first) continue;
    extend(1, index, 1, first, index);
    extend(1, index, -1, first, index);
  }
  return best;
}

/** What a plan's cost is, or a step's, and the level after it. */
interface Step {
  readonly cost: number;
  readonly level: number;
}

/** One interval at the rate of `index`, after one of the distortion `before`; undefined where it would stall. */
function step(
  { rates, throughput, capacity, target, interval }: SodaPlan,
  index: number,
  bufferLevel: number,
  distortions: readonly number[],
  before: number | undefined,
): Step | undefined {
  const distortion = distortions[index]!;
  const downloaded = (throughput * interval) / Math.max(1, rates[index]!);
  const unlimited = bufferLevel + downloaded - interval;
  if (unlimited < 0) return undefined;
  const level = Math.min(unlimited, capacity);
  const distance = BUFFER_WEIGHT * (level < target ? 1 : ABOVE_TARGET) * (1 - level / target) ** 2;
  const change = before === undefined ? 0 : SWITCH_WEIGHT * (distortion - before) ** 2;
  return { cost: distortion * downloaded + distance + change, level };
}
