import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VoxelError } from '../../errors.js';
import { ChunkAssembly } from './chunk-assembly.js';
import { FollowParser, type FollowEvent } from './follow-parser.js';

interface VectorRecord {
  readonly type: number;
  readonly start?: number;
  readonly length?: number;
  readonly payload?: string;
  readonly offset?: number;
  readonly chunk?: number;
  readonly bytes?: number;
  readonly datagrams?: number;
  readonly rtt?: number;
  readonly window?: number;
}

const vectors = JSON.parse(readFileSync(new URL('../../../../test/vectors/follow.json', import.meta.url), 'utf8')) as {
  readonly media: string;
  readonly bodies: readonly {
    readonly name: string;
    readonly bytes: string;
    readonly records: readonly VectorRecord[];
  }[];
  readonly malformed: readonly { readonly name: string; readonly bytes: string }[];
};

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An event as the vectors write it. */
function described(event: FollowEvent): VectorRecord {
  switch (event.type) {
    case 'chunk': {
      const { start, end } = event.chunk.range;
      return { type: 1, start, length: end - start };
    }
    case 'end':
      return { type: 2 };
    case 'reliable':
      return { type: 16, payload: hexOf(event.bytes) };
    case 'sent': {
      const { chunk, bytes, datagrams, roundTrip = 0, window } = event.report;
      return { type: 17, chunk, bytes, datagrams, rtt: roundTrip, window };
    }
    case 'frames':
      return { type: 18, offset: event.offset, payload: hexOf(event.bytes) };
  }
}

/** Only what events say. */
function expected({ type, start, length, ...rest }: VectorRecord): VectorRecord[] {
  if (type === 1) return [{ type, start: start!, length: length! }];
  if (type === 2) return [{ type }];
  return type < 16 ? [] : [{ type, ...rest }];
}

describe.each(vectors.bodies)('a body: $name', ({ bytes: hex, records }) => {
  const bytes = bytesOf(hex);
  const hasEnd = records.some(({ type }) => type === 2);

  test('in pieces of any size it says what the vector says', () => {
    for (const size of [1, 7, 50, bytes.length]) {
      const parser = new FollowParser();
      const events: VectorRecord[] = [];
      for (let at = 0; at < bytes.length; at += size)
        events.push(...parser.push(bytes.subarray(at, at + size)).map(described));
      expect(events).toEqual(records.flatMap(expected));
      if (hasEnd) parser.end();
      else expect(() => parser.end()).toThrow(expect.objectContaining({ code: 'incomplete' }));
    }
  });

  test('reliable bytes and frames on the stream come to their places in the file', () => {
    const media = bytesOf(vectors.media);
    const assembly = new ChunkAssembly();
    const chunks = [];
    for (const event of new FollowParser().push(bytes)) {
      if (event.type === 'chunk') chunks.push(assembly.add(event.chunk));
      else if (event.type === 'reliable') assembly.addReliable(event.bytes);
      else if (event.type === 'frames') assembly.addFrames(event.offset, event.bytes);
      else if (event.type === 'sent') assembly.close(event.report);
    }
    expect(chunks.length).toBeGreaterThan(0);
    for (const { chunk, assembly } of chunks) {
      expect(assembly.reliableComplete).toBe(true);
      for (const { start, end } of assembly.received()) {
        const from = chunk.range.start;
        expect(hexOf(assembly.bytes.subarray(start, end))).toBe(hexOf(media.subarray(from + start, from + end)));
      }
    }
  });
});

test.each(vectors.malformed)('refused: $name', ({ bytes }) => {
  expect(() => new FollowParser().push(bytesOf(bytes))).toThrow(expect.objectContaining({ code: 'bad-response' }));
});

test.each([
  ['a report of four numbers', '110400000000'],
  ['frames without an offset', '1200'],
])('refused: %s', (_, hex) => {
  const head = vectors.bodies[0]!.bytes.slice(0, 32);
  expect(() => new FollowParser().push(bytesOf(head + hex))).toThrow(expect.objectContaining({ code: 'bad-response' }));
});

test('whatever a server sends, nothing but a VoxelError is thrown', () => {
  const body = bytesOf(vectors.bodies[2]!.bytes);
  const damaged = fc
    .array(fc.tuple(fc.nat(body.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 })
    .map((places) => {
      const bytes = body.slice();
      for (const [at, byte] of places) bytes[at] = byte;
      return bytes;
    });
  fc.assert(
    fc.property(damaged, (bytes) => {
      const assembly = new ChunkAssembly();
      try {
        for (const event of new FollowParser().push(bytes)) {
          if (event.type === 'chunk') assembly.add(event.chunk);
          else if (event.type === 'reliable') assembly.addReliable(event.bytes);
          else if (event.type === 'frames') assembly.addFrames(event.offset, event.bytes);
          else if (event.type === 'sent') assembly.close(event.report);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(VoxelError);
      }
    }),
  );
});
