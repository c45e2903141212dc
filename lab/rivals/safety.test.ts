import { describe, expect, test } from 'vitest';
import { nextSafetyFactor, safeBytes, stepDown } from './safety.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import { withoutDominated } from '../../src/abr-star/options.js';

const buffer = (bufferSegments: number, bufferLevel: number) => ({
  bufferLevel,
  bufferCapacity: (bufferSegments + 1) * 4,
  segmentDuration: 4,
});

function factorAfter(segments: number, bufferSegments: number): number {
  let factor = 1;
  for (let segment = 0; segment < segments; segment++) factor = nextSafetyFactor(factor, buffer(bufferSegments, 0));
  return factor;
}

describe('safety', () => {
  test('trusts the throughput less with every segment, down to d/(capacity − d) between 0.5 and 0.9', () => {
    expect(factorAfter(2, 7)).toBeCloseTo(0.81, 9);
    expect(factorAfter(50, 7)).toBe(0.5);
    expect(factorAfter(50, 1.5)).toBeCloseTo(4 / 6, 9);
    expect(factorAfter(50, 1)).toBe(0.9);
  });

  test('counts on the bytes that arrive while the buffer plays, of which one segment is in flight', () => {
    expect(safeBytes(8e6, 0.5, buffer(7, 10))).toBe(5e6);
    expect(safeBytes(8e6, 0.5, buffer(1, 8))).toBe(2e6);
  });

  test('steps down to the best option that fits, and to the smallest where none does', () => {
    const options = withoutDominated(ladderOptions(thesisLadder, 4));
    const highest = options.at(-1)!;
    expect(stepDown(options, options[3]!, highest.bytes)).toBe(options[3]);
    expect(stepDown(options, highest, options[5]!.bytes + 1)).toBe(options[5]);
    expect(stepDown(options, highest, 0)).toBe(options[0]);
  });
});
