import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Candidates } from './candidates.js';
import { Expectation, plan, type Outlook } from './plan.js';
import type { Option } from '../types.js';
import { atLevel, BUFFER_POINTS, type ValueTable } from './value-table.js';

const outlook: Outlook = {
  ...{
    segmentDuration: 4,
    bufferCapacity: 16,
    latency: 0.05,
    lastMoment: 0,
    stallWeight: 0.3,
    stepWeight: 0.5,
    switchCharge: 0.1,
  },
  prospects: [{ secondsPerByte: 8e-6, probability: 1 }],
};

function optionOf(score: number, seconds: number, representation = 0): Option {
  const bytes = (seconds * 1e6) / 8;
  return { representation, level: 0, score, bytes, reliableBytes: bytes };
}

/** Candidates of one representation, all bytes of which are reliable. */
function candidates(options: readonly Option[]): Candidates {
  return { options, floors: [options[0]!.score], scores: [options[0]!.score, options.at(-1)!.score] };
}

/** Ascending in bytes and in score, as candidates are. */
const segment = fc
  .array(
    fc.record({
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      seconds: fc.double({ min: 0.1, max: 9, noNaN: true }),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((raw) => {
    const scores = raw.map(({ score }) => score).sort((a, b) => a - b);
    const seconds = raw.map((option) => option.seconds).sort((a, b) => a - b);
    return candidates(scores.map((score, index) => optionOf(score, seconds[index]!)));
  });

/** Seconds, and the score and representation of the segment before. */
function valueAt(table: ValueTable, bufferLevel: number, score: number, representation = 0): number {
  const worths = new Float64Array(BUFFER_POINTS);
  table.after(representation, score, worths);
  return atLevel(worths, bufferLevel, table.axes);
}

/** The same by trying every sequence, with the exact buffer level and score before each. */
function bestValue(segments: readonly Candidates[], buffer: number, before: number, last = 0): number {
  const [first, ...rest] = segments;
  if (!first) return 0;
  const values = first.options.map(({ score, bytes, representation }) => {
    const spare = buffer - outlook.latency - (bytes * 8) / 1e6;
    const next = Math.min(Math.max(0, spare) + 4, 12);
    const stall = Math.max(0, -spare);
    const change = outlook.stepWeight * Math.abs(score - before) + (representation === last ? 0 : outlook.switchCharge);
    return score - change - outlook.stallWeight * stall + bestValue(rest, next, score, representation);
  });
  return Math.max(...values);
}

test('at the points of its table, one segment is worth exactly what its best candidate is', () => {
  fc.assert(
    fc.property(segment, (only) => {
      const table = plan([only], outlook, () => 0);
      // The lowest of the scores and a buffer of one segment, a full one are points of the axes.
      for (const score of [only.options[0]!.score, only.options.at(-1)!.score]) {
        for (const buffer of [4, 12]) {
          expect(valueAt(table, buffer, score)).toBeCloseTo(bestValue([only], buffer, score), 9);
        }
      }
    }),
  );
});

test('three segments are worth about what trying every sequence finds', () => {
  const segments = [3, 6, 2].map((scale) =>
    candidates([0.6, 0.8, 0.95].map((score, i) => optionOf(score, scale * [0.3, 0.6, 1][i]!))),
  );
  const table = plan(segments, outlook, () => 0);
  for (const buffer of [4, 6, 8, 10, 12]) {
    // Between four buffer levels and six scores.
    expect(Math.abs(valueAt(table, buffer, 0.8) - bestValue(segments, buffer, 0.8))).toBeLessThan(0.1);
  }
});

test('another representation than before is charged in the table of each, and where there is none', () => {
  const options = [optionOf(0.7, 1, 0), optionOf(0.8, 2, 1)];
  const both: Candidates = { options, floors: [0.7, 0.8], scores: [0.7, 0.8] };
  const table = plan([both, both], outlook, () => 0);
  const worth = (representation: number) => valueAt(table, 12, 0.8, representation);
  // .8 twice; one change to it; and from neither.
  expect(worth(1)).toBeCloseTo(1.6, 9);
  expect(worth(0)).toBeCloseTo(1.6 - 0.1, 9);
  expect(worth(2)).toBeCloseTo(1.6 - 0.1, 9);
  for (const last of [0, 1]) expect(worth(last)).toBeCloseTo(bestValue([both, both], 12, 0.8, last), 9);
});

test('nothing ahead is worth what the end is', () => {
  const table = plan([], outlook, (bufferLevel) => bufferLevel);
  expect(valueAt(table, 12, 0)).toBeCloseTo(12, 9);
  expect(valueAt(table, 4, 0)).toBeCloseTo(4, 9);
});

describe('a download that is late', () => {
  // 0.5 s of reliable bytes and 1.5 s of others, with a latency of 0.05 s.
  const late = { representation: 0, bytes: 250_000, reliableBytes: 62_500, score: 0.9 };
  const nothing = plan([], outlook, () => 0);
  const worth = (bufferLevel: number) => new Expectation(outlook, [bufferLevel], nothing).worthsOf(late, 0.5)[0]!;

  test('is cut a moment before the buffer is empty', () => {
    const cutAt = (lastMoment: number) => {
      const option = { ...optionOf(0.9, 2), reliableBytes: 10_000 };
      return new Expectation(
        { ...outlook, lastMoment },
        [2.1],
        plan([], outlook, () => 0),
      ).worthsOf(option, 0.5)[0]!;
    };
    expect(cutAt(0)).toBeCloseTo(0.9);
    expect(cutAt(0.3)).toBeLessThan(0.85);
  });

  test('is worth its score where it is just in time', () => {
    expect(worth(2.05)).toBeCloseTo(0.9, 9);
  });

  test('costs twice what its missing bytes would have brought: the dip, and the steps down and up again', () => {
    // All unreliable bytes are missing, and a third of them, which brings (1/3) (4/3) / 2 of the 0.4.
    expect(worth(0.55)).toBeCloseTo(0.9 - 2 * 0.4, 9);
    expect(worth(1.55)).toBeCloseTo(0.9 - (2 * 0.4 * 2) / 9, 9);
  });

  test('stalls for reliable bytes alone', () => {
    expect(worth(0.25)).toBeCloseTo(0.9 - 2 * 0.4 - 0.3 * outlook.stallWeight, 9);
  });
});
