/** Points of the table: buffer levels, closer together where the buffer is low, and scores of the segment before. */
const BUFFER_POINTS = 4;
const SCORE_POINTS = 6;

/** What the tables of one plan share. */
export interface Axes {
  /** Seconds: the points, in squares of whole numbers. */
  readonly bufferLevels: readonly number[];
  readonly squaresPerSecond: number;
  readonly lowestScore: number;
  readonly scoreStep: number;
}

/** From the lowest to the highest buffer level, in seconds, and score. */
export function axesOf([least, most]: readonly [number, number], [lowest, highest]: readonly [number, number]): Axes {
  const square = (most - least) / (BUFFER_POINTS - 1) ** 2;
  return {
    bufferLevels: Array.from({ length: BUFFER_POINTS }, (_, row) => least + square * row ** 2),
    squaresPerSecond: square > 0 ? 1 / square : 0,
    lowestScore: lowest,
    scoreStep: (highest - lowest) / (SCORE_POINTS - 1) || 1,
  };
}

/**
 * What the segments still to come are worth, for any buffer level and any score of the segment before: known at the points of
 * both axes, linear between them, constant beyond.
 */
export class ValueTable {
  /** At first no way to go on is known, at any point. */
  readonly #values = new Float64Array(BUFFER_POINTS * SCORE_POINTS).fill(-Infinity);
  readonly #axes: Axes;

  constructor(axes: Axes) {
    this.#axes = axes;
  }

  /** The same value at a buffer level, by its index, whatever the score before. */
  fill(row: number, value: number): void {
    this.#values.fill(value, row * SCORE_POINTS, (row + 1) * SCORE_POINTS);
  }

  /** At least `worth` less what the step costs from the score before to this one. */
  raise(row: number, worth: number, score: number, stepWeight: number): void {
    const values = this.#values;
    const { lowestScore, scoreStep } = this.#axes;
    let up = score - lowestScore;
    const end = (row + 1) * SCORE_POINTS;
    for (let cell = row * SCORE_POINTS; cell < end; cell++) {
      const value = worth - stepWeight * Math.abs(up);
      if (value > values[cell]!) values[cell] = value;
      up -= scoreStep;
    }
  }

  /** At least the values of another table of the same axes, less `charge`. */
  raiseTo(other: ValueTable, charge: number): void {
    const values = this.#values;
    const others = other.#values;
    for (let cell = 0; cell < values.length; cell++) {
      const value = others[cell]! - charge;
      if (value > values[cell]!) values[cell] = value;
    }
  }

  /** Where on its axis a score of the segment before lies, for {@link at}. */
  columnOf(score: number): number {
    const { lowestScore, scoreStep } = this.#axes;
    return Math.min(Math.max(0, (score - lowestScore) / scoreStep), SCORE_POINTS - 1);
  }

  /** At a buffer level in seconds. */
  at(bufferLevel: number, column: number): number {
    const { bufferLevels, squaresPerSecond } = this.#axes;
    const squares = Math.max(0, bufferLevel - bufferLevels[0]!) * squaresPerSecond;
    const row = Math.min(Math.sqrt(squares), BUFFER_POINTS - 1);
    const above = Math.min(Math.trunc(row), BUFFER_POINTS - 2);
    const left = Math.min(Math.trunc(column), SCORE_POINTS - 2);
    const values = this.#values;
    const cell = above * SCORE_POINTS + left;
    const next = cell + SCORE_POINTS;
    const share = column - left;
    const lower = values[cell]! + share * (values[cell + 1]! - values[cell]!);
    const upper = values[next]! + share * (values[next + 1]! - values[next]!);
    return lower + (row - above) * (upper - lower);
  }
}
