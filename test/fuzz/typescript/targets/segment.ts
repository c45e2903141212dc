import assert from 'node:assert/strict';
import { initSegment } from '../../../repair/fmp4-builder.js';
import { avcc } from '../../../repair/h264-builder.js';
import { IntervalSet } from '../../../../src/manifest/interval-set.js';
import { parseFragments } from '../../../../src/repair/fmp4.js';
import { createRepairer, RepairError, type Repairer, type RepairedSegment } from '../../../../src/repair/index.js';
import { allow } from '../support/errors.js';
import { InputReader } from '../support/reader.js';
import { target } from '../support/target.js';

/** Bytes that a repaired segment may have for each of the damaged one. */
const MOST_GROWTH = 16;
const INITIALIZATION = Uint8Array.from(initSegment(avcc()));

/**
 * The length of an initialization segment (0: one of ours) and that segment, how many gaps, the place and length of each, a media
 * segment: its repair depends on nothing in the gaps, leaves nothing to repair, and grows within bounds.
 */
export const fuzz = target((bytes) => {
  const reader = new InputReader(bytes);
  const length = reader.u16();
  const repairer = allow([RepairError], () => createRepairer(length === 0 ? INITIALIZATION : reader.bytes(length)));
  const gaps = Array.from({ length: reader.u8() % 16 }, () => [reader.u16(), reader.u16()] as const);
  const segment = reader.rest();
  if (!repairer) return;
  const received = receivedExcept(gaps, segment.length);
  const zeros = repair(repairer, fill(segment, received, 0), received);
  const ones = repair(repairer, fill(segment, received, 0xff), received);
  if (typeof zeros === 'string' || typeof ones === 'string') {
    assert.equal(ones, zeros);
    return;
  }
  assert.deepEqual(ones.frames, zeros.frames);
  assert.ok(zeros.bytes.length <= MOST_GROWTH * segment.length, `${zeros.bytes.length} bytes`);
  let at = 0;
  for (const { start, bytes } of zeros.frames) {
    assert.ok(start >= at && start + bytes <= segment.length);
    at = start + bytes;
  }
  if (zeros.frames.every(({ repairedSlices }) => repairedSlices === 0)) return;
  assert.deepEqual(meaningOf(ones.bytes), meaningOf(zeros.bytes));
  const all = receivedExcept([], zeros.bytes.length);
  const again = repairer.repair(zeros.bytes, all);
  assert.equal(again.bytes, zeros.bytes);
  const facts = ({ frames }: RepairedSegment) => frames.map(({ index, type, slices }) => [index, type, slices]);
  assert.deepEqual(facts(again), facts(zeros));
});

/** All but what an `mdat` has outside of its samples: nobody reads that, and it may be missing. */
function meaningOf(segment: Uint8Array): Uint8Array[] {
  return parseFragments(segment).flatMap(({ start, mdatPayload, samples }) => [
    segment.subarray(start, mdatPayload),
    ...samples.map(({ offset, size }) => segment.subarray(offset, offset + size)),
  ]);
}

/** The code of the error where it is refused. */
function repair(repairer: Repairer, segment: Uint8Array, received: IntervalSet): RepairedSegment | string {
  try {
    return repairer.repair(segment, received);
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    return error.code;
  }
}

function receivedExcept(gaps: readonly (readonly [start: number, length: number])[], length: number): IntervalSet {
  const missing = new IntervalSet();
  for (const [start, size] of gaps) missing.add(Math.min(start, length), Math.min(start + size, length));
  const received = new IntervalSet();
  for (const { start, end } of missing.gaps(0, length)) received.add(start, end);
  return received;
}

function fill(segment: Uint8Array, received: IntervalSet, value: number): Uint8Array {
  const filled = segment.slice();
  for (const { start, end } of received.gaps(0, segment.length)) filled.fill(value, start, end);
  return filled;
}
