import { withoutDominated } from '../../src/abr-star/options.js';
import type { Option } from '../../src/abr-star/index.js';
import type { Content } from './content/content.js';
import type { Link } from './link/link.js';
import { qualityOfExperience } from './metrics.js';

/** What a grid cell merges: playbacks that are closer than this in all three keep only the best one's plan. */
export interface Grid {
  /** Seconds. */
  readonly time: number;
  readonly buffer: number;
  /** Width of a cell in the last segment's score, in the content's unit. */
  readonly score: number;
  /** Score below which options count as alike: only the cheapest is tried. */
  readonly option: number;
}

export const DEFAULT_GRID: Grid = { time: 1, buffer: 0.4, score: 0.02, option: 0.005 };

/** Finds a plan within milliseconds, so that the real search can give up what is worse. */
const SKETCH_GRID: Grid = { time: 1e9, buffer: 0.5, score: 10, option: 0.02 };

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
  const { content, grid = DEFAULT_GRID } = setup;
  const planAt = (point: TangentPoint): Plan => {
    const weights = tangent(content, point);
    const sketch = search(setup, weights, SKETCH_GRID, -Infinity)!;
    return search(setup, weights, grid, sketch.value) ?? sketch;
  };
  const first = planAt({ score: 1, stalled: 0 });
  const second = planAt({ score: first.scores / content.options.length, stalled: first.stalled });
  const givenUp = planAt({ score: 1, stalled: Infinity });
  const plans = [first, second, givenUp].map((plan) => ({ plan, quality: qualityOf(content, plan) }));
  return optionsOf(plans.reduce((a, b) => (b.quality > a.quality ? b : a)).plan);
}

function qualityOf({ segmentDuration }: Content, plan: Plan): number {
  const scores = optionsOf(plan).map(({ score }) => score);
  return qualityOfExperience(scores, Math.min(1, plan.stalled / (scores.length * segmentDuration)));
}

/** Where the measure is linearised: a mean score, and seconds stalled. */
interface TangentPoint {
  readonly score: number;
  readonly stalled: number;
}

/** Tangent to mean score / (1 + bufRatio) at a mean score and a stalled time; beyond a bufRatio of 1 stalls cost no more. */
function tangent({ segments, segmentDuration }: Content, at: TangentPoint): Weights {
  const count = segments.length;
  const duration = count * segmentDuration;
  const bufRatio = Math.min(1, at.stalled / duration);
  return {
    score: 1 / count / (1 + bufRatio),
    stall: bufRatio < 1 ? at.score / duration / (1 + bufRatio) ** 2 : 0,
    step: 0.5 / (count - 1),
  };
}

/** The best plan that the grid finds of those that end above `floor`: what cannot is given up on the way. */
function search(setup: OptimumSetup, weights: Weights, grid: Grid, floor: number): Plan | undefined {
  const { options } = setup.content;
  const best = options.map((choices) => weights.score * Math.max(...choices.map(({ score }) => score)));
  let mostToCome = best.reduce((sum, value) => sum + value, 0);
  let plans: Plan[] = [];
  options.forEach((choices, index) => {
    const candidates = distinct(withoutDominated(choices), grid.option);
    mostToCome -= best[index]!;
    const lowest = floor - mostToCome;
    const reached =
      index === 0
        ? firstPlans(setup, weights, candidates)
        : extended(setup, weights, { plans, candidates, grid, lowest });
    plans = undominated(reached, weights, grid);
  });
  return plans.reduce<Plan | undefined>((a, b) => (a && a.value >= b.value ? a : b), undefined);
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
      value: weights.score * score,
    };
  });
  const longestStart = Math.max(plans[0]!.time, content.segmentDuration);
  return plans.filter(({ time }) => time <= longestStart);
}

interface Extension {
  readonly plans: readonly Plan[];
  readonly candidates: readonly Option[];
  readonly grid: Grid;
  /** Plans of less value than this are given up. */
  readonly lowest: number;
}

/** Every plan with every candidate after it, of each cell the best. The innermost loop: it makes no plan that loses. */
function extended(
  { content: { segmentDuration }, link, latency, bufferSegments }: OptimumSetup,
  weights: Weights,
  { plans, candidates, grid, lowest }: Extension,
): Plan[] {
  const cells = new Map<number, Plan>();
  for (const before of plans) {
    const requested = before.time + Math.max(0, before.buffer - bufferSegments * segmentDuration);
    for (const option of candidates) {
      const time = link.timeToCarry(requested + latency, option.bytes);
      const missing = time - before.time - before.buffer;
      const stall = Math.max(0, missing);
      const buffer = Math.max(0, -missing) + segmentDuration;
      const step = Math.abs(option.score - before.option.score);
      const value = before.value + weights.score * option.score - weights.stall * stall - weights.step * step;
      if (value < lowest) continue;
      const key = cellOf(time, buffer, option.score, grid);
      const rival = cells.get(key);
      if (rival && rival.value >= value) continue;
      const scores = before.scores + option.score;
      cells.set(key, { before, option, time, buffer, stalled: before.stalled + stall, scores, value });
    }
  }
  return [...cells.values()];
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
function cellOf(time: number, buffer: number, score: number, grid: Grid): number {
  return Math.floor(time / grid.time) * 2 ** 20 + groupOf(buffer, score, grid);
}

function groupOf(buffer: number, score: number, grid: Grid): number {
  const bufferCell = Math.floor(buffer / grid.buffer) & (2 ** 10 - 1);
  return bufferCell * 2 ** 10 + (Math.floor(score / grid.score) & (2 ** 10 - 1));
}

/**
 * Plans worth going on with: of those that end with about the same buffer and score, one that is later must have gained something for it: an earlier
 * one could reach the same point by pausing, at the price of the stall.
 */
function undominated(plans: readonly Plan[], weights: Weights, grid: Grid): Plan[] {
  const best = new Map<number, number>();
  return [...plans]
    .sort((a, b) => a.time - b.time)
    .filter((plan) => {
      const group = groupOf(plan.buffer, plan.option.score, grid);
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
