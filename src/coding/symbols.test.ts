import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layout } from '../../test/unit/coding-reference.js';
import { blocksOf, parityAt, type Parity } from './symbols.js';

const anyParity: fc.Arbitrary<Parity> = fc.record({
  amounts: fc.array(fc.nat(5), { minLength: 1, maxLength: 5 }),
  block: fc.integer({ min: 1, max: 20 }),
  symbol: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
});
const anyRanges = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });

describe('blocksOf', () => {
  it('cuts every body as the definition says', () => {
    fc.assert(
      fc.property(anyRanges, anyParity, (ranges, parity) => {
        expect(blocksOf(ranges, parity)).toEqual(layout(ranges, parity));
      }),
    );
  });
});

describe('parityAt', () => {
  it('finds every parity symbol of every block, and several in a row', () => {
    fc.assert(
      fc.property(anyRanges, anyParity, fc.nat(), fc.nat(), (ranges, parity, from, number) => {
        const blocks = blocksOf(ranges, parity);
        blocks.forEach((block, index) => {
          if (block.parity === 0) return;
          const first = from % block.parity;
          const count = 1 + (number % (block.parity - first));
          const at = block.parityStart + first * block.symbolBytes;
          expect(parityAt(blocks, at, count * block.symbolBytes)).toEqual({ block: index, first, count });
        });
      }),
    );
  });

  it('finds nothing in what is not whole symbols of one block', () => {
    fc.assert(
      fc.property(anyRanges, anyParity, fc.nat(20_000), fc.nat(400), (ranges, parity, offset, length) => {
        const blocks = blocksOf(ranges, parity);
        const found = parityAt(blocks, offset, length);
        if (!found) return;
        const { parityStart, symbolBytes, parity: count } = blocks[found.block]!;
        expect(parityStart + found.first * symbolBytes).toBe(offset);
        expect(found.count * symbolBytes).toBe(length);
        expect(found.count).toBeGreaterThan(0);
        expect(found.first + found.count).toBeLessThanOrEqual(count);
      }),
      { numRuns: 1000 },
    );
  });
});
