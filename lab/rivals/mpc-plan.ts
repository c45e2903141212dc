/** One way to download one of the segments ahead. */
export interface PlanOption {
  /** Mbit/s: its quality, and the unit of a plan's value. */
  readonly bitrate: number;
  /** How long its download is expected to take. */
  readonly seconds: number;
}

export interface PlanStart {
  /** Seconds of video. */
  readonly bufferLevel: number;
  readonly bufferCapacity: number;
  readonly segmentDuration: number;
  /** Mbit/s of the segment before the first; undefined: there is none to change from. */
  readonly bitrate: number | undefined;
}

/** Weights of the change of bitrate (λ) and of a second of stall (μ) against a Mbit/s (Yin et al., §7.1.2, "balanced"). */
const CHANGE_WEIGHT = 1;
const STALL_WEIGHT = 3;

/**
 * The best first step of all plans: which of `segments[0]`, by index, begins the sequence of options of the highest value
 *
 *     Σ bitrate − λ · Σ |change of bitrate| − μ · Σ seconds of stall
 *
 * (Yin et al., §3 and §4). Exact, by branch and bound: 13 representations and 5 segments are 371,293 plans, and about a
 * thousand steps decide among them.
 */
export function bestFirstStep(segments: readonly (readonly PlanOption[])[], start: PlanStart): number {
  const limits = valueLimits(segments);
  const { segmentDuration } = start;
  // Of the plan under way, by length: in arrays, as numbers that are handed on from call to call take memory each.
  const bufferLevels = new Float64Array(segments.length).fill(start.bufferLevel);
  const bitrates = new Float64Array(segments.length).fill(start.bitrate ?? NaN);
  const values = new Float64Array(segments.length);
  let best = -Infinity;
  let bestFirst = 0;

  /** Completes a plan whose first `length` steps are made. */
  function extend(length: number, first: number): void {
    const options = segments[length]!;
    const rest = limits[length + 1];
    for (let index = options.length - 1; index >= 0; index--) {
      const option = options[index]!;
      const bufferLevel = bufferLevels[length]!;
      const gained = values[length]! + gain(option, bufferLevel, bitrates[length]!);
      const firstIndex = length === 0 ? index : first;
      if (!rest) {
        if (gained <= best) continue;
        best = gained;
        bestFirst = firstIndex;
        continue;
      }
      const left = bufferAfter(option, bufferLevel, start);
      const limit = valueLimit(rest, left + (rest.segments - 1) * segmentDuration, option.bitrate);
      if (gained + limit <= best) continue;
      bufferLevels[length + 1] = left;
      bitrates[length + 1] = option.bitrate;
      values[length + 1] = gained;
      extend(length + 1, firstIndex);
    }
  }

  // To stay at one representation is a good plan, and a good plan found early cuts off most of the others.
  for (const index of segments[0]!.keys()) {
    const value = steadyValue(segments, index, start);
    if (value <= best) continue;
    best = value;
    bestFirst = index;
  }
  extend(0, 0);
  return bestFirst;
}

/** The value of the plan that takes the option at `index` of every segment. */
function steadyValue(segments: readonly (readonly PlanOption[])[], index: number, start: PlanStart): number {
  let { bufferLevel, bitrate = NaN } = start;
  let value = 0;
  for (const options of segments) {
    const option = options[Math.min(index, options.length - 1)]!;
    value += gain(option, bufferLevel, bitrate);
    bufferLevel = bufferAfter(option, bufferLevel, start);
    bitrate = option.bitrate;
  }
  return value;
}

/** What a step adds to a plan's value. `before`: the bitrate of the step before, NaN if there is none. */
function gain({ bitrate, seconds }: PlanOption, bufferLevel: number, before: number): number {
  const change = Number.isNaN(before) ? 0 : Math.abs(bitrate - before);
  return bitrate - CHANGE_WEIGHT * change - STALL_WEIGHT * Math.max(0, seconds - bufferLevel);
}

/** The buffer when a step is made and there is room for the next segment, in seconds. */
function bufferAfter({ seconds }: PlanOption, bufferLevel: number, buffer: PlanStart): number {
  const { segmentDuration, bufferCapacity } = buffer;
  return Math.min(Math.max(0, bufferLevel - seconds) + segmentDuration, bufferCapacity - segmentDuration);
}

/** What limits the value of some segments at a plan's end. */
interface Limits {
  readonly segments: number;
  /** Mbit/s: sum of their highest bitrates. */
  readonly highest: number;
  /** Mbit/s that a second of download buys at most. */
  readonly perSecond: number;
}

/** From each of the segments on. */
function valueLimits(segments: readonly (readonly PlanOption[])[]): Limits[] {
  let highest = 0;
  let perSecond = 0;
  return segments
    .toReversed()
    .map((options, followers) => {
      highest += Math.max(...options.map(({ bitrate }) => bitrate));
      perSecond = Math.max(perSecond, ...options.map(({ bitrate, seconds }) => bitrate / seconds));
      return { segments: followers + 1, highest, perSecond };
    })
    .toReversed();
}

/**
 * What the value can at most grow by, with `seconds` to download before a stall, and after a segment of `bitrate`. The sum of
 * bitrates is at most that of the highest options, and, where a second of download buys less bitrate than a second of stall
 * costs, what can be bought without a stall. To reach the mean of that sum from below is a change, which costs.
 */
function valueLimit({ segments, highest, perSecond }: Limits, seconds: number, bitrate: number): number {
  const sum = perSecond <= STALL_WEIGHT ? Math.min(highest, perSecond * seconds) : highest;
  return sum - CHANGE_WEIGHT * Math.max(0, sum / segments - bitrate);
}
