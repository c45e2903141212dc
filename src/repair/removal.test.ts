import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { punch, receivedExcept } from '../../test/repair/gaps.js';
import { bytesOf, outcomeOf, repairVector, type RemovalVector } from '../../test/repair/removal-vectors.js';
import { readTrack } from './codecs.js';
import { commonEncryption } from './encryption.js';
import { parseFragments, type Sample } from './fmp4.js';
import { createRepairer, RepairError, type ChunkState } from './index.js';
import { removeSamples } from './remove-samples.js';

const VECTORS = JSON.parse(
  readFileSync(new URL('../../test/vectors/removal.json', import.meta.url), 'utf8'),
) as RemovalVector[];

/** A sample of a segment with when it is decoded and shown. */
interface TimedSample extends Sample {
  readonly decoded: number;
  readonly shown: number;
}

function samplesOf(init: Uint8Array, segment: Uint8Array): TimedSample[] {
  return parseFragments(segment, undefined, readTrack(init).defaults).flatMap(({ decodeTime, samples }) => {
    let time = decodeTime!;
    return samples.map((sample) => {
      const decoded = time;
      time += sample.duration;
      return { ...sample, decoded, shown: decoded + sample.compositionOffset };
    });
  });
}

/** A vector, and which of the frames of its plan are missing, alone. */
const damaged = fc
  .constantFrom(...VECTORS.filter(({ plan }) => plan.length > 0))
  .chain((vector) =>
    fc.tuple(fc.constant(vector), fc.subarray(vector.plan as RemovalVector['plan'][number][], { minLength: 1 })),
  );

