import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRequest, fileByte, fileBytes, positions, segmentOf } from '../../../test/unit/segment-content.js';
import { SegmentAssembly } from './assembly.js';

const piece = fc.record({ start: fc.nat(), length: fc.nat(40) });

describe('SegmentAssembly', () => {
  it('puts every byte at its place and counts it once, in any order and with duplicates', () => {
    fc.assert(
      fc.property(anyRequest, fc.array(piece, { maxLength: 20 }), ({ map, unreliableBytes }, pieces) => {
        const assembly = new SegmentAssembly(map, unreliableBytes);
        const asked = assembly.fileRanges(0, assembly.length).flatMap(positions);
        const here = new Set<number>();
        for (const { start, length } of pieces) {
          const from = start % (assembly.length + 1);
          const to = Math.min(from + length, assembly.length);
          const before = here.size;
          for (let offset = from; offset < to; offset++) here.add(offset);
          expect(assembly.place(from, fileBytes(assembly.fileRanges(from, to)))).toBe(here.size - before);
        }
        const reliable = [...here].filter((offset) => offset < map.reliableBytes).length;
        expect(assembly.bytesReliable).toBe(reliable);
        expect(assembly.bytesUnreliable).toBe(here.size - reliable);
        expect(assembly.reliableComplete).toBe(reliable === map.reliableBytes);

        const herePositions = new Set([...here].map((offset) => asked[offset]! - map.range.start));
        expect([...assembly.received()].flatMap(positions)).toEqual([...herePositions].sort((a, b) => a - b));
        expect([...assembly.bytes]).toEqual(
          positions(map.range).map((at) => (herePositions.has(at - map.range.start) ? fileByte(at) : 0)),
        );
        const missing = asked.map((at) => at - map.range.start).filter((at) => !herePositions.has(at));
        expect(assembly.missing(0, assembly.length).flatMap(positions)).toEqual(missing);
      }),
    );
  });

  it('takes bytes by their position in the file, too, whatever else lies around them', () => {
    fc.assert(
      fc.property(anyRequest, fc.nat(), fc.nat(200), ({ map, unreliableBytes }, at, length) => {
        const { start, end } = map.range;
        const [one, other] = [new SegmentAssembly(map, unreliableBytes), new SegmentAssembly(map, unreliableBytes)];
        const from = Math.max(0, start - 20 + (at % (end - start + 20)));
        const range = { start: from, end: from + length };
        one.placeFromFile(from, fileBytes([range]));
        for (const place of other.locate(range))
          other.place(place.start, fileBytes(other.fileRanges(place.start, place.end)));
        expect(one.bytes).toEqual(other.bytes);
        expect([...one.received()]).toEqual([...other.received()]);
      }),
    );
  });

  it('delivers reliable ranges in file order, then the unreliable ones in theirs', () => {
    const map = segmentOf(100, [4, 10, 4, 10]);
    expect(new SegmentAssembly(map, 15).fileRanges(0, 23)).toEqual([
      { start: 100, end: 104 },
      { start: 114, end: 118 },
      { start: 118, end: 128 },
      { start: 104, end: 109 },
    ]);
  });

  it('takes no memory for a size that only a manifest speaks of', () => {
    const range = { start: 0, end: 2 ** 28 };
    const before = process.memoryUsage().arrayBuffers;
    const assembly = new SegmentAssembly({ range, reliable: [range], reliableBytes: range.end, unreliable: [] }, 0);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
    expect(assembly.bytes.length).toBe(range.end);
  });

  it('refuses bytes beyond what was asked for, and a prefix longer than there is', () => {
    const map = segmentOf(0, [4, 10]);
    const assembly = new SegmentAssembly(map, 5);
    expect(() => assembly.place(8, new Uint8Array(2))).toThrow(RangeError);
    expect(assembly.received().size).toBe(0);
    expect(() => new SegmentAssembly(map, 11)).toThrow(RangeError);
  });
});
