import { describe, expect, it } from 'vitest';
import { totalBytes } from '../../src/manifest/byte-range.js';
import { lostInSpiteOf, parityBytes } from './parity.js';
import { seededRandom } from './random.js';

const TAIL = { amounts: [0, 2], block: 10, symbol: 100 } as const;

const stays = (lost: readonly (readonly [number, number])[], lossRate = 0, sent = 3000) =>
  lostInSpiteOf(
    lost.map(([start, end]) => ({ start, end })),
    { rangeLengths: [3000], parity: TAIL, sent, lossRate },
    seededRandom(1),
  );

describe('parity in simulation', () => {
  it('is as many bytes as the blocks have symbols of it', () => {
    expect(parityBytes({ rangeLengths: [3000], parity: TAIL })).toBe(400);
    expect(parityBytes({ rangeLengths: [180, 36], parity: { amounts: [6], block: 18 } })).toBe(6 * 10 + 6 * 2);
    expect(parityBytes(undefined)).toBe(0);
  });

  it('fills blocks that miss no more than there is parity, and no others', () => {
    expect(stays([[100, 200]])).toEqual([{ start: 100, end: 200 }]);
    expect(stays([[1000, 1200]])).toEqual([]);
    expect(totalBytes(stays([[1000, 1300]]))).toBe(300);
    // Across a border, the part of the block that can be filled.
    expect(stays([[900, 1100]])).toEqual([{ start: 900, end: 1000 }]);
  });

  it('fills nothing where the parity is lost, too, or was never sent', () => {
    expect(stays([[1000, 1100]], 1)).toHaveLength(1);
    expect(stays([[2000, 2100]], 0, 2500)).toHaveLength(1);
  });
});
