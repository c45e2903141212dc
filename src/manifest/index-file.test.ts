import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, indexVectors } from '../../test/unit/index-vectors.js';
import { indexOf } from '../../test/unit/index-writer.js';
import type { ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { IndexFile } from './index-file.js';

const video = bytesOf(indexVectors.good.find(({ name }) => name === 'like a video')!.index);
/** The first entry of that index. */
const entry = video.slice(...bounds(video).slice(0, 2));

/** Where its entries start and end. */
function bounds(index: Uint8Array): number[] {
  const file = new IndexFile('ssim');
  file.add({ start: 0, end: index.length }, index);
  return Array.from({ length: file.segmentCount + 1 }, (_, number) => index.length - file.bytesFrom(number));
}

/** An index of so many segments, larger than one request takes. */
function longIndex(segments: number): Uint8Array {
  return indexOf(Array.from({ length: segments }, () => entry));
}

/** What a server answers. */
function sent(index: Uint8Array, { start, end }: ByteRange): Uint8Array {
  return index.subarray(start, end);
}

/** Fetches until nothing is missing; returns the ranges. */
function fetchAll(file: IndexFile, index: Uint8Array, first: number, end: number): ByteRange[] {
  const ranges: ByteRange[] = [];
  for (let range = file.missing(first, end); range; range = file.missing(first, end)) {
    ranges.push(range);
    file.add(range, sent(index, range));
  }
  return ranges;
}

describe('IndexFile', () => {
  it('takes a short video in one request', () => {
    const file = new IndexFile('ssim');
    expect(file.has(0)).toBe(false);
    expect(fetchAll(file, video, 0, 8)).toHaveLength(1);
    expect(file.segmentCount).toBe(3);
    expect([0, 1, 2].map((number) => file.segment(number)!.range.start)).toEqual([757, 60_757, 120_757]);
    expect(file.has(3)).toBe(true);
    expect(file.segment(3)).toBeUndefined();
  });

  it('takes of a long one the segments asked for, and no byte twice', () => {
    const file = new IndexFile('ssim');
    const index = longIndex(500);
    const [first, ...more] = fetchAll(file, index, 200, 210);
    expect(first!.start).toBe(0);
    expect(more).toHaveLength(1);
    expect(more[0]!.end - more[0]!.start).toBe(10 * entry.length);
    expect([199, 200, 209, 210].map((number) => file.has(number))).toEqual([false, true, true, false]);
    expect(fetchAll(file, index, 205, 215)).toEqual([{ start: more[0]!.end, end: more[0]!.end + 5 * entry.length }]);
    expect(file.segment(214)).toBeDefined();
    expect(file.missing(214, 215)).toBeUndefined();
  });

  it('asks again for a table that is longer than the first request', () => {
    const file = new IndexFile('ssim');
    const index = indexOf(Array.from({ length: 30_000 }, () => new Uint8Array(1)));
    const [first, second] = fetchAll(file, index, 0, 1);
    expect(second).toMatchObject({ start: 0 });
    expect(second!.end).toBeGreaterThan(first!.end);
    expect(file.segmentCount).toBe(30_000);
  });

  it('refuses a head that is longer each time it is asked for', () => {
    const file = new IndexFile('ssim');
    const index = indexOf(Array.from({ length: 30_000 }, () => new Uint8Array(1)));
    const grown = (range: ByteRange): Uint8Array => {
      const bytes = index.slice(0, range.end);
      new DataView(bytes.buffer).setUint32(12, range.end + 1);
      return bytes;
    };
    const [first, second] = [file.missing(0, 1)!, { start: 0, end: 8193 }];
    file.add(first, grown(first));
    expect(file.missing(0, 1)).toEqual(second);
    expect(() => file.add(second, grown(second))).toThrow('the index ends inside its table');
  });

  it('takes a file from a server that knows no ranges', () => {
    const file = new IndexFile('ssim');
    const index = longIndex(100);
    file.add({ start: 0, end: index.length }, index);
    expect(file.missing(0, 100)).toBeUndefined();
  });

  it('says nothing of a segment without an entry', () => {
    const file = new IndexFile('ssim');
    const index = indexOf([new Uint8Array(), entry]);
    file.add({ start: 0, end: 8192 }, index);
    expect(file.has(0)).toBe(true);
    expect(file.segment(0)).toBeUndefined();
    expect(file.segment(1)).toBeDefined();
  });

  it('throws for a bad entry only when that segment is asked for', () => {
    const file = new IndexFile('ssim');
    file.add({ start: 0, end: 8192 }, indexOf([entry, new Uint8Array(40)]));
    expect(file.segment(0)).toBeDefined();
    expect(() => file.segment(1)).toThrow(ManifestError);
  });

  it('refuses scores in another metric than the manifest says', () => {
    const file = new IndexFile('vmaf');
    expect(() => file.add({ start: 0, end: 8192 }, video)).toThrow(/ssim scores, the manifest vmaf/);
  });

  it.each(indexVectors.bad)('refuses what is no index: $name', ({ index }) => {
    const file = new IndexFile('ssim');
    expect(() => {
      fetchAll(file, bytesOf(index), 0, 3);
      file.segment(0);
    }).toThrow(ManifestError);
  });

  it('refuses garbage, or reads nothing but what holds: it never fetches without end', () => {
    const head = video.subarray(0, 12);
    const garbage = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(
        fc.oneof(
          garbage,
          garbage.map((bytes) => Uint8Array.from([...head, 0, 0, 0, 20, ...bytes])),
        ),
        (bytes) => {
          const file = new IndexFile('ssim');
          try {
            expect(fetchAll(file, bytes, 0, 5).length).toBeLessThan(8);
          } catch (error) {
            if (!(error instanceof ManifestError)) throw error;
          }
        },
      ),
    );
  });

  it('refuses a table of few bytes for many segments', () => {
    const head = Uint8Array.from([...video.subarray(0, 8), 0, 2, 0, 0, 0, 0, 0, 18, 0xff, 0x80]);
    expect(() => {
      new IndexFile('ssim').add({ start: 0, end: head.length }, head);
    }).toThrow('the index has a bad head');
  });

  it('refuses a whole file that ends before the entries that were asked for', () => {
    const cut = indexOf([entry, entry, entry]).subarray(0, -1);
    const file = new IndexFile('ssim');
    file.add({ start: 0, end: cut.length }, cut);
    expect(file.has(1)).toBe(true);
    expect(file.missing(2, 3)).toBeDefined();
    expect(() => file.add({ start: 0, end: cut.length }, cut)).toThrow(/ends inside/);
  });

  it('refuses an index that ends inside an entry, also behind one of no bytes', () => {
    const nothing = new Uint8Array();
    expect(() => fetchAll(new IndexFile('ssim'), indexOf([nothing, entry]).subarray(0, -1), 0, 8)).toThrow(
      /ends inside/,
    );
    const file = new IndexFile('ssim');
    expect(() => fetchAll(file, video.subarray(0, -1), 0, 8)).toThrow(/ends inside/);
  });
});
