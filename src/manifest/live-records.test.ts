import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManifestError } from './errors.js';
import { LiveRecordReader, type LiveRecord } from './live-records.js';
import { estimateScore } from './score-estimate.js';

type Pair = readonly [start: number, end: number];

interface Chunk {
  readonly range: Pair;
  readonly decodeTime: number;
  readonly duration: number;
  readonly captured: number;
  readonly wholeScore: number;
  readonly reliableScore: number;
  readonly reliable: readonly Pair[];
  readonly frames: readonly { readonly index: number; readonly ranges: readonly Pair[]; readonly cost: number }[];
}

interface Good {
  readonly name: string;
  readonly bytes: string;
  readonly completeBytes: number;
  readonly head: { readonly metric: string; readonly decimals: number; readonly timescale: number } | null;
  readonly length: number | null;
  readonly chunks: readonly Chunk[];
}

const vectors = JSON.parse(readFileSync(new URL('../../test/vectors/live-records.json', import.meta.url), 'utf8')) as {
  readonly good: readonly Good[];
  readonly bad: readonly { readonly name: string; readonly bytes: string }[];
};

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const range = ([start, end]: Pair) => ({ start, end });

/** The records that the reader gives; views are copied. */
function readAll(reader: LiveRecordReader, pieces: readonly Uint8Array[]): LiveRecord[] {
  return pieces.flatMap((piece) =>
    reader
      .push(piece)
      .map((record) => (record.type === 'other' ? { ...record, content: record.content.slice() } : record)),
  );
}

/** The bytes, cut at these shares of them. */
function cut(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = [0, ...shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe.each(vectors.good)('records: $name', ({ bytes: hex, head, length, chunks, completeBytes }) => {
  const bytes = bytesOf(hex);

  test('they say what the vector says', () => {
    const reader = new LiveRecordReader();
    const records = reader.push(bytes);
    expect(reader.head ?? null).toEqual(head);
    expect(reader.hasEnd).toBe(length !== null);
    expect(reader.isWithinRecord).toBe(completeBytes < bytes.length);
    expect(records.flatMap((record) => (record.type === 'end' ? record.bytes : []))).toEqual(
      length === null ? [] : [length],
    );
    const read = records.flatMap((record) => (record.type === 'chunk' ? record.chunk : []));
    expect(read).toHaveLength(chunks.length);
    for (const [index, chunk] of chunks.entries()) {
      const unit = 10 ** head!.decimals;
      expect(read[index]).toMatchObject({
        range: range(chunk.range),
        startTime: chunk.decodeTime / head!.timescale,
        duration: chunk.duration / head!.timescale,
        capturedAt: chunk.captured,
        reliable: chunk.reliable.map(range),
        unreliable: chunk.frames.flatMap(({ ranges }) => ranges.map(range)),
        frames: chunk.frames.map(({ index, ranges, cost }) => ({
          index,
          ranges: ranges.map(range),
          cost: cost / unit,
        })),
      });
      expect(estimateScore(read[index]!, () => true)).toBe(chunk.wholeScore / unit);
      if (chunk.frames.length > 0)
        expect(read[index]!.steps[0]).toEqual({ score: chunk.reliableScore / unit, frames: 0, bytes: 0 });
    }
  });

  test('in pieces of any size they say the same', () => {
    const whole = readAll(new LiveRecordReader(), [bytes]);
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(share), (shares) => {
        expect(readAll(new LiveRecordReader(), cut(bytes, shares))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(readAll(new LiveRecordReader(), single)).toEqual(whole);
  });
});

describe('what no file of records holds is refused', () => {
  test.each(vectors.bad)('$name', ({ bytes }) => {
    expect(() => new LiveRecordReader().push(bytesOf(bytes))).toThrow(ManifestError);
    const reader = new LiveRecordReader();
    expect(() =>
      readAll(
        reader,
        [...bytesOf(bytes)].map((byte) => Uint8Array.of(byte)),
      ),
    ).toThrow(ManifestError);
  });

  test('whatever the bytes are, nothing else is thrown', () => {
    const [good] = vectors.good.filter(({ name }) => name === 'unknown types');
    const damaged = fc.tuple(fc.nat(bytesOf(good!.bytes).length - 1), fc.nat(255)).map(([at, byte]) => {
      const bytes = bytesOf(good!.bytes);
      bytes[at] = byte;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), damaged), (bytes) => {
        try {
          new LiveRecordReader().push(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(ManifestError);
        }
      }),
    );
  });
});
