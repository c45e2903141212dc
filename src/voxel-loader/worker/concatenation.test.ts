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
