import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Concatenation } from './concatenation.js';

const ranges = fc.array(
  fc.tuple(fc.nat(1000), fc.nat(9)).map(([start, length]) => ({ start, end: start + length })),
  { maxLength: 12 },
);

describe('Concatenation', () => {
  it('finds every byte of every slice at its place in the file', () => {
    fc.assert(
      fc.property(ranges, fc.nat(), fc.nat(), (list, a, b) => {
        const positions = list.flatMap(integers);
        const concatenation = new Concatenation(list);
        expect(concatenation.length).toBe(positions.length);
        const [start = 0, end = 0] = [a, b].map((value) => value % (positions.length + 1)).sort((x, y) => x - y);
        const pieces = concatenation.slice(start, end);
        expect(pieces.flatMap(integers)).toEqual(positions.slice(start, end));
        expect(pieces.every((piece) => piece.end > piece.start)).toBe(true);
      }),
    );
  });

  it('finds what it has of any range of the file, in the order of the file', () => {
    const apart = fc.array(fc.tuple(fc.nat(5), fc.nat(9), fc.nat()), { maxLength: 12 }).map((list) => {
      let at = 0;
      return list
        .map(([gap, length, order]) => ({ start: (at += gap), end: (at += length), order }))
        .sort((a, b) => a.order - b.order);
    });
    fc.assert(
      fc.property(apart, fc.nat(150), fc.nat(150), (list, start, length) => {
        const positions = list.flatMap(integers);
        const end = start + length;
        const places = new Concatenation(list).locate({ start, end });
        expect(places.flatMap(integers).map((place) => positions[place])).toEqual(
          positions.filter((at) => at >= start && at < end).sort((a, b) => a - b),
        );
        expect(places.every((place) => place.end > place.start)).toBe(true);
      }),
    );
  });

  it('finds what it has where an empty range begins at the same byte', () => {
    const [one, empty] = [
      { start: 0, end: 1 },
      { start: 0, end: 0 },
    ];
    for (const list of [
      [one, empty],
      [empty, one],
    ])
      expect(new Concatenation(list).locate(one)).toEqual([one]);
  });

  it.each([
    [-1, 2],
    [2, 1],
    [0, 6],
    [NaN, 2],
  ])('has no slice %d-%d of 5 bytes', (start, end) => {
    expect(() => new Concatenation([{ start: 10, end: 15 }]).slice(start, end)).toThrow(RangeError);
  });
});

function integers({ start, end }: { start: number; end: number }): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
