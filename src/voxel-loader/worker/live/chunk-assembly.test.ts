import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalBytes } from '../../../manifest/byte-range.js';
import type { LiveChunk } from '../../../manifest/live-chunk.js';
import { LiveRecordReader } from '../../../manifest/live-records.js';
import {
  chunkContent,
  frameOffsets,
  framesOf,
  HEAD,
  record,
  type ChunkPlan,
} from '../../../../test/unit/live-chunks.js';
import { fileByte, fileBytes, positions } from '../../../../test/unit/segment-content.js';
import { ChunkAssembly, MAX_EARLY_BYTES } from './chunk-assembly.js';

function chunksOf(plans: readonly (readonly number[])[]): LiveChunk[] {
  const reader = new LiveRecordReader();
  reader.push(HEAD);
  let start = 0;
  return plans.flatMap((lengths, index) => {
    const plan: ChunkPlan = { lengths, decodeTime: 100 * index, duration: 100 };
    const records = reader.push(record(1, chunkContent(plan, start)));
    start += lengths.reduce((sum, length) => sum + length, 0);
    return records.flatMap((one) => (one.type === 'chunk' ? [one.chunk] : []));
  });
}

const anyPlan = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 9 });

test('whatever order datagrams come in, lost and doubled ones among them, every byte is at its place', () => {
  const scene = fc.array(anyPlan, { minLength: 1, maxLength: 4 }).chain((plans) => {
    const chunks = chunksOf(plans);
    const frames = framesOf(chunks);
    let at = 0;
    const datagrams = frames.map((range) => {
      const offset = at;
      at += range.end - range.start;
      return { offset, range };
    });
    const sent = datagrams.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...datagrams));
    return fc.record({ chunks: fc.constant(chunks), early: sent, late: sent });
  });
  fc.assert(
    fc.property(scene, ({ chunks, early, late }) => {
      const assembly = new ChunkAssembly();
      for (const { offset, range } of early) expect(assembly.addFrames(offset, fileBytes([range]))).toBeUndefined();
      const open = chunks.map((chunk) => {
        const added = assembly.add(chunk);
        assembly.addReliable(fileBytes(chunk.reliable));
        expect(added.assembly.bytesReliable).toBe(chunk.reliableBytes);
        return added;
      });
      for (const { offset, range } of late) assembly.addFrames(offset, fileBytes([range]));
      const here = new Set([...early, ...late].flatMap(({ range }) => positions(range)));
      for (const { chunk, assembly } of open) {
        const wanted = new Set(chunk.reliable.flatMap(positions));
        for (const position of positions(chunk.range)) {
          const isHere = wanted.has(position) || here.has(position);
          const at = position - chunk.range.start;
          expect(assembly.bytes[at]).toBe(isHere ? fileByte(position) : 0);
          expect(assembly.received().contains(at, at + 1)).toBe(isHere);
        }
      }
    }),
    { numRuns: 50 },
  );
});

describe('a datagram is ignored', () => {
  const chunks = chunksOf([
    [5, 10, 5],
    [5, 20],
  ]);
  const opened = () => {
    const assembly = new ChunkAssembly();
    return {
      assembly,
      open: chunks.map((chunk) => {
        const added = assembly.add(chunk);
        assembly.addReliable(fileBytes(chunk.reliable));
        return added;
      }),
    };
  };

  test('that reaches into the next chunk', () => {
    const { assembly, open } = opened();
    expect(assembly.addFrames(8, new Uint8Array(4))).toBeUndefined();
    expect(open[0]!.assembly.bytesUnreliable + open[1]!.assembly.bytesUnreliable).toBe(0);
  });

  test('whose chunk was handed over', () => {
    const { assembly, open } = opened();
    assembly.release(open[0]!);
    expect(assembly.addFrames(0, new Uint8Array(4))).toBeUndefined();
    expect(assembly.addFrames(10, new Uint8Array(4))).toBe(open[1]);
    expect(open[1]!.assembly.bytesUnreliable).toBe(4);
  });

  test('that comes before its record once 256 KiB wait already', () => {
    const [small, large] = chunksOf([
      [1, 10],
      [1, MAX_EARLY_BYTES],
    ]);
    const assembly = new ChunkAssembly();
    assembly.addFrames(10, new Uint8Array(MAX_EARLY_BYTES - 10).fill(1));
    assembly.addFrames(0, new Uint8Array(10).fill(2));
    assembly.addFrames(MAX_EARLY_BYTES, new Uint8Array(10).fill(3));
    expect(assembly.add(small!).assembly.bytesUnreliable).toBe(10);
    assembly.addReliable(fileBytes(small!.reliable));
    expect(assembly.add(large!).assembly.bytesUnreliable).toBe(MAX_EARLY_BYTES - 10);
  });
});

test('a place of the concatenation belongs to the chunk whose frames are there', () => {
  const chunks = chunksOf([[5, 10], [5], [5, 20, 1]]);
  const assembly = new ChunkAssembly();
  const open = chunks.map((chunk) => {
    const added = assembly.add(chunk);
    assembly.addReliable(fileBytes(chunk.reliable));
    return added;
  });
  expect(frameOffsets(chunks)).toEqual([0, 10, 10, 30]);
  expect([0, 9, 10, 29, 30].map((offset) => assembly.chunkAt(offset)?.number)).toEqual([0, 0, 2, 2, undefined]);
  expect(open[1]!.assembly.length).toBe(totalBytes(chunks[1]!.reliable));
});

describe('a server that contradicts itself is refused', () => {
  const [first, second] = chunksOf([
    [5, 10],
    [5, 20],
  ]);
  const begun = () => {
    const assembly = new ChunkAssembly();
    assembly.add(first!);
    return assembly;
  };
  const refusal = expect.objectContaining({ code: 'bad-response' }) as Error;

  test.each<[string, (assembly: ChunkAssembly) => void]>([
    ['another chunk before the reliable bytes of this one', (assembly) => assembly.add(second!)],
    ['more reliable bytes than there are', (assembly) => assembly.addReliable(new Uint8Array(6))],
    ['a report of more bytes than a chunk has', (assembly) => assembly.close({ chunk: 0, bytes: 11 })],
    ['a report of a chunk that is not known', (assembly) => assembly.close({ chunk: 1, bytes: 0 })],
    [
      'two reports of a chunk',
      (assembly) => {
        assembly.close({ chunk: 0, bytes: 10 });
        assembly.close({ chunk: 0, bytes: 10 });
      },
    ],
  ])('%s', (_, act) => {
    expect(() => act(begun())).toThrow(refusal);
  });

  test('reliable bytes of no chunk', () => {
    expect(() => new ChunkAssembly().addReliable(new Uint8Array(1))).toThrow(refusal);
  });
});
