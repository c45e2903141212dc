import { expect, it } from 'vitest';
import { lossesOf } from './losses.js';

const counts = { bytesLost: 0, bytesRecovered: 0, bytesDecoded: 0, bytesRefetched: 0, framesRepaired: 0 };

it('counts what was lost the first time, though it has been recovered, decoded or fetched since', () => {
  expect(lossesOf({ ...counts, bytesRecovered: 400, bytesDecoded: 30 })).toEqual({
    ...{ lost: 430, fetchedAgain: 400, decoded: 30 },
  });
  const improved = { ...counts, bytesRefetched: 900, firstPass: { bytesLost: 700, framesRepaired: 2 } };
  expect(lossesOf(improved)).toEqual({ lost: 700, fetchedAgain: 900, decoded: 0 });
});

it('counts what is still missing', () => {
  expect(lossesOf({ ...counts, bytesLost: 5 })).toEqual({ lost: 5, fetchedAgain: 0, decoded: 0 });
});
