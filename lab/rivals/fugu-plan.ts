/** One way to download one of the segments ahead. */
export interface FuguOption {
  /** In the content's unit. */
  readonly score: number;
  /** Seconds that the download may take, and the chance of each. */
  readonly seconds: readonly number[];
  readonly chances: readonly number[];
}

export interface FuguStart {
  /** Seconds of video. */
  readonly bufferLevel: number;
  readonly bufferCapacity: number;
  readonly segmentDuration: number;
  /** Score of the segment before the first; undefined: there is none to change from. */
  readonly score: number | undefined;
  /** What a second of stall costs, in units of score. */
  readonly stallWeight: number;
}

/** Weight of a change of score against the score (λ, the paper's §4.5). */
const CHANGE_WEIGHT = 1;

/** Points of the buffer between which values are linear. The paper's are .5 s apart; these are enough, and quick. */
const POINTS = 12;

/**
 * Which of `segments[0]`, by index, begins the course of the highest expected value
 *
 *     Σ score − λ · Σ |change of score| − μ · Σ seconds of stall
 *
 * where each further step is chosen when the buffer before it is known: value iteration backwards (Yan et al., §4.5).
 */
export function bestExpected(segments: readonly (readonly FuguOption[])[], start: FuguStart): number {
  const { segmentDuration, bufferCapacity } = start;
  const fullest = Math.max(segmentDuration, bufferCapacity - segmentDuration);
  const step = (fullest - segmentDuration) / (POINTS - 1);
  const levels = Array.from({ length: POINTS }, (_, point) => segmentDuration + step * point);

  /** What follows a segment, by its option and the buffer's point after it; undefined: nothing does. */
  let after: Float64Array[] | undefined;
  const worth = (option: FuguOption, index: number, level: number): number => {
    const values = after?.[index];
    let sum = option.score;
    for (let outcome = 0; outcome < option.seconds.length; outcome++) {
      const left = level - option.seconds[outcome]!;
      const chance = option.chances[outcome]!;
      if (left < 0) sum += chance * start.stallWeight * left;
      if (values) sum += chance * between(values, step > 0 ? Math.min(Math.max(0, left) / step, POINTS - 1) : 0);
    }
    return sum;
  };
  for (let ahead = segments.length - 1; ahead > 0; ahead--) {
    const options = segments[ahead]!;
    const worths = options.map((option, index) => levels.map((level) => worth(option, index, level)));
    after = segments[ahead - 1]!.map((before) =>
      Float64Array.from(levels, (_, point) =>
        Math.max(...options.map(({ score }, index) => worths[index]![point]! - change(score, before.score))),
      ),
    );
  }
  const values = segments[0]!.map(
    (option, index) => worth(option, index, start.bufferLevel) - change(option.score, start.score ?? option.score),
  );
  return values.indexOf(Math.max(...values));
}

function change(score: number, before: number): number {
  return CHANGE_WEIGHT * Math.abs(score - before);
}

function between(values: Float64Array, position: number): number {
  const below = Math.min(Math.trunc(position), POINTS - 2);
  return values[below]! + (position - below) * (values[below + 1]! - values[below]!);
}
