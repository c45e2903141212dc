import { withoutDominated } from '../../src/abr-star/options.js';
import type { Option } from '../../src/abr-star/index.js';
import type { Content } from './content.js';
import type { Link } from './link.js';
import { qualityOfExperience } from './metrics.js';

/** What a grid cell merges: playbacks that are closer than this in all three keep only the best one's plan. */
export interface Grid {
  /** Seconds. */
  readonly time: number;
  readonly buffer: number;
  /** Of the last segment, in the content's unit. Of options closer than a fifth of it only the cheapest is tried. */
  readonly score: number;
}

export const DEFAULT_GRID: Grid = { time: 0.5, buffer: 0.25, score: 0.02 };

/** Rounds of linearising the measure around the best plan so far. */
const ROUNDS = 2;

export interface OptimumSetup {
  readonly content: Content;
  readonly link: Link;
  /** Seconds from a request to its first byte. */
  readonly latency: number;
  readonly bufferSegments: number;
  readonly grid?: Grid;
}

/** A playback up to a segment. Its figures are exact, whatever the grid. */
interface Plan {
  readonly before: Plan | undefined;
  readonly option: Option;
  /** Seconds: when the segment is here, what is buffered then, and how long playback has stalled. */
  readonly time: number;
  readonly buffer: number;
  readonly stalled: number;
  readonly scores: number;
  readonly steps: number;
  /** What the plan is worth so far, in the linearised measure. */
  readonly value: number;
}

/** The measure around a point: worth of a unit of score, of a second of stall, of a unit of score step. */
interface Weights {
  readonly score: number;
  readonly stall: number;
  readonly step: number;
}

/**
 * The options that give the best quality of experience (`qualityOfExperience`) if the link's future is known: dynamic
 * programming over time, buffer level and last score, one segment after the other. A bound for every rule over the same
 * link: no slow start, no loss, no wrong guess. The start may take as long as one segment or the smallest option, so
 * that start-up, which the measure does not count, buys nothing that a viewer would not wait for.
 */
export function optimalOptions(setup: OptimumSetup): Option[] {
  let weights = linearised(setup.content, { score: 1, stalled: 0 });
  let best: { options: Option[]; quality: number } | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const plan = search(setup, weights);
    const options = optionsOf(plan);
    const duration = options.length * setup.content.segmentDuration;
    const scores = options.map(({ score }) => score);
    const quality = qualityOfExperience(scores, Math.min(1, plan.stalled / duration));
    if (!best || quality > best.quality) best = { options, quality };
    weights = linearised(setup.content, { score: plan.scores / options.length, stalled: plan.stalled });
  }
  return best!.options;
}

/** Tangent to mean score / (1 + bufRatio) at a mean score and a stalled time. */
function linearised({ segments, segmentDuration }: Content, at: { score: number; stalled: number }): Weights {
  const count = segments.length;
  const duration = count * segmentDuration;
  const stretch = 1 + Math.min(1, at.stalled / duration);
  return {
    score: 1 / count / stretch,
    stall: at.score / duration / stretch ** 2,
    step: 0.5 / (count - 1),
  };
}

function search(setup: OptimumSetup, weights: Weights): Plan {
  const { content, grid = DEFAULT_GRID } = setup;
  let plans: Plan[] = [];
  content.options.forEach((options, index) => {
    const candidates = distinct(withoutDominated(options), grid.score / 5);
    const cells = new Map<number, Plan>();
    const enter = (plan: Plan) => {
      const key = cellOf(plan, grid);
      const rival = cells.get(key);
      if (!rival || plan.value > rival.value) cells.set(key, plan);
    };
    if (index === 0) firstPlans(setup, weights, candidates).forEach(enter);
    for (const plan of plans) for (const option of candidates) enter(extended(setup, weights, plan, option));
    plans = undominated([...cells.values()], weights, grid);
  });
  return plans.reduce((best, plan) => (plan.value > best.value ? plan : best));
}

function firstPlans({ content, link, latency }: OptimumSetup, weights: Weights, candidates: readonly Option[]): Plan[] {
  const buffer = content.segmentDuration;
  const plans = candidates.map((option): Plan => {
    const { score } = option;
    const time = link.timeToCarry(latency, option.bytes);
    return {
      option,
      time,
      buffer,
      before: undefined,
      stalled: 0,
      scores: score,
      steps: 0,
      value: weights.score * score,
    };
  });
  const longestStart = Math.max(plans[0]!.time, content.segmentDuration);
  return plans.filter(({ time }) => time <= longestStart);
}

function extended(
  { content: { segmentDuration }, link, latency, bufferSegments }: OptimumSetup,
  weights: Weights,
  before: Plan,
  option: Option,
): Plan {
  const wait = Math.max(0, before.buffer - bufferSegments * segmentDuration);
  const requested = before.time + wait;
  const time = link.timeToCarry(requested + latency, option.bytes);
  const missing = time - before.time - before.buffer;
  const stall = Math.max(0, missing);
  const step = Math.abs(option.score - before.option.score);
  return {
    ...{ before, option, time },
    buffer: Math.max(0, -missing) + segmentDuration,
    stalled: before.stalled + stall,
    scores: before.scores + option.score,
    steps: before.steps + step,
    value: before.value + weights.score * option.score - weights.stall * stall - weights.step * step,
  };
}

/** Without those that score within `difference` of a cheaper one; the last, the whole top segment, stays. */
function distinct(options: readonly Option[], difference: number): Option[] {
  const kept: Option[] = [];
  for (const option of options) {
    const isLast = option === options.at(-1);
    if (isLast || kept.length === 0 || option.score - kept.at(-1)!.score >= difference) kept.push(option);
  }
  return kept;
}

/** Cells of time, buffer and score in one number: 2^10 of buffer and of score are more than any playback visits. */
function cellOf(plan: Plan, grid: Grid): number {
  return Math.floor(plan.time / grid.time) * 2 ** 20 + groupOf(plan, grid);
}

function groupOf({ buffer, option }: Plan, grid: Grid): number {
  const scoreCell = Math.floor(option.score / grid.score) & (2 ** 10 - 1);
  return (Math.floor(buffer / grid.buffer) & (2 ** 10 - 1)) * 2 ** 10 + scoreCell;
}

/**
 * Of plans that end with about the same buffer and score, one that is later must have gained something for it: an earlier
 * one could reach the same point by pausing, at the price of the stall.
 */
function undominated(plans: readonly Plan[], weights: Weights, grid: Grid): Plan[] {
  const best = new Map<number, number>();
  return [...plans]
    .sort((a, b) => a.time - b.time)
    .filter((plan) => {
      const group = groupOf(plan, grid);
      const gained = plan.value + weights.stall * plan.stalled;
      if (gained <= (best.get(group) ?? -Infinity)) return false;
      best.set(group, gained);
      return true;
    });
}

function optionsOf(last: Plan): Option[] {
  const options: Option[] = [];
  for (let plan: Plan | undefined = last; plan; plan = plan.before) options.push(plan.option);
  return options.reverse();
}