describe('removal', () => {
  it.each(VECTORS.map((vector, index) => [index, vector] as const))('agrees with the vectors: %i', (_, vector) => {
    expect(repairVector(vector)).toEqual(outcomeOf(vector));
  });

  it('leaves what is kept as it is and shows it when it was, without a gap, whatever is missing', () => {
    fc.assert(
      fc.property(damaged, ([vector, frames]) => {
        const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
        const gaps = frames.map(({ start, end }) => [start, end] as const);
        const plan = { kind: 'remove', frames: vector.plan } as const;
        const repaired = createRepairer(init).repair(punch(segment, gaps), receivedExcept(gaps), plan);
        const whole = samplesOf(init, segment);
        const kept = whole.filter((_, index) => !repaired.frames[index]!.removed);
        const now = samplesOf(init, repaired.bytes);
        const first = Math.min(...whole.map(({ shown }) => shown));
        const earliest = Math.min(...kept.map(({ shown }) => shown));
        expect(now.map(({ shown }) => shown)).toEqual(kept.map(({ shown }) => (shown === earliest ? first : shown)));
        const ascending = [...now].sort((left, right) => left.shown - right.shown);
        const end = first + whole.reduce((sum, { duration }) => sum + duration, 0);
        expect(ascending.map(({ shown, duration }) => shown + duration)).toEqual([
          ...ascending.slice(1).map(({ shown }) => shown),
          end,
        ]);
      }),
    );
  });

  it('shows every picture of chunks that it did not take out, at its time, and lets decoding never stop', () => {
    const vector = VECTORS.find(({ segment }) => parseFragments(bytesOf(segment)).length === 3)!;
    const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
    const fragments = parseFragments(segment, undefined, readTrack(init).defaults);
    const whole = samplesOf(init, segment);
    const subset = fc.subarray(
      whole.slice(1).map(({ offset, size }) => ({ start: offset, end: offset + size, needs: [] })),
    );
    fc.assert(
      fc.property(subset, (missing) => {
        const repairer = createRepairer(init);
        let state: ChunkState = {};
        const shown: number[] = [];
        let ended = whole[0]!.decoded;
        for (const { start, end } of fragments) {
          const frames = missing
            .filter((frame) => frame.start >= start && frame.end <= end)
            .map((frame) => ({ start: frame.start - start, end: frame.end - start, needs: [] }));
          const received = receivedExcept(frames.map((frame) => [frame.start, frame.end]));
          const chunk = segment.slice(start, end);
          const { bytes, after } = repairer.repair(chunk, received, { kind: 'remove', frames }, state);
          state = after!;
          if (frames.length === 0 && ended === samplesOf(init, chunk)[0]!.decoded) expect(bytes).toBe(chunk);
          const now = bytes.length > 0 && Buffer.from(bytes).includes('moof') ? samplesOf(init, bytes) : [];
          for (const sample of now) {
            expect(sample.decoded).toBe(ended);
            ended = sample.decoded + sample.duration;
            shown.push(sample.shown);
          }
          expect(state.decodedUntil).toBe(ended);
        }
        const gone = new Set(missing.map(({ start }) => start));
        expect(shown).toEqual(whole.filter(({ offset }) => !gone.has(offset)).map((sample) => sample.shown));
      }),
    );
  });

  it('gives hidden frames of a removed sample to the next chunk', () => {
    const vector = VECTORS.find(({ init }) =>
      readTrack(bytesOf(init), commonEncryption).descriptions.every(({ encryption }) => !encryption),
    )!;
    const [init, segment] = [bytesOf(vector.init), bytesOf(vector.segment)];
    const { offset, size } = samplesOf(init, segment)[0]!;
    const carried = [Uint8Array.of(1, 2, 3)];
    const { bytes, after } = createRepairer(init).repair(
      segment,
      receivedExcept([]),
      { kind: 'remove', frames: [] },
      { carried },
    );
    const first = samplesOf(init, bytes)[0]!;
    const sample = Buffer.from(bytes.subarray(first.offset, first.offset + first.size));
    expect(sample.includes(Buffer.concat([...carried, segment.subarray(offset, offset + size)]))).toBe(true);
    expect(after!.carried).toEqual([]);
  });

  it.each([
    ['malformed', 'needs one that does not stand before it', [{ start: 0, end: 1, needs: [0] }]],
    ['malformed', 'needs one that does not stand before it', [{ start: 0, end: 1, needs: [-1] }]],
    ['malformed', 'frame at 0 lies across others or samples', [{ start: 0, end: 1, needs: [] }]],
    ['malformed', 'frame at -1 lies across others or samples', [{ start: -1, end: 2, needs: [] }]],
    ['malformed', 'lies in no sample', [{ start: 1 << 20, end: 1 << 21, needs: [] }]],
  ])('says %s: %s', (code, message, frames) => {
    const repair = () =>
      createRepairer(bytesOf(VECTORS[0]!.init)).repair(bytesOf(VECTORS[0]!.segment), receivedExcept([]), {
        kind: 'remove',
        frames,
      });
    expect(repair).toThrow(message);
    expect(repair).toThrow(expect.objectContaining({ code }));
  });

  it('never takes out the first sample of a segment', () => {
    const [init, segment] = [bytesOf(VECTORS[0]!.init), bytesOf(VECTORS[0]!.segment)];
    const removal = { removed: new Set([0]), replaced: new Map<number, Uint8Array>() };
    expect(() => removeSamples(readTrack(init), segment, removal)).toThrow('the first sample of a segment');
    const { offset, size } = samplesOf(init, segment)[0]!;
    const frames = [{ start: offset, end: offset + size, needs: [] }];
    const repair = () =>
      createRepairer(init).repair(segment, receivedExcept([[offset, offset + 1]]), { kind: 'remove', frames });
    expect(repair).toThrow(expect.objectContaining({ code: 'missing-reliable-bytes' }));
  });

  it('ends with a segment or a RepairError, whatever the bytes and the plan', () => {
    const place = fc.integer({ min: -3, max: 900 });
    const frame = fc.record({
      start: place,
      end: place,
      needs: fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 2 }),
    });
    const flips = fc.array(fc.tuple(fc.nat(900), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.constantFrom(...VECTORS),
        flips,
        fc.option(fc.array(frame, { maxLength: 3 })),
        (vector, bytes, plan) => {
          const segment = punch(bytesOf(vector.segment), vector.gaps);
          for (const [at, byte] of bytes) if (at < segment.length) segment[at] = byte;
          try {
            const frames = plan ?? vector.plan;
            createRepairer(bytesOf(vector.init)).repair(segment, receivedExcept(vector.gaps), {
              kind: 'remove',
              frames,
            });
          } catch (error) {
            if (!(error instanceof RepairError)) throw error;
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
