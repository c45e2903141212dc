import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RepairError } from '../errors.js';
import { BitReader, BitWriter, escape } from './bits.js';

const zeroHeavyByte = fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 255);

describe('BitReader and BitWriter', () => {
  it('read what was written, through emulation prevention', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(5), fc.nat(2 ** 30 - 1))), fc.array(zeroHeavyByte), (codes, bytes) => {
        const writer = new BitWriter();
        for (const byte of bytes) writer.bits(byte, 8);
        for (const code of codes) writer.ue(code);
        writer.bit(1);
        const reader = new BitReader(escape(writer.toBytes()));
        expect(bytes.map(() => reader.bits(8))).toEqual(bytes);
        expect(codes.map(() => reader.ue())).toEqual(codes);
      }),
    );
  });

  it('count the escaped bytes that hold the bits read', () => {
    const reader = new BitReader(Uint8Array.of(0, 0, 3, 1, 255));
    reader.bits(16);
    expect(reader.bytesRead).toBe(2);
    reader.bit();
    expect([reader.bitsRead, reader.bytesRead]).toEqual([17, 4]);
  });

  it('read signed codes in the order of H.264 table 9-3', () => {
    const writer = new BitWriter();
    for (let code = 0; code < 5; code++) writer.ue(code);
    const reader = new BitReader(Uint8Array.from(writer.toBytes()));
    expect([0, 1, 2, 3, 4].map(() => reader.se() + 0)).toEqual([0, 1, -1, 2, -2]);
  });

  it('refuse what lies past the end, and codes of more than 32 bits', () => {
    expect(() => new BitReader(Uint8Array.of(255)).bits(9)).toThrow(RepairError);
    expect(() => new BitReader(new Uint8Array(40)).ue()).toThrow('longer than 32 bits');
  });
});

describe('escape', () => {
  it('leaves no start code and nothing that looks like an escape', () => {
    fc.assert(
      fc.property(fc.array(zeroHeavyByte), (rbsp) => {
        const escaped = Array.from(escape(rbsp));
        escaped.forEach((byte, index) => {
          if (escaped[index - 1] === 0 && escaped[index - 2] === 0) expect(byte).toBeGreaterThanOrEqual(3);
        });
      }),
    );
  });
});
