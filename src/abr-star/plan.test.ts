import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candidate } from './candidates.js';
import { plan, STEP_WEIGHT, type Outlook } from './plan.js';

const outlook: Outlook = {
  ...{ segmentDuration: 4, bufferCapacity: 16, latency: 0.05, stallWeight: 0.3 },
  prospects: [{ rate: 1e6, probability: 1 }],
};

function candidate(score: number, seconds: number): Candidate {
  const bytes = (seconds * 1e6) / 8;
  const option = { representation: 0, level: 0, score, bytes, reliableBytes: bytes };
  return { option, bytes, reliableBytes: bytes, score, floor: score };
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
    return scores.map((score, index) => candidate(score, seconds[index]!));
  });

/** The same by trying every sequence, with the exact buffer level and score before each. */
function bestValue(segments: readonly (readonly Candidate[])[], buffer: number, before: number): number {
  const [candidates, ...rest] = segments;
  if (!candidates) return 0;
  const values = candidates.map(({ score, bytes }) => {
    const spare = buffer - outlook.latency - (bytes * 8) / 1e6;
    const next = Math.min(Math.max(0, spare) + 4, 12);
    const stall = Math.max(0, -spare);
    return score - STEP_WEIGHT * Math.abs(score - before) - outlook.stallWeight * stall + bestValue(rest, next, score);
  });
  return Math.max(...values);
}

test('at the points of its table, one segment is worth exactly what its best candidate is', () => {
  fc.assert(
    fc.property(segment, (candidates) => {
      const table = plan([candidates], outlook, () => 0);
      // The lowest of the scores and a buffer of one segment, a full one are points of the axes.
      for (const score of [candidates[0]!.score, candidates.at(-1)!.score]) {
        for (const buffer of [4, 12]) {
          expect(table.following(score).at(buffer)).toBeCloseTo(bestValue([candidates], buffer, score), 9);
        }
      }
    }),
  );
});

test('three segments are worth about what trying every sequence finds', () => {
  const segments = [3, 6, 2].map((scale) =>
    [0.6, 0.8, 0.95].map((score, i) => candidate(score, scale * [0.3, 0.6, 1][i]!)),
  );
  const table = plan(segments, outlook, () => 0);
  for (const buffer of [4, 6, 8, 10, 12]) {
    expect(table.following(0.8).at(buffer)).toBeCloseTo(bestValue(segments, buffer, 0.8), 1);
  }
});

test('nothing ahead is worth what the end is', () => {
  const table = plan([], outlook, (bufferLevel) => bufferLevel);
  expect(table.following(0.5).at(12)).toBeCloseTo(12, 9);
  expect(table.following(0.5).at(4)).toBeCloseTo(4, 9);
});
