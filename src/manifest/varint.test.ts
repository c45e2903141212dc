import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVarint, encodeVarint } from './varint.js';

describe('varint', () => {
  it.each([
    // RFC 9000, appendix A.1.
    [[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333],
    [[0x7b, 0xbd], 15_293],
    [[0x25], 37],
    [[0x40, 0x25], 37],
  ])('decodes %j', (bytes, value) => {
    expect(decodeVarint(Uint8Array.from(bytes), 0)).toEqual({ value, length: bytes.length });
  });

  it('has no number for the 62-bit example of RFC 9000, appendix A.1: 151 288 809 941 952 652', () => {
    expect(decodeVarint(Uint8Array.of(0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c), 0)).toBeUndefined();
  });

  it('gives back what was encoded, wherever it stands', () => {
    const value = fc.oneof(fc.maxSafeNat(), fc.constantFrom(63, 64, 16_383, 16_384, 2 ** 30 - 1, 2 ** 30));
    fc.assert(
      fc.property(value, fc.nat(5), (number, at) => {
        const encoded = encodeVarint(number);
        const bytes = new Uint8Array(at + encoded.length + 2).fill(0xff);
        bytes.set(encoded, at);
        expect(decodeVarint(bytes, at)).toEqual({ value: number, length: encoded.length });
        expect(decodeVarint(encoded.subarray(0, -1), 0)).toBeUndefined();
      }),
    );
  });

  it.each([-1, 0.5, NaN, 2 ** 53])('does not encode %d', (value) => {
    expect(() => encodeVarint(value)).toThrow(RangeError);
  });
});
