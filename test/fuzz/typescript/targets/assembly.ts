import assert from 'node:assert/strict';
import type { ByteRange } from '../../../../src/manifest/byte-range.js';
import type { SegmentLayout } from '../../../../src/voxel-loader/types.js';
import { SegmentAssembly } from '../../../../src/voxel-loader/worker/assembly.js';
import { InputReader } from '../support/reader.js';
import { target } from '../support/target.js';

const SEGMENT_START = 1000;
/** What a byte of the file at `position` is. */
const content = (position: number): number => 1 + (position % 255);

/** A layout, then pieces of it as they might arrive, late, twice and out of order: the segment has just these bytes, each once. */
export const fuzz = target((bytes) => {
  const reader = new InputReader(bytes);
  const layout = readLayout(reader);
  const order = [...layout.reliable, ...layout.unreliable].flatMap(positions);
  const asked = layout.reliableBytes + (reader.u8() % (order.length - layout.reliableBytes + 1));
  const assembly = new SegmentAssembly(layout, asked - layout.reliableBytes);
  assert.equal(assembly.length, asked);
  const arrived = new Set<number>();
  while (!reader.isAtEnd) {
    const start = reader.u8() % (asked + 1);
    const piece = order.slice(start, start + Math.min(reader.u8(), asked - start));
    const isNew = piece.filter((position) => !arrived.has(position));
    assert.equal(assembly.place(start, Uint8Array.from(piece, content)), isNew.length);
    for (const position of isNew) arrived.add(position);
  }
  const isReliable = order.slice(0, layout.reliableBytes).filter((position) => arrived.has(position));
  assert.equal(assembly.bytesReliable, isReliable.length);
  assert.equal(assembly.bytesUnreliable, arrived.size - isReliable.length);
  assert.equal(assembly.reliableComplete, isReliable.length === layout.reliableBytes);
  const here = [...arrived].sort((a, b) => a - b).map((position) => position - SEGMENT_START);
  assert.deepEqual([...assembly.received()].flatMap(positions), here);
  assert.deepEqual(
    assembly.missing(0, asked).flatMap(positions),
    order
      .slice(0, asked)
      .filter((position) => !arrived.has(position))
      .map((position) => position - SEGMENT_START),
  );
  const expected = positions(layout.range).map((position) => (arrived.has(position) ? content(position) : 0));
  assert.deepEqual([...assembly.bytes], expected);
});

/** Ranges of up to 16 bytes; the highest bit says that a range may be missing, the one below that it comes before the others. */
function readLayout(reader: InputReader): SegmentLayout {
  const reliable: ByteRange[] = [];
  const unreliable: ByteRange[] = [];
  let at = SEGMENT_START;
  for (let left = 1 + (reader.u8() % 32); left > 0; left--) {
    const code = reader.u8();
    const range = { start: at, end: (at += 1 + (code % 16)) };
    if (code < 128) reliable.push(range);
    else if (code & 64) unreliable.unshift(range);
    else unreliable.push(range);
  }
  const reliableBytes = reliable.flatMap(positions).length;
  return { range: { start: SEGMENT_START, end: at }, reliable, unreliable, reliableBytes };
}

function positions({ start, end }: ByteRange): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
