import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concatenate } from '../../../src/concatenate.js';
import { ChunkSplitter } from './chunk-splitter.js';

function box(type: string, bytes: number): Uint8Array {
  const all = new Uint8Array(8 + bytes).fill(bytes % 251);
  new DataView(all.buffer).setUint32(0, all.length);
  all.set(new TextEncoder().encode(type), 4);
  return all;
}

const anyChunk = fc
  .tuple(fc.nat(20), fc.nat(40), fc.nat(300))
  .map(([prft, moof, mdat]) => concatenate([box('prft', prft), box('moof', moof), box('mdat', mdat)]));

test('in pieces of any size the rest of a segment comes chunk by chunk', () => {
  const scene = fc.record({
    chunks: fc.array(anyChunk, { minLength: 1, maxLength: 5 }),
    skipped: fc.nat(4),
    size: fc.integer({ min: 1, max: 400 }),
    tail: fc.nat(7),
  });
  fc.assert(
    fc.property(scene, ({ chunks, skipped, size, tail }) => {
      const before = chunks.slice(0, skipped);
      const splitter = new ChunkSplitter(concatenate(before).length);
      const all = concatenate([...chunks, new Uint8Array(tail)]);
      const given: Uint8Array[] = [];
      for (let at = 0; at < all.length; at += size) given.push(...splitter.push(all.subarray(at, at + size)));
      expect(given.map((bytes) => [...bytes])).toEqual(chunks.slice(before.length).map((bytes) => [...bytes]));
      expect(splitter.end().length).toBe(tail);
    }),
    { numRuns: 50 },
  );
});

test.each([0, 7, 2 ** 31])('a box of %i bytes is refused', (length) => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, length);
  expect(() => new ChunkSplitter(0).push(bytes)).toThrow(RangeError);
});
