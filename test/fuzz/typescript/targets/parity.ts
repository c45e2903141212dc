import assert from 'node:assert/strict';
import type { Parity } from '../../../../src/coding/symbols.js';
import { AssemblyPart } from '../../../../src/voxel-loader/worker/assembly-part.js';
import { SegmentAssembly } from '../../../../src/voxel-loader/worker/assembly.js';
import { ParityBlocks } from '../../../../src/voxel-loader/worker/parity-blocks.js';
import { datagramsOf } from '../../../unit/parity-flow.js';
import { InputReader } from '../support/reader.js';
import { target } from '../support/target.js';

/** Reliable bytes before the body, which nothing may touch. */
const RELIABLE = 5;

/** What a byte of the body is: never 0, which is a gap. */
const content = (position: number): number => 1 + ((position * 7) % 255);

/**
 * Ranges and a wish for parity, then datagrams of the flow in any order, losses, and datagrams that no server would send: nothing
 * is written outside, and counts are right; without bad datagrams the bytes are right, too.
 */
export const fuzz = target((bytes) => {
  const reader = new InputReader(bytes);
  const ranges = Array.from({ length: 1 + (reader.u8() % 6) }, () => 1 + reader.u8());
  const parity = readParity(reader);
  const body = Uint8Array.from({ length: ranges.reduce((sum, length) => sum + length, 0) }, (_, at) => content(at));
  const flow = datagramsOf(body, ranges, parity);
  const assembly = assemblyOf(ranges);
  const part = new AssemblyPart(assembly, [{ start: RELIABLE, end: RELIABLE + body.length }]);
  const blocks = new ParityBlocks(part, parity);
  const most = blocks.end - body.length;
  const lost: number[] = [];
  let isHonest = true;
  let placed = 0;
  const take = (offset: number, payload: Uint8Array): void => {
    const place = blocks.placeInOrder(offset, payload.length);
    if (!place) return;
    assert.ok(place.start >= 0 && place.end >= place.start);
    if (offset < body.length) placed += part.place(offset, payload);
    for (const [at, filled] of blocks.fill(offset, payload)) {
      const fresh = part.place(at, filled);
      assert.equal(fresh, filled.length);
      placed += fresh;
    }
  };
  while (!reader.isAtEnd) {
    const code = reader.u8();
    const one = flow[reader.u8() % flow.length]!;
    if (code < 160) {
      take(one.offset, one.payload);
    } else if (code < 200) {
      const start = reader.u16() % (blocks.end + 1);
      for (const gap of blocks.lost([{ start, end: start + reader.u8() }])) {
        for (let at = gap.start; at < gap.end; at++) lost.push(at);
      }
    } else if (code === 255) {
      blocks.close();
    } else {
      isHonest = false;
      take(reader.u16() % (blocks.end + 50), reader.bytes(reader.u8()).slice());
    }
  }
  assert.equal(assembly.bytesUnreliable, placed);
  assert.equal(assembly.bytesReliable, 0);
  assert.deepEqual([...assembly.bytes.subarray(0, RELIABLE)], [0, 0, 0, 0, 0]);
  assert.ok(lost.every((at) => at >= 0 && at < body.length));
  assert.ok(blocks.bytes <= most);
  if (!isHonest) return;
  const missing = new Set(part.missing(0, body.length).flatMap(({ start, end }) => range(start, end)));
  body.forEach((byte, at) => assert.equal(assembly.bytes[RELIABLE + at], missing.has(at) ? 0 : byte));
});

function readParity(reader: InputReader): Parity {
  const amounts = Array.from({ length: 1 + (reader.u8() % 4) }, () => reader.u8() % 6);
  const symbol = reader.u8() % 64;
  return { amounts, block: 1 + (reader.u8() % 20), symbol: symbol === 0 ? undefined : symbol };
}

function assemblyOf(lengths: readonly number[]): SegmentAssembly {
  let at = RELIABLE;
  const unreliable = lengths.map((length) => ({ start: at, end: (at += length) }));
  const reliable = [{ start: 0, end: RELIABLE }];
  return new SegmentAssembly(
    { range: { start: 0, end: at }, reliable, unreliable, reliableBytes: RELIABLE },
    at - RELIABLE,
  );
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
