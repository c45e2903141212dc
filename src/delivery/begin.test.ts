import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWaitedFor, mayBegin, together, type ExpectedPiece } from './begin.js';

const MBIT = 1e6;
const half = (bytesLeft: number, index: number): ExpectedPiece => ({ bytesLeft, startsAfter: index / 2 });

describe('mayBegin', () => {
  it('waits for all of the first piece, however fast the link', () => {
    expect(mayBegin([half(1, 0), half(0, 1)], 1000 * MBIT)).toBe(false);
    expect(mayBegin([half(0, 0), half(0, 1)], 0)).toBe(true);
    expect(mayBegin([], 0)).toBe(true);
  });

  it('wants each later piece here before it is due, with a fifth of the rate to spare', () => {
    const pieces = [half(0, 0), half(40_000, 1), half(60_000, 2)];
    // 100,000 bytes in .8 s.
    expect(mayBegin(pieces, MBIT)).toBe(true);
    expect(mayBegin(pieces, 0.99 * MBIT)).toBe(false);
    expect(mayBegin([half(0, 0), half(60_000, 1), half(40_000, 2)], MBIT)).toBe(false);
  });

  it('holds: what may begin at a rate may at a higher one, and arrives in time at that rate', () => {
    const anyPieces = fc.array(fc.nat(200_000), { maxLength: 9 }).map((bytes) => bytes.map(half));
    fc.assert(
      fc.property(anyPieces, fc.double({ min: 0, max: 50 * MBIT, noNaN: true }), (pieces, rate) => {
        fc.pre(mayBegin(pieces, rate));
        expect(mayBegin(pieces, 2 * rate)).toBe(true);
        let bits = 0;
        for (const { bytesLeft, startsAfter } of pieces) {
          bits += 8 * bytesLeft;
          expect(bits).toBeLessThanOrEqual(rate * startsAfter + 1e-6);
        }
      }),
    );
  });
});

describe('together', () => {
  it('puts what comes beside a segment among its pieces, and lets it be a piece late at the begin', () => {
    const pieces = together([half(10, 0), half(20, 2)], [half(1, 0), half(2, 1), half(3, 3)]);
    expect(pieces.map(({ bytesLeft, startsAfter }) => [bytesLeft, startsAfter])).toEqual([
      [10, 0],
      [1, 0.5],
      [2, 0.5],
      [20, 1],
      [3, 1.5],
    ]);
  });
});

describe('isWaitedFor', () => {
  it('is when nothing plays, or the buffer may run out before the download is here', () => {
    expect(isWaitedFor({ buffer: undefined, seconds: 0.1 })).toBe(true);
    expect(isWaitedFor({ buffer: 1, seconds: 1 })).toBe(true);
    expect(isWaitedFor({ buffer: 2, seconds: 1 })).toBe(false);
    expect(isWaitedFor({ buffer: 20, seconds: Infinity })).toBe(true);
  });
});
