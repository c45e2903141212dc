import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { strictDecode } from '../../test/browser/support/strict-decode.js';
import { encryptCbcs } from '../../test/repair/cbcs.js';
import { encodeClip, initEnd, SYNTHETIC_CLIPS } from '../../test/repair/clips.js';
import { box, mediaSegment, sampleEntry, u32 } from '../../test/repair/fmp4-builder.js';
import { punch, receivedExcept, type Gap } from '../../test/repair/gaps.js';
import { bytesOf, type RemovalVector } from '../../test/repair/removal-vectors.js';
import { fragmentReaders, readTrack } from './codecs.js';
import { commonEncryption } from './encryption.js';
import { parseFragments } from './fmp4.js';
import {
  createRepairer,
  createReplacer,
  RepairError,
  type ChunkState,
  type Repairer,
  type RepairPlan,
} from './index.js';

const VECTORS = (
  JSON.parse(readFileSync(new URL('../../test/vectors/removal.json', import.meta.url), 'utf8')) as RemovalVector[]
).filter(({ error }) => !error);
/** Duration of a sample of random segments: ticks, of which a second has 15 360. */
const TICKS = 512;
const SAMPLE_SECONDS = TICKS / 15_360;

/** Bytes that a piece may have for each of its segment: every sample gets fields of its own. */
const MOST_GROWTH = 32;

