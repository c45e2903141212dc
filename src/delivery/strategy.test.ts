import { expect, test } from 'vitest';
import { voxel, withoutRepeats } from './strategy.js';

test('without repeats a strategy asks for nothing twice', () => {
  expect(withoutRepeats(voxel)).toMatchObject({ name: 'voxel', recovery: false, retransmission: false });
});
