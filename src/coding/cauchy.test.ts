import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, Encoder } from './cauchy.js';

/** Data of one block, which may end early, and how much parity is made of them. */
const coded = fc
  .record({
    symbols: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 192 })),
    count: fc.integer({ min: 1, max: 64 }),
    symbolBytes: fc.integer({ min: 1, max: 9 }),
    cut: fc.nat(30),
  })
  .chain(({ symbols, count, symbolBytes, cut }) => {
    const length = Math.max(1, symbols * symbolBytes - cut);
    return fc.record({
      symbolBytes: fc.constant(symbolBytes),
      data: fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((bytes) =>
          Array.from({ length: symbols }, (_, index) => bytes.slice(index * symbolBytes, (index + 1) * symbolBytes)),
        ),
      count: fc.constant(count),
      /** In which order symbols are lost; parity after data. */
      order: fc.shuffledSubarray([...Array(symbols + count).keys()], {
        minLength: symbols + count,
        maxLength: symbols + count,
      }),
    });
  });

function parityOf(data: readonly Uint8Array[], count: number, symbolBytes: number): readonly Uint8Array[] {
  const encoder = new Encoder(count, symbolBytes);
  data.forEach((symbol, index) => encoder.add(index, symbol));
  return encoder.parity;
}

const padded = (symbol: Uint8Array, length: number) => Uint8Array.from({ length }, (_, at) => symbol[at] ?? 0);

/** What is here of data and parity without these symbols, parity numbered after data. */
function without(lost: readonly number[], data: readonly Uint8Array[], parity: readonly Uint8Array[]) {
  return {
    data: data.map((symbol, index) => (lost.includes(index) ? undefined : symbol)),
    parity: new Map([...parity.entries()].filter(([number]) => !lost.includes(data.length + number))),
  };
}

describe('the erasure code', () => {
  it('fills any losses up to the number of its parity symbols', () => {
    fc.assert(
      fc.property(coded, fc.nat(), ({ data, count, symbolBytes, order }, share) => {
        const lost = order.slice(0, share % (count + 1));
        const here = without(lost, data, parityOf(data, count, symbolBytes));
        const filled = decode(here.data, here.parity)!;
        const missing = lost.filter((index) => index < data.length);
        expect([...filled.keys()].sort((a, b) => a - b)).toEqual(missing.sort((a, b) => a - b));
        for (const [index, symbol] of filled) expect(symbol).toEqual(padded(data[index]!, symbolBytes));
      }),
    );
  });

  it('fills nothing with fewer parity symbols than missing data, and changes nothing that it is given', () => {
    fc.assert(
      fc.property(coded, fc.nat(), ({ data, count, symbolBytes, order }, more) => {
        const lost = order.slice(0, count + 1 + (more % data.length));
        const here = without(lost, data, parityOf(data, count, symbolBytes));
        const copy = structuredClone(here);
        const missing = here.data.filter((symbol) => symbol === undefined).length;
        const filled = decode(here.data, here.parity);
        expect(filled === undefined).toBe(missing > here.parity.size);
        expect(here).toEqual(copy);
      }),
    );
  });

  it('takes its data in any order', () => {
    fc.assert(
      fc.property(coded, ({ data, count, symbolBytes, order }) => {
        const encoder = new Encoder(count, symbolBytes);
        for (const index of order) if (index < data.length) encoder.add(index, data[index]!);
        expect(encoder.parity).toEqual(parityOf(data, count, symbolBytes));
      }),
    );
  });

  it('makes more parity of the same data without changing the first symbols', () => {
    const data = [1, 2, 3].map((value) => Uint8Array.of(value, 7));
    expect(parityOf(data, 9, 2).slice(0, 4)).toEqual(parityOf(data, 4, 2));
  });

  it('has room for 192 data symbols with 64 parity symbols', () => {
    // Data and parity together: every one needs a coordinate of its own.
    expect(192 + 64).toBe(256);
    const data = Array.from({ length: 192 }, (_, index) => Uint8Array.of(index));
    const parity = parityOf(data, 64, 1);
    const filled = decode([...Array<undefined>(64), ...data.slice(64)], new Map(parity.entries()))!;
    expect([...filled.values()].map(([byte]) => byte)).toEqual([...Array(64).keys()]);
  });
});
