import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { punch, receivedExcept, type Gap } from '../../test/repair/gaps.js';
import { bytesOf, type RemovalVector } from '../../test/repair/removal-vectors.js';
import { readTrack } from './codecs.js';
import { parseFragments } from './fmp4.js';
import { createRepairer, type ChunkState, type RepairPlan } from './index.js';

const VECTORS = (
  JSON.parse(readFileSync(new URL('../../test/vectors/removal.json', import.meta.url), 'utf8')) as RemovalVector[]
).filter(({ error }) => !error);
/** Duration of a sample of random segments: ticks, of which a second has 15 360. */
const TICKS = 512;
const SAMPLE_SECONDS = TICKS / 15_360;

/** A sample with when it is decoded and shown. */
interface TimedSample {
  readonly data: string;
  readonly decoded: number;
  readonly shown: number;
  readonly duration: number;
}

function samplesOf(init: Uint8Array, segment: Uint8Array): TimedSample[] {
  if (!Buffer.from(segment).includes('moof')) return [];
  return parseFragments(segment, undefined, readTrack(init).defaults).flatMap(({ decodeTime, samples }) => {
    let time = decodeTime!;
    return samples.map(({ offset, size, duration, compositionOffset }) => {
      const decoded = time;
      time += duration;
      const data = Buffer.from(segment.subarray(offset, offset + size)).toString('hex');
      return { data, decoded, duration, shown: decoded + compositionOffset };
    });
  });
}

/** Every piece of a segment, repaired one after the other. */
function repairPieces(init: Uint8Array, segment: Uint8Array, gaps: readonly Gap[], seconds: number, plan?: RepairPlan) {
  const repairer = createRepairer(init);
  const received = receivedExcept(gaps);
  let after: ChunkState | undefined;
  return repairer.pieces(segment, received, seconds).map((piece) => {
    const repaired = repairer.repairPiece(punch(segment, gaps), received, piece, plan, after);
    after = repaired.after;
    return { piece, ...repaired, samples: samplesOf(init, repaired.bytes) };
  });
}

/** A vector, which of the frames of its plan are missing, alone, and how long pieces are to be. */
const damaged = fc.constantFrom(...VECTORS).chain((vector) =>
  fc.tuple(
    fc.constant(vector),
    fc.subarray(vector.plan as RemovalVector['plan'][number][]),
    fc.integer({ min: 1, max: 12 }).map((count) => count * SAMPLE_SECONDS),
  ),
);

describe('pieces', () => {
  it('hold every sample of the segment as it is, and every picture of one is shown before the next', () => {
    fc.assert(
      fc.property(damaged, ([vector, , seconds]) => {
        const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
        const pieces = repairPieces(init, segment, [], seconds);
        expect(pieces.flatMap(({ samples }) => samples)).toEqual(samplesOf(init, segment));
        expect(pieces.map(({ piece }) => piece.isLast)).toEqual(pieces.map((_, index) => index === pieces.length - 1));
      }),
    );
  });

  it('show what the whole segment shows once repaired, at the same times, and decoding never stops', () => {
    fc.assert(
      fc.property(damaged, ([vector, frames, seconds]) => {
        const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
        const gaps = frames.map(({ start, end }) => [start, end] as const);
        const plan = { kind: 'remove', frames: vector.plan } as const;
        const whole = createRepairer(init).repair(punch(segment, gaps), receivedExcept(gaps), plan);
        const pieces = repairPieces(init, segment, gaps, seconds, plan);
        expect(pieces.flatMap(({ frames }) => frames)).toEqual(whole.frames);
        const isEmptied = pieces.at(-1)!.frames.every(({ removed }) => removed);
        const shown = ({ shown, data }: TimedSample) => [shown, data];
        const expected = samplesOf(init, whole.bytes);
        if (isEmptied) expect(pieces.at(-1)!.samples).toEqual(expected);
        const appended = isEmptied ? pieces.slice(0, -1) : pieces;
        expect(appended.flatMap(({ samples }) => samples.map(shown))).toEqual(expected.map(shown));
        let decoded = expected[0]!.decoded;
        for (const { samples, after, piece } of appended) {
          const presented = [...samples].sort((left, right) => left.shown - right.shown);
          for (const [index, { shown, duration }] of presented.entries()) {
            const next = presented[index + 1];
            const until = next ? next.shown : Math.round((piece.startTime + piece.duration) / SAMPLE_SECONDS) * TICKS;
            // The sample decoded first also lasts while the picture before stands.
            if (presented[index]!.decoded !== decoded) expect(shown + duration).toBe(until);
            else expect(shown + duration).toBeGreaterThanOrEqual(until);
          }
          for (const sample of samples) {
            expect(sample.decoded).toBe(decoded);
            decoded += sample.duration;
          }
          if (after) expect(after.decodedUntil).toBe(decoded);
        }
      }),
    );
  });

  it('are known from the boxes that have arrived, and stay what they were when more come', () => {
    fc.assert(
      fc.property(damaged, fc.nat(2000), ([vector, , seconds], arrived) => {
        const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
        const repairer = createRepairer(init);
        const here = punch(segment, [[Math.min(arrived, segment.length), segment.length]]);
        const all = repairer.pieces(segment, receivedExcept([]), seconds);
        const some = repairer.pieces(here, receivedExcept([[arrived, segment.length]]), seconds);
        expect(all.slice(0, some.length)).toEqual(some);
        expect(all.map(({ start }) => start)).toEqual([0, ...all.slice(0, -1).map(({ end }) => end)]);
        expect(all.at(-1)!.end).toBe(segment.length);
      }),
    );
  });
});
