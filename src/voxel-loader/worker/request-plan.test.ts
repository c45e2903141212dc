import { describe, expect, it } from 'vitest';
import { totalBytes } from '../../manifest/byte-range.js';
import { positions, segmentOf } from '../../../test/unit/segment-content.js';
import { SegmentAssembly } from './assembly.js';
import { AssemblyPart } from './assembly-part.js';
import { formatRange } from '../../manifest/byte-range.js';
import { MAX_RANGE_FIELD_BYTES, MAX_RANGES, planRequests, planStreams } from './request-plan.js';

describe('planRequests', () => {
  const map = segmentOf(0, [4, 10, 4, 10]);

  it('asks for reliable bytes on a stream and for the prefix as datagrams', () => {
    expect(planRequests(new SegmentAssembly(map, 10), 'datagrams')).toEqual([
      { places: [{ start: 0, end: 8 }], delivery: 'stream' },
      { places: [{ start: 8, end: 18 }], delivery: 'datagrams' },
    ]);
  });

  it('asks for no datagrams when no unreliable byte is wanted', () => {
    expect(planRequests(new SegmentAssembly(map, 0), 'datagrams')).toEqual([
      { places: [{ start: 0, end: 8 }], delivery: 'stream' },
    ]);
  });

  it('asks for all in one request, reliable bytes first, when all is to come reliably', () => {
    expect(planRequests(new SegmentAssembly(map, 10), 'streams')).toEqual([
      { places: [{ start: 0, end: 18 }], delivery: 'stream' },
    ]);
  });

  it.each([
    ['too many ranges', 0, MAX_RANGES * 2 + 100],
    ['too long a head', 2 ** 40, 6000],
  ])('divides %s into requests within the limits, in order', (_what, base, places) => {
    const many = segmentOf(
      base,
      Array.from({ length: places }, () => 2),
    );
    const assembly = new SegmentAssembly(many, totalBytes(many.unreliable));
    const requests = planRequests(assembly, 'streams');
    expect(requests.length).toBeGreaterThan(1);
    for (const { places } of requests) {
      const ranges = new AssemblyPart(assembly, places).fileRanges();
      expect(ranges.length).toBeLessThanOrEqual(MAX_RANGES);
      expect(ranges.map(formatRange).join().length).toBeLessThanOrEqual(MAX_RANGE_FIELD_BYTES);
    }
    const asked = requests.flatMap(({ places }) => new AssemblyPart(assembly, places).fileRanges());
    expect(asked).toEqual(assembly.fileRanges(0, assembly.length));
  });

  it('cuts ranges of datagrams that are too long, each into equal parts', () => {
    const assembly = new SegmentAssembly(segmentOf(0, [4, 10, 4, 7]), 17);
    const [reliable, unreliable] = planRequests(assembly, 'datagrams', 5);
    expect(reliable).toEqual({ places: [{ start: 0, end: 8 }], delivery: 'stream' });
    const ranges = new AssemblyPart(assembly, unreliable!.places, 5).fileRanges();
    expect(ranges.map(({ start, end }) => end - start)).toEqual([4, 3, 5, 5]);
    expect(ranges.flatMap(positions)).toEqual(assembly.fileRanges(8, 25).flatMap(positions));
  });

  it('asks for any places in their order, each byte once', () => {
    const assembly = new SegmentAssembly(map, 20);
    const places = [
      { start: 20, end: 24 },
      { start: 3, end: 9 },
    ];
    expect(planStreams(assembly, places)).toEqual([{ places, delivery: 'stream' }]);
    expect(planStreams(assembly, [])).toEqual([]);
  });
});
