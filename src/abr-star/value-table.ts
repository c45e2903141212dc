/** Points of the table: buffer levels, closer together where the buffer is low, and scores of the segment before. */
const BUFFER_POINTS = 5;
const SCORE_POINTS = 6;

/** What is worth how much after a segment of a certain score, by buffer level in seconds. */
export interface ValueByBuffer {
  at(bufferLevel: number): number;
}

/** What the tables of one plan share. */
export interface Axes {
  /** Seconds: the points. */
  readonly bufferLevels: readonly number[];
  readonly lowestScore: number;
  readonly scoreStep: number;
}

/** From the lowest to the highest buffer level, in seconds, and score. */
export function axesOf([least, most]: readonly [number, number], [lowest, highest]: readonly [number, number]): Axes {
  const place = (row: number) => (row / (BUFFER_POINTS - 1)) ** 2;
  return {
    bufferLevels: Array.from({ length: BUFFER_POINTS }, (_, row) => least + (most - least) * place(row)),
    lowestScore: lowest,
    scoreStep: (highest - lowest) / (SCORE_POINTS - 1) || 1,
  };
}

/**
 * What the segments still to come are worth, for any buffer level and any score of the segment before: known at the points of
 * both axes, linear between them, constant beyond.
 */
export class ValueTable {
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

  following(score: number): ValueByBuffer {
    const { lowestScore, scoreStep } = this.#axes;
    const place = Math.min(SCORE_POINTS - 1, Math.max(0, (score - lowestScore) / scoreStep));
    const column = Math.min(SCORE_POINTS - 2, Math.floor(place));
    return new Column(this.#values, column, place - column, this.#axes);
  }
}

/** A table between two of its columns. */
class Column implements ValueByBuffer {
  readonly #values: Float64Array;
  readonly #column: number;
  readonly #share: number;
  readonly #least: number;
  /** Of the axis, whose points are the squares. */
  readonly #scale: number;

  constructor(values: Float64Array, column: number, share: number, { bufferLevels }: Axes) {
    this.#values = values;
    this.#column = column;
    this.#share = share;
    this.#least = bufferLevels[0]!;
    this.#scale = (BUFFER_POINTS - 1) ** 2 / (bufferLevels[BUFFER_POINTS - 1]! - this.#least || 1);
  }

  at(bufferLevel: number): number {
    const place = Math.min(BUFFER_POINTS - 1, Math.sqrt(Math.max(0, bufferLevel - this.#least) * this.#scale));
    const row = Math.min(BUFFER_POINTS - 2, Math.floor(place));
    const values = this.#values;
    const share = this.#share;
    const cell = row * SCORE_POINTS + this.#column;
    const next = cell + SCORE_POINTS;
    const lower = values[cell]! + share * (values[cell + 1]! - values[cell]!);
    const upper = values[next]! + share * (values[next + 1]! - values[next]!);
    return lower + (place - row) * (upper - lower);
  }
}
