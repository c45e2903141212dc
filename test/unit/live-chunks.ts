import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import { concatenate } from '../../src/concatenate.js';
import type { LiveChunk } from '../../src/manifest/live-chunk.js';
import { encodeVarint } from '../../src/manifest/varint.js';

/** Of the records of these tests. */
const DECIMALS = 5;
const TIMESCALE = 1000;

export const HEAD = Uint8Array.of(
  0x56,
  0x58,
  0x4c,
  0x56,
  1,
  0,
  DECIMALS,
  0,
  0,
  0,
  TIMESCALE >> 8,
  TIMESCALE & 255,
  0,
  0,
  0,
  0,
);

/** A chunk of pieces of these lengths, by turns reliable and frames; the last frame is the most important. */
export interface ChunkPlan {
  readonly lengths: readonly number[];
  /** Milliseconds. */
  readonly decodeTime: number;
  readonly duration: number;
}

/** The content of a chunk's record, from the byte `start` of the segment on. */
export function chunkContent({ lengths, decodeTime, duration }: ChunkPlan, start: number): Uint8Array {
  let at = start;
  const ranges = lengths.map((length) => ({ start: at, end: (at += length) }));
  const reliable = ranges.filter((_, index) => index % 2 === 0);
  const frames = ranges.filter((_, index) => index % 2 === 1).reverse();
  let last = start;
  const gaps = reliable.flatMap((range) => {
    const gap = range.start - last;
    last = range.end;
    return [gap, range.end - range.start];
  });
  const described = frames.flatMap((range, index) => [index + 1, 1, range.start - start, range.end - range.start, 100]);
  const scores = [95_000, 60_000];
  const numbers = [start, at - start, decodeTime, duration, 1_795_000_000_000, ...scores, reliable.length, ...gaps];
  return concatenate([...numbers, frames.length, ...described].map(encodeVarint));
}

/** `varint type | varint length | content` */
export function record(type: number, content: Uint8Array): Uint8Array {
  return concatenate([encodeVarint(type), encodeVarint(content.length), content]);
}

export const numbers = (...values: readonly number[]): Uint8Array => concatenate(values.map(encodeVarint));

/** Where each byte of the chunks' frames is in the file, in the order in which offsets count. */
export function framesOf(chunks: readonly LiveChunk[]): ByteRange[] {
  return chunks.flatMap(({ unreliable }) => unreliable);
}

/** Bytes of all chunks' frames before each chunk, and after the last. */
export function frameOffsets(chunks: readonly LiveChunk[]): number[] {
  const offsets = [0];
  for (const { unreliable } of chunks) offsets.push(offsets.at(-1)! + totalBytes(unreliable));
  return offsets;
}
