import fc from 'fast-check';
import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';

/** Byte `position` of the media file of these tests: never 0, which is what a gap is. */
export function fileByte(position: number): number {
  return 1 + ((position * 31 + (position >>> 8)) % 255);
}

/** The file's bytes in these ranges, in their order. */
export function fileBytes(ranges: readonly ByteRange[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(ranges.flatMap(positions), fileByte);
}

/** The integers in a range. */
export function positions({ start, end }: ByteRange): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/** A segment of pieces of these lengths, by turns reliable and unreliable; the last unreliable piece is the most important. */
export function segmentOf(base: number, lengths: readonly number[]): SegmentMap {
  let at = base;
  const ranges = lengths.map((length) => ({ start: at, end: (at += length) }));
  const reliable = ranges.filter((_, index) => index % 2 === 0);
  const unreliable = ranges.filter((_, index) => index % 2 === 1).reverse();
  const steps = unreliable.map((_, index) => ({
    score: 0.5 + (index + 1) / (2 * unreliable.length),
    frames: index + 1,
    bytes: totalBytes(unreliable.slice(0, index + 1)),
  }));
  return {
    range: { start: base, end: at },
    reliable,
    unreliable,
    reliableBytes: totalBytes(reliable),
    steps: [{ score: 0.5, frames: 0, bytes: 0 }, ...steps],
  };
}

export const anySegment: fc.Arbitrary<SegmentMap> = fc
  .tuple(fc.nat(5000), fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 16 }))
  .map(([base, lengths]) => segmentOf(base, lengths));

/** A segment whose frames need earlier ones of the order, some of them with measured costs. */
export const anyRemovableSegment: fc.Arbitrary<SegmentMap & Required<Pick<SegmentMap, 'needs'>>> = anySegment.chain(
  (map) =>
    fc
      .record({
        needs: fc.tuple(...map.unreliable.map((_, index) => fc.subarray([...map.unreliable.keys()].slice(0, index)))),
        lossCosts: fc.option(
          fc.tuple(...map.unreliable.map(() => fc.integer({ max: 50, min: 1 }).map((cost) => cost / 1000))),
          {
            nil: undefined,
          },
        ),
      })
      .map(({ needs, lossCosts }) => ({ ...map, needs, ...(lossCosts && { lossCosts }) })),
);

/** A segment and how much of its unreliable part to ask for. */
export const anyRequest = anySegment.chain((map) =>
  fc.record({ map: fc.constant(map), unreliableBytes: fc.nat(totalBytes(map.unreliable)) }),
);
