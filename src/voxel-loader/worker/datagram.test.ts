import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDatagram } from './datagram.js';

describe('decodeDatagram', () => {
  it('reads flow, offset and payload', () => {
    expect(decodeDatagram(Uint8Array.of(17, 0x44, 0xb0, 7, 8, 9))).toEqual({
      flow: 17,
      offset: 1200,
      payload: Uint8Array.of(7, 8, 9),
    });
  });

  it('takes an empty payload', () => {
    expect(decodeDatagram(Uint8Array.of(0, 0))?.payload).toHaveLength(0);
  });

  it.each([[[]], [[0x11]], [[0x40]], [[0x11, 0xc0, 0]], [Array.from({ length: 16 }, () => 0xff)]])(
    'has no meaning for %j',
    (bytes) => {
      expect(decodeDatagram(Uint8Array.from(bytes))).toBeUndefined();
    },
  );

  it('never throws, and its numbers are safe', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        const datagram = decodeDatagram(bytes);
        if (!datagram) return;
        expect(Number.isSafeInteger(datagram.flow) && Number.isSafeInteger(datagram.offset)).toBe(true);
        expect(datagram.payload.length).toBeLessThan(bytes.length);
      }),
    );
  });
});
