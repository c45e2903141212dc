import assert from 'node:assert/strict';
import { readTrack } from '../../../../src/repair/codecs.js';
import { parseFragments } from '../../../../src/repair/fmp4.js';
import {
  createRepairer,
  RepairError,
  type ChunkState,
  type FrameReport,
  type ReceivedBytes,
  type RepairedSegment,
  type Repairer,
  type RepairPlan,
} from '../../../../src/repair/index.js';
import { punch, receivedExcept, type Gap } from '../../../repair/gaps.js';
import { allow } from '../support/errors.js';
import { InputReader } from '../support/reader.js';
import { target } from '../support/target.js';

/** Bytes that a segment may have for each of the damaged one: every sample gets fields of its own. */
const MOST_GROWTH = 32;
const PIECE_SECONDS = 0.05;

/**
 * An initialization segment behind its length; how many frames; start, end, place of a needed one and whether it is missing of each; a
 * media segment. What is left of it, whole and in pieces, depends on nothing in the gaps, can be read, and grows within bounds.
 */
export const fuzz = target((bytes) => {
  const reader = new InputReader(bytes);
  const init = reader.bytes(reader.u16());
  const planned = Array.from({ length: reader.u8() % 16 }, () => {
    const [start, end, need, isMissing] = [reader.u16(), reader.u16(), reader.u8(), reader.u8() % 2 === 1];
    return { start, end, needs: need === 0 ? [] : [need - 1], isMissing };
  });
  const segment = reader.rest();
  const repairer = allow([RepairError], () => createRepairer(init));
  if (!repairer) return;
  const gaps = planned
    .filter(({ isMissing, start, end }) => isMissing && start < end)
    .map(({ start, end }): Gap => [start, Math.min(end, segment.length)]);
  const plan = { kind: 'remove', frames: planned } as const;
  const received = receivedExcept(gaps);
  const [zeros, ones] = [0, 0xff].map((value) => {
    const damaged = punch(segment, gaps);
    for (const [start, end] of gaps) damaged.fill(value, start, end);
    return {
      whole: outcomeOf(() => {
        const repaired = repairer.repair(damaged, received, plan);
        return repaired.bytes === damaged ? 'same' : repaired;
      }),
      pieces: outcomeOf(() => repairPieces(repairer, damaged, received, plan)),
    };
  }) as [Outcome, Outcome];
  assert.deepEqual(ones, zeros);
  const { whole, pieces } = zeros;
  const samplesIn = (repaired: Uint8Array): number =>
    parseFragments(repaired, undefined, readTrack(init).defaults).flatMap(({ samples }) => samples).length;
  const kept = (frames: readonly FrameReport[]): number => frames.filter(({ removed }) => !removed).length;
  if (typeof whole === 'object') {
    assert.ok(whole.bytes.length <= MOST_GROWTH * segment.length, `${whole.bytes.length} bytes`);
    assert.equal(samplesIn(whole.bytes), kept(whole.frames));
  }
  if (typeof pieces !== 'object') return;
  for (const { bytes, frames } of pieces) {
    assert.ok(bytes.length <= MOST_GROWTH * segment.length, `${bytes.length} bytes in a piece`);
    // A last piece of which nothing is left is the whole segment.
    if (kept(frames) > 0) assert.equal(samplesIn(bytes), kept(frames));
  }
});

interface Outcome {
  readonly whole: RepairedSegment | string;
  readonly pieces: readonly RepairedSegment[] | string;
}

/** What `repair` returns, or the code of its error. */
function outcomeOf<Result>(repair: () => Result): Result | string {
  try {
    return repair();
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    return error.code;
  }
}

function repairPieces(
  repairer: Repairer,
  segment: Uint8Array,
  received: ReceivedBytes,
  plan: RepairPlan,
): RepairedSegment[] {
  let before: ChunkState | undefined;
  return repairer.pieces(segment, received, PIECE_SECONDS).map((piece) => {
    const repaired = repairer.repairPiece(segment, received, piece, plan, before);
    before = repaired.after;
    return repaired;
  });
}
