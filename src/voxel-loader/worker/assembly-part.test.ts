import { describe, expect, it } from 'vitest';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import { SegmentAssembly } from './assembly.js';
import { AssemblyPart } from './assembly-part.js';

/** Delivery order of the whole segment: 8 reliable bytes, then 10 and 10 unreliable ones. */
const map = segmentOf(100, [4, 10, 4, 10]);

/** The last two bytes of the delivery order and, after them, bytes 6 to 10. */
function lastAndMiddle() {
  const assembly = new SegmentAssembly(map, 20);
  const part = new AssemblyPart(assembly, [
    { start: 26, end: 28 },
    { start: 6, end: 11 },
  ]);
  return { assembly, part };
}

describe('AssemblyPart', () => {
  it('is a body of its places in their order', () => {
    const { assembly, part } = lastAndMiddle();
    expect(part.length).toBe(7);
    expect(part.fileRanges()).toEqual([...assembly.fileRanges(26, 28), ...assembly.fileRanges(6, 11)]);
  });

  it('puts bytes where they belong across places, and counts new ones only', () => {
    const { assembly, part } = lastAndMiddle();
    assembly.place(6, fileBytes(assembly.fileRanges(6, 7)));
    expect(part.gaps(0, 7)).toEqual([
      { start: 26, end: 28 },
      { start: 7, end: 11 },
    ]);
    expect(part.place(1, fileBytes(part.fileRanges()).subarray(1, 5))).toBe(3);
    expect(part.gaps(0, 7)).toEqual([
      { start: 26, end: 27 },
      { start: 9, end: 11 },
    ]);
    expect(assembly.bytesReliable).toBe(2);
    expect(assembly.bytesUnreliable).toBe(2);
  });

  it('refuses bytes beyond its end', () => {
    const { part } = lastAndMiddle();
    expect(() => part.place(5, new Uint8Array(3))).toThrow(RangeError);
  });
});
