/** Points of the table: buffer levels, closer together where the buffer is low, and scores of the segment before. */
const BUFFER_POINTS = 6;
const SCORE_POINTS = 6;

/** What is worth how much after a segment of a certain score, by buffer level in seconds. */
export interface ValueByBuffer {
  at(bufferLevel: number): number;
}

/**
 * What the segments still to come are worth, for any buffer level and any score of the segment before: known at the points of
 * both axes, linear between them, constant beyond.
 */
export class ValueTable {
  /** Seconds. */
  readonly bufferLevels: readonly number[];
  readonly #values = new Float64Array(BUFFER_POINTS * SCORE_POINTS).fill(-Infinity);
  readonly #most: number;
  readonly #lowest: number;
  readonly #step: number;

  /** `most`: the highest buffer level, above 0; `lowest` and `highest` score. */
  constructor(most: number, [lowest, highest]: readonly [number, number]) {
    this.#most = most;
    this.#lowest = lowest;
    this.#step = (highest - lowest) / (SCORE_POINTS - 1) || 1;
    this.bufferLevels = Array.from({ length: BUFFER_POINTS }, (_, row) => most * (row / (BUFFER_POINTS - 1)) ** 2);
  }

  /** The same value at a buffer level, by its index, whatever the score before. */
  fill(row: number, value: number): void {
    this.#values.fill(value, row * SCORE_POINTS, (row + 1) * SCORE_POINTS);
  }

  /** At least `worth` less what the step costs from the score before to this one. */
  raise(row: number, worth: number, score: number, stepWeight: number): void {
    const values = this.#values;
    let up = score - this.#lowest;
    const end = (row + 1) * SCORE_POINTS;
    for (let cell = row * SCORE_POINTS; cell < end; cell++) {
      const value = worth - stepWeight * Math.abs(up);
      if (value > values[cell]!) values[cell] = value;
      up -= this.#step;
    }
  }

  following(score: number): ValueByBuffer {
    const place = Math.min(SCORE_POINTS - 1, Math.max(0, (score - this.#lowest) / this.#step));
    const column = Math.min(SCORE_POINTS - 2, Math.floor(place));
    return new Column(this.#values, column, place - column, this.#most);
  }
}

/** A table between two of its columns. */
class Column implements ValueByBuffer {
  readonly #values: Float64Array;
  readonly #column: number;
  readonly #share: number;
  /** Of the axis, whose points are the squares. */
  readonly #scale: number;

  constructor(values: Float64Array, column: number, share: number, most: number) {
    this.#values = values;
    this.#column = column;
    this.#share = share;
    this.#scale = (BUFFER_POINTS - 1) ** 2 / most;
  }

  at(bufferLevel: number): number {
    const place = Math.min(BUFFER_POINTS - 1, Math.sqrt(bufferLevel * this.#scale));
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
