import assert from 'node:assert/strict';
import { readTrack } from '../../../../src/repair/codecs.js';
import { parseFragments } from '../../../../src/repair/fmp4.js';
import { createRepairer, RepairError } from '../../../../src/repair/index.js';
import { punch, receivedExcept, type Gap } from '../../../repair/gaps.js';
import { allow } from '../support/errors.js';
import { InputReader } from '../support/reader.js';
import { target } from '../support/target.js';

/** Bytes that a segment may have for each of the damaged one: every sample gets fields of its own. */
const MOST_GROWTH = 32;

/**
 * An initialization segment behind its length; how many frames; start, end, place of a needed one and whether it is missing of each; a
 * media segment. What is left of it depends on nothing in the gaps, can be read, and grows within bounds.
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
  const [zeros, ones] = [0, 0xff].map((value) => {
    const damaged = punch(segment, gaps);
    for (const [start, end] of gaps) damaged.fill(value, start, end);
    const plan = { kind: 'remove', frames: planned } as const;
    try {
      const repaired = repairer.repair(damaged, receivedExcept(gaps), plan);
      return repaired.bytes === damaged ? 'same' : repaired;
    } catch (error) {
      if (!(error instanceof RepairError)) throw error;
      return error.code;
    }
  });
  assert.deepEqual(ones, zeros);
  if (typeof zeros !== 'object') return;
  assert.ok(zeros.bytes.length <= MOST_GROWTH * segment.length, `${zeros.bytes.length} bytes`);
  const kept = zeros.frames.filter(({ removed }) => !removed).length;
  const fragments = parseFragments(zeros.bytes, undefined, readTrack(init).defaults);
  assert.equal(fragments.flatMap(({ samples }) => samples).length, kept);
});
