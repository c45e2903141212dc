import { expect, it } from 'vitest';
import { addCounts, NO_COUNTS } from './counts.js';

it('adds deliveries count by count', () => {
  const first = { ...NO_COUNTS, bytesReliable: 5, bytesLost: 1 };
  const second = { ...NO_COUNTS, bytesReliable: 7, bytesParity: 2 };
  expect(addCounts(first, second)).toEqual({ ...NO_COUNTS, bytesReliable: 12, bytesLost: 1, bytesParity: 2 });
  expect(addCounts()).toEqual(NO_COUNTS);
});

it('leaves everything else of a delivery out', () => {
  expect(addCounts({ ...NO_COUNTS, bytesRepeated: 3, ...{ seconds: 4 } })).toEqual({ ...NO_COUNTS, bytesRepeated: 3 });
});
