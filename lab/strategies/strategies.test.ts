import { expect, test } from 'vitest';
import { voxel } from '../../src/delivery/index.js';
import { strategyNames, strategyOf } from './strategies.js';

test('every name is that of its strategy, and no other name is known', () => {
  expect(strategyNames.map((name) => strategyOf(name).name)).toEqual(strategyNames);
  expect(strategyOf('voxel')).toBe(voxel);
  expect(() => strategyOf('toString')).toThrow(RangeError);
});
