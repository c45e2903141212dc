/** Points of the table: buffer levels, closer together where the buffer is low, and scores of the segment before. */
export const BUFFER_POINTS = 4;
const SCORE_POINTS = 6;

/** Values of one representation. */
const TABLE = BUFFER_POINTS * SCORE_POINTS;

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

/** At a buffer level in seconds, of what is worth so much at the points of that axis. */
export function atLevel(worths: Float64Array, bufferLevel: number, { bufferLevels, squaresPerSecond }: Axes): number {
  const squares = Math.max(0, bufferLevel - bufferLevels[0]!) * squaresPerSecond;
  const row = Math.min(Math.sqrt(squares), BUFFER_POINTS - 1);
  const below = Math.min(Math.trunc(row), BUFFER_POINTS - 2);
  const worth = worths[below]!;
  return worth + (row - below) * (worths[below + 1]! - worth);
}

/**
 * What the segments still to come are worth, for any buffer level, and any score and representation of the segment before: known
 * at the points of both axes, linear between them, constant beyond. All in one array: a plan takes millionths of a second.
 */
export class ValueTable {
  readonly axes: Axes;
  /** First for all representations that are not raised, then of those that are. At first no way to go on is known. */
  readonly #values: number[];
  /** Which of these tables is a representation's own, by representation. */
  readonly #places: Uint8Array;
  #tables = 1;

  constructor(axes: Axes, representations: number) {
    this.axes = axes;
    this.#places = new Uint8Array(representations);
    // No typed array: one of this size takes longer to make than to fill.
    this.#values = new Array<number>((representations + 1) * TABLE).fill(-Infinity);
  }

  /** Whatever the segment before, it is worth that much at each buffer level of the axis. */
  fill(worths: readonly number[]): void {
    for (let cell = 0; cell < TABLE; cell++) this.#values[cell] = worths[Math.trunc(cell / SCORE_POINTS)]!;
  }

  /**
   * A way to go on after a segment of the same representation, with its worth at each buffer level of the axis: put down at the
   * scores next to its own, less what the step to it costs. `spread` does the rest.
   */
  raise(representation: number, score: number, worths: Float64Array, stepWeight: number): void {
    const values = this.#values;
    const { scoreStep } = this.axes;
    const column = this.#columnOf(score);
    const left = Math.min(Math.trunc(column), SCORE_POINTS - 2);
    const up = stepWeight * scoreStep * (column - left);
    const down = stepWeight * scoreStep - up;
    const table = (this.#places[representation] ||= this.#tables++);
    let cell = table * TABLE + left;
    for (let row = 0; row < BUFFER_POINTS; row++, cell += SCORE_POINTS) {
      const worth = worths[row]!;
      if (worth - up > values[cell]!) values[cell] = worth - up;
      if (worth - down > values[cell + 1]!) values[cell + 1] = worth - down;
    }
  }

  /** What is a way to go on at some score is one at all others, less the steps between; and after all representations, less `charge`. */
  spread(stepWeight: number, charge: number): void {
    const values = this.#values;
    const end = this.#tables * TABLE;
    const step = stepWeight * this.axes.scoreStep;
    for (let first = TABLE; first < end; first += SCORE_POINTS) {
      const last = first + SCORE_POINTS - 1;
      for (let cell = first, worth = -Infinity; cell <= last; cell++) {
        worth -= step;
        if (values[cell]! > worth) worth = values[cell]!;
        else values[cell] = worth;
      }
      for (let cell = last, worth = -Infinity; cell >= first; cell--) {
        worth -= step;
        if (values[cell]! > worth) worth = values[cell]!;
        else values[cell] = worth;
      }
    }
    for (let place = 0; place < TABLE; place++) {
      let most = -Infinity;
      for (let cell = TABLE + place; cell < end; cell += TABLE) if (values[cell]! > most) most = values[cell]!;
      most -= charge;
      values[place] = most;
      for (let cell = TABLE + place; cell < end; cell += TABLE) if (values[cell]! < most) values[cell] = most;
    }
  }

  /** Into `worths`: after a segment of that representation and score, at each buffer level of the axis. */
  after(representation: number, score: number, worths: Float64Array): void {
    const values = this.#values;
    const column = this.#columnOf(score);
    const left = Math.min(Math.trunc(column), SCORE_POINTS - 2);
    let cell = (this.#places[representation] ?? 0) * TABLE + left;
    for (let row = 0; row < BUFFER_POINTS; row++, cell += SCORE_POINTS) {
      const value = values[cell]!;
      worths[row] = value + (column - left) * (values[cell + 1]! - value);
    }
  }

  /** Where on its axis a score of the segment before lies. */
  #columnOf(score: number): number {
    const { lowestScore, scoreStep } = this.axes;
    return Math.min(Math.max(0, (score - lowestScore) / scoreStep), SCORE_POINTS - 1);
  }
}
