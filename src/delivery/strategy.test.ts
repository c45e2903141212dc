import { describe, expect, it, test } from 'vitest';
import { strategyNames, strategyOf } from '../../lab/strategies/strategies.js';
import { bufferShown, isKeptLate, voxel, withoutRepeats } from './strategy.js';

const hollywood = strategyOf('hollywood');

test('every name is that of its strategy, and no other name is known', () => {
  expect(strategyNames.map((name) => strategyOf(name).name)).toEqual(strategyNames);
  expect(strategyOf('voxel')).toBe(voxel);
  expect(() => strategyOf('toString')).toThrow(RangeError);
});

test('without repeats a strategy asks for nothing twice', () => {
  expect(withoutRepeats(voxel)).toMatchObject({ name: 'voxel', recovery: false, retransmission: false });
});

describe('the buffer that a rule is shown', () => {
  const shown = (strategy: string, bufferLevel: number, hasGaps: boolean) =>
    bufferShown(strategyOf(strategy), { bufferLevel, segmentDuration: 4, hasGaps });

  it('is a segment shorter after a loss for hollywood, unless there is but one', () => {
    expect(shown('hollywood', 9, true)).toBe(5);
    expect(shown('hollywood', 9, false)).toBe(9);
    expect(shown('hollywood', 4, true)).toBe(4);
  });

  it('is the buffer for the others', () => {
    expect(shown('voxel', 9, true)).toBe(9);
    expect(shown('clipstream', 9, true)).toBe(9);
  });
});

test('hollywood plays on with what is here when the buffer runs out, once it can be repaired', () => {
  expect(isKeptLate(hollywood, 0.1, true)).toBe(true);
  expect(isKeptLate(hollywood, 0.1, false)).toBe(false);
  expect(isKeptLate(hollywood, 1, true)).toBe(false);
  expect(isKeptLate(voxel, 0.1, true)).toBe(false);
});