const folder = mkdtempSync(join(tmpdir(), 'voxel-pieces-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
function repairPieces(
  init: Uint8Array,
  segment: Uint8Array,
  gaps: readonly Gap[],
  seconds: number,
  plan?: RepairPlan,
  create: (init: Uint8Array) => Repairer = createRepairer,
) {
  const repairer = create(init);
  const received = receivedExcept(gaps);
  let after: ChunkState | undefined;
  return repairer.pieces(segment, received, seconds).map((piece) => {
    const repaired = repairer.repairPiece(punch(segment, gaps), received, piece, plan, after);
    after = repaired.after;
    return { piece, ...repaired, samples: samplesOf(init, repaired.bytes) };
  });
}

/** Repair that follows no plan. */
const withoutPlans = (init: Uint8Array): Repairer => createReplacer(init, undefined, commonEncryption);

/** A vector, which of the frames of its plan are missing, alone, and how long pieces are to be. */
const damaged = fc.constantFrom(...VECTORS).chain((vector) =>
  fc.tuple(
    fc.constant(vector),
    fc.subarray(vector.plan as RemovalVector['plan'][number][]),
    fc.integer({ min: 1, max: 12 }).map((count) => count * SAMPLE_SECONDS),
  ),
);

describe('pieces of sound', () => {
  const TENTH = 10 * 512;
  const initOf = (type: string): Uint8Array => {
    const description = box('stsd', u32(0, 1), sampleEntry(type));
    const media = box('mdia', box('mdhd', u32(0, 0, 0, TENTH, 0, 0)), box('minf', box('stbl', description)));
    return Buffer.concat([box('ftyp', u32(0, 0)), box('moov', box('trak', media))]);
  };
  const sound = Array.from({ length: 17 }, (_, index) => Uint8Array.from({ length: 3 + index }, () => index));
  const segment = mediaSegment({ runs: [sound] });

  it('hold every sample as it is, though nothing is known of the codec', () => {
    const init = initOf('mp4a');
    const pieces = repairPieces(init, segment, [], 0.5);
    expect(pieces.map(({ piece }) => piece.to - piece.from)).toEqual([5, 5, 5, 2]);
    expect(pieces.flatMap(({ samples }) => samples)).toEqual(samplesOf(init, segment));
    expect(pieces[2]!.piece).toMatchObject({ startTime: 1, duration: 0.5 });
  });

  it('are not made of what is encrypted', () => {
    expect(() => repairPieces(initOf('enca'), segment, [], 0.5)).toThrow('encrypted');
  });
});

describe('pieces', () => {
  it('hold every sample of the segment as it is, and every picture of one is shown before the next', () => {
    fc.assert(
      fc.property(damaged, ([vector, , seconds]) => {
        const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
        const pieces = repairPieces(init, segment, [], seconds);
        expect(pieces.flatMap(({ samples }) => samples)).toEqual(samplesOf(init, segment));
        const asTheyAre = repairPieces(init, segment, [], seconds, undefined, withoutPlans);
        expect(asTheyAre.map(({ bytes, frames }) => [bytes, frames])).toEqual(
          pieces.map(({ bytes, frames }) => [bytes, frames]),
        );
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
      fc.property(damaged, fc.nat(2000), fc.nat(20), ([vector, , seconds], arrived, frames) => {
        const first = frames * SAMPLE_SECONDS;
        const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
        const repairer = createRepairer(init);
        const here = punch(segment, [[Math.min(arrived, segment.length), segment.length]]);
        const all = repairer.pieces(segment, receivedExcept([]), seconds, first);
        const some = repairer.pieces(here, receivedExcept([[arrived, segment.length]]), seconds, first);
        if (all.length > 1) expect(all[0]!.duration).toBeGreaterThanOrEqual(first);
        expect(all.slice(0, some.length)).toEqual(some);
        expect(all.map(({ start }) => start)).toEqual([0, ...all.slice(0, -1).map(({ end }) => end)]);
        expect(all.at(-1)!.end).toBe(segment.length);
      }),
    );
  });

  it('end with a segment or a RepairError, whatever the bytes and the plan', () => {
    const place = fc.integer({ min: -3, max: 900 });
    const needs = fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 2 });
    const frame = fc.record({ start: place, end: place, needs });
    const flips = fc.array(fc.tuple(fc.nat(900), fc.nat(255)), { maxLength: 4 });
    const plans = fc.option(fc.array(frame, { maxLength: 3 }));
    fc.assert(
      fc.property(damaged, flips, plans, ([vector, , seconds], bytes, plan) => {
        const segment = bytesOf(vector.segment);
        for (const [at, byte] of bytes) if (at < segment.length) segment[at] = byte;
        try {
          const gaps = vector.gaps.filter(([, end]) => end <= segment.length);
          const pieces = repairPieces(bytesOf(vector.init), segment, gaps, seconds, {
            kind: 'remove',
            frames: plan ?? vector.plan,
          });
          const most = MOST_GROWTH * segment.length;
          for (const { bytes } of pieces) expect(bytes.length).toBeLessThanOrEqual(most);
        } catch (error) {
          if (!(error instanceof RepairError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The parts of slices of H.264 that may be missing, by positions in the segment. */
function unreliableParts(init: Uint8Array, segment: Uint8Array): Gap[] {
  const track = readTrack(init, commonEncryption);
  const fragments = parseFragments(segment, (description) => track(description).encryption);
  const readerOf = fragmentReaders(track, segment, receivedExcept([]));
  return fragments
    .flatMap((fragment) => {
      const read = readerOf(fragment);
      return fragment.samples.flatMap(({ offset, size, sizeField }) => (sizeField ? read(offset, offset + size) : []));
    })
    .flatMap(({ parts }) => parts)
    .filter(({ reliableEnd, end }) => reliableEnd < end)
    .map(({ reliableEnd, end }): Gap => [reliableEnd, end]);
}

describe('pieces of H.264', () => {
  const KEY = { id: Buffer.alloc(16, 1), key: Buffer.alloc(16, 2) };
  const clip = (name: string): Buffer =>
    readFileSync(
      encodeClip(
        SYNTHETIC_CLIPS.find((each) => each.name === name)!,
        folder,
      ),
    );
  it.each([
    ['with B frames', () => clip('main-cabac')],
    ['with parameter sets in samples', () => clip('avc3-parameter-sets-in-samples')],
    ['in fragments of a frame', () => clip('a-fragment-for-each-frame-and-zeros-after-parameter-sets')],
    ['encrypted after a start in the clear', () => encryptCbcs(clip('main-cabac'), KEY, 1)],
  ])('%s hold the samples of the whole repaired segment', (kind, make) => {
    const file = make();
    const init = file.subarray(0, initEnd(file));
    const segment = file.subarray(init.length);
    const parts = unreliableParts(init, segment);
    expect(parts.length).toBeGreaterThan(20);
    fc.assert(
      fc.property(fc.subarray(parts), fc.boolean(), fc.integer({ min: 3, max: 25 }), (gaps, isHeld, frames) => {
        const reaches = parts.map(([start, end], index) => ({ start, end, reach: index % 3 }));
        const plan = isHeld ? ({ kind: 'hold', frames: reaches } as const) : undefined;
        const whole = createRepairer(init).repair(punch(segment, gaps), receivedExcept(gaps), plan);
        const pieces = repairPieces(init, segment, gaps, frames / 24, plan);
        expect(pieces.flatMap(({ frames }) => frames)).toEqual(whole.frames);
        const content = ({ shown, data }: TimedSample) => [shown, data];
        expect(pieces.flatMap(({ samples }) => samples.map(content))).toEqual(
          samplesOf(init, whole.bytes).map(content),
        );
        if (plan) return;
        expect(pieces.flatMap(({ samples }) => samples)).toEqual(samplesOf(init, whole.bytes));
        const replaced = repairPieces(init, segment, gaps, frames / 24, plan, withoutPlans);
        const appended = (all: typeof pieces) => all.map(({ bytes, frames }) => [bytes, frames]);
        expect(appended(replaced)).toEqual(appended(pieces));
      }),
      { numRuns: 10 },
    );
    if (kind.startsWith('encrypted')) return;
    const missing = parts.slice(5);
    const appended = Buffer.concat(repairPieces(init, segment, missing, 0.25).map(({ bytes }) => bytes));
    const whole = createRepairer(init).repair(punch(segment, missing), receivedExcept(missing));
    expect(strictDecode(init, appended).equals(strictDecode(init, whole.bytes))).toBe(true);
  });
});
