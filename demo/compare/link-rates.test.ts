import { expect, test } from 'vitest';
import { linkRates } from './link-rates.js';

test('linkRates: bit/s over stretches of half a second at least', () => {
  const moments = [0.25, 0.5, 0.75, 1].map((at) => ({ at, capacity: 1000 * at, sent: [500 * at, 0], lost: [0, 0] }));
  expect(linkRates(moments)).toEqual([
    { at: 0.5, capacity: 8000, sent: [4000, 0] },
    { at: 1, capacity: 8000, sent: [4000, 0] },
  ]);
});
