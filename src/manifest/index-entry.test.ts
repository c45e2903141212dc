import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, indexVectors } from '../../test/unit/index-vectors.js';
import { BitWriter } from '../../test/unit/index-writer.js';
import { totalBytes, type ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { readEntry } from './index-entry.js';
import { IndexFile } from './index-file.js';
import { MAX_SEGMENT_BYTES } from './limits.js';
import type { SegmentMap } from './segment-map.js';

const SCALE = 1e5;

/** The facts of an entry as they stand in it. */
interface Entry {
  readonly start: number;
  /** The slices of each frame in file order, each some bytes that must arrive and some that may be missing. */
  readonly frames: readonly (readonly (readonly [before: number, size: number])[])[];
  readonly tail: number;
  readonly ranks: readonly number[];
  readonly costs: readonly number[] | undefined;
  readonly missing: Missing;
  readonly steps: readonly { readonly more: number; readonly difference: number }[];
}

/** The code of what becomes of missing frames, the reach of each, and the distances of the needs of each. */
interface Missing {
  readonly code: number;
  readonly reach?: readonly number[];
  readonly needs?: readonly (readonly number[])[];
}

function write({ start, frames, tail, ranks, costs, missing, steps }: Entry): Uint8Array {
  const slices = frames.flat();
  const writer = new BitWriter()
    .count(Math.floor(start / 2 ** 16))
    .bits(start % 2 ** 16, 16)
    .bits(5, 3)
    .count(frames.length)
    .count(0)
    .list(frames.map(({ length }) => length - 1))
    .count(0)
    .list(slices.map(([before]) => before))
    .list(slices.map(([, size]) => size - 1))
    .count(tail)
    .list(ranks)
    .bits(costs ? 1 : 0, 1);
  if (costs) writer.list(costs);
  writer.bits(missing.code, 2).list(missing.reach ?? []);
  const needs = missing.needs ?? [];
  writer.list(needs.map(({ length }) => length)).list(needs.flat());
  return writer
    .count(steps.length - 1)
    .list(steps.map(({ more }) => more))
    .list(steps.map(({ difference }) => (difference < 0 ? -2 * difference - 1 : 2 * difference)))
    .toBytes();
}

const anyEntry: fc.Arbitrary<Entry> = fc
  .array(fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 9999 })), { minLength: 1, maxLength: 3 }), {
    maxLength: 8,
  })
  .chain((frames) =>
    fc.record({
      start: fc.nat(2 ** 31 - 1),
      frames: fc.constant(frames),
      tail: fc.integer({ min: 1, max: 999 }),
      ranks: fc.tuple(...frames.map((_, index) => fc.nat(frames.length - 1 - index))),
      costs: fc.option(fc.tuple(...frames.map(() => fc.nat(9999))), { nil: undefined }),
      missing: frames.every(({ length }) => length === 1)
        ? fc.oneof(anyHeld(frames), anyNeeds(frames))
        : anyHeld(frames),
      // One step for each frame, or fewer: the last takes what is left.
      steps: fc
        .array(fc.record({ more: fc.nat(2), difference: fc.integer({ min: -999, max: 99_999 }) }), { maxLength: 9 })
        .map((steps) => withLast(steps, frames.length)),
    }),
  );

function anyHeld(frames: readonly unknown[]): fc.Arbitrary<Missing> {
  return fc.oneof(
    fc.constant({ code: 0 }),
    fc.tuple(...frames.map(() => fc.nat(9))).map((reach) => ({ code: 1, reach })),
  );
}

function anyNeeds(frames: readonly unknown[]): fc.Arbitrary<Missing> {
  const distances = (place: number) => fc.subarray(Array.from({ length: place }, (_, distance) => distance));
  return fc.tuple(...frames.map((_, place) => distances(place))).map((needs) => ({ code: 2, needs }));
}

function withLast(steps: readonly Entry['steps'][number][], frames: number): Entry['steps'] {
  const kept: Entry['steps'][number][] = [];
  let next = 0;
  for (const step of steps) {
    if (next + step.more >= frames) break;
    next += step.more + 1;
    kept.push(step);
  }
  return [...kept, { more: frames - next, difference: 7 }];
}

/** Its frames, most important first. */
function inOrder({ frames, ranks }: Entry): Entry['frames'] {
  const remaining = [...frames];
  return ranks.map((rank) => remaining.splice(rank, 1)[0]!);
}

function expectInvariants(map: SegmentMap): void {
  const all = [...map.reliable, ...map.unreliable].sort((a, b) => a.start - b.start);
  expect(all[0]!.start).toBe(map.range.start);
  expect(all.at(-1)!.end).toBe(map.range.end);
  all.forEach(({ start, end }, index) => {
    expect(end).toBeGreaterThan(start);
    if (index > 0) expect(start).toBe(all[index - 1]!.end);
  });
  expect(map.reliable.length).toBeGreaterThan(0);
  expect(map.reliable).toEqual([...map.reliable].sort((a, b) => a.start - b.start));
  expect(map.reliableBytes).toBe(totalBytes(map.reliable));
  expect(map.range.end - map.range.start).toBeLessThanOrEqual(MAX_SEGMENT_BYTES);
  expect(map.steps.at(-1)!.bytes).toBe(totalBytes(map.unreliable));
  const boundaries = new Set([0]);
  map.unreliable.reduce((at, { start, end }) => (boundaries.add(at + end - start), at + end - start), 0);
  map.steps.forEach(({ score, frames, bytes }, index) => {
    expect(boundaries.has(bytes)).toBe(true);
    expect(Number.isFinite(score)).toBe(true);
    if (index > 0) expect(frames).toBeGreaterThan(map.steps[index - 1]!.frames);
    if (index > 0) expect(bytes).toBeGreaterThan(map.steps[index - 1]!.bytes);
  });
  for (const list of [map.lossCosts, map.needs, map.reach]) {
    if (list) expect(list).toHaveLength(map.unreliable.length);
  }
  map.needs?.forEach((needs, place) => {
    for (const need of needs) expect(need >= 0 && need < place).toBe(true);
    expect(new Set(needs).size).toBe(needs.length);
  });
}

describe('readEntry', () => {
  it.each(
    Object.entries({ 2: indexVectors.good, 1: indexVectors.old }).flatMap(([version, vectors]) =>
      vectors.map((vector) => ({ version, ...vector })),
    ),
  )('reads what voxel-prepare wrote in version $version: $name', ({ index, metric, segments }) => {
    const bytes = bytesOf(index);
    const file = new IndexFile(metric);
    file.add({ start: 0, end: bytes.length }, bytes);
    expect(file.segmentCount).toBe(segments.length);
    segments.forEach(({ range, reliable, unreliable, steps, slices, costs, needs, reach }, number) => {
      const map = file.segment(number)!;
      const pairs = (ranges: readonly ByteRange[]) => ranges.map(({ start, end }) => [start, end]);
      expect(pairs([map.range])[0]).toEqual(range);
      expect(pairs(map.reliable)).toEqual(reliable);
      expect(pairs(map.unreliable)).toEqual(unreliable);
      expect(map.steps.map(({ score, frames, bytes: size }) => [score, frames, size])).toEqual(steps);
      expect(map.needs).toEqual(needs);
      expect(map.reach).toEqual(
        reach && slices.flatMap((count, frame) => new Array<number>(count).fill(reach[frame]!)),
      );
      let first = 0;
      const found = map.lossCosts ?? map.unreliable.map(() => 0);
      slices.forEach((count, frame) => {
        const sum = found.slice(first, (first += count)).reduce((total, cost) => total + cost, 0);
        expect(sum).toBeCloseTo(costs[frame]!, 12);
      });
      expectInvariants(map);
    });
  });

  it('takes as many frames as a segment may have in any order', () => {
    const count = 3000;
    const ranks = Array.from({ length: count }, (_, taken) => (taken * 7919) % (count - taken));
    const frames = Array.from({ length: count }, () => [[1, 1]] as const);
    const map = readEntry(
      write({ start: 0, tail: 1, frames, ranks, costs: undefined, missing: { code: 0 }, steps: withLast([], count) }),
      SCALE,
      2,
    );
    const remaining = Array.from({ length: count }, (_, index) => index);
    const order = ranks.map((rank) => remaining.splice(rank, 1)[0]!);
    expect(map.unreliable.map(({ start }) => (start - 1) / 2)).toEqual(order);
  });

  it('puts frames in order, slices side by side, and shares the cost of a frame among them by bytes', () => {
    const map = readEntry(
      write({
        ...{ start: 100, tail: 5, ranks: [1, 0] },
        frames: [
          [[50, 30]],
          [
            [10, 10],
            [8, 30],
          ],
        ],
        costs: [4000, 100],
        missing: { code: 1, reach: [3, 0] },
        steps: [
          { more: 0, difference: 80_000 },
          { more: 0, difference: 15_000 },
          { more: 0, difference: -7 },
        ],
      }),
      SCALE,
      2,
    );
    expect(map).toEqual({
      range: { start: 100, end: 243 },
      reliable: [
        { start: 100, end: 150 },
        { start: 180, end: 190 },
        { start: 200, end: 208 },
        { start: 238, end: 243 },
      ],
      unreliable: [
        { start: 190, end: 200 },
        { start: 208, end: 238 },
        { start: 150, end: 180 },
      ],
      reliableBytes: 73,
      steps: [
        { score: 0.8, frames: 0, bytes: 0 },
        { score: 0.95, frames: 1, bytes: 40 },
        { score: 0.94993, frames: 2, bytes: 70 },
      ],
      lossCosts: [0.01, 0.03, 0.001],
      reach: [3, 3, 0],
    });
  });

  it('holds every invariant of a segment map for any entry', () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const map = readEntry(write(entry), SCALE, 2);
        expectInvariants(map);
        expect(map.range.start).toBe(entry.start);
        expect(map.unreliable).toHaveLength(entry.frames.flat().length);
        expect(map.lossCosts === undefined).toBe(entry.costs === undefined);
        const { needs, reach } = entry.missing;
        expect(map.reach).toEqual(reach && inOrder(entry).flatMap((slices, place) => slices.map(() => reach[place]!)));
        expect(map.needs).toEqual(needs?.map((distances, place) => distances.map((distance) => place - distance - 1)));
      }),
    );
  });

  it('refuses every entry that is cut or goes on behind its end', () => {
    fc.assert(
      fc.property(anyEntry, fc.nat(), (entry, cut) => {
        const bytes = write(entry);
        expect(() => readEntry(bytes.subarray(0, cut % bytes.length), SCALE, 2)).toThrow(ManifestError);
        expect(() => readEntry(Uint8Array.from([...bytes, 0]), SCALE, 2)).toThrow(ManifestError);
      }),
    );
  });

  it('makes a sound map or a ManifestError of garbage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          expectInvariants(readEntry(bytes, SCALE, 1 + (bytes.length % 2)));
        } catch (error) {
          if (!(error instanceof ManifestError)) throw error;
          expect(error.message).not.toContain('\n');
        }
      }),
    );
  });

  it.each<[string, Partial<Entry>]>([
    ['an order that names a frame twice', { ranks: [1, 1] }],
    ['steps that end before the last frame', { steps: [{ more: 1, difference: 1 }] }],
    ['steps that go on behind the last frame', { steps: [{ more: 3, difference: 1 }] }],
    ['no reliable bytes', { frames: [[[0, 9]], [[0, 9]]], tail: 0 }],
    ['a segment larger than any real one', { tail: 2 ** 28 + 1 }],
    ['a code of missing frames that is none', { missing: { code: 3 } }],
    ['a frame that needs itself or a later one', { missing: { code: 2, needs: [[0], []] } }],
    ['a frame that needs what is not there', { missing: { code: 2, needs: [[], [1]] } }],
    ['a frame that needs another one twice', { missing: { code: 2, needs: [[], [0, 0]] } }],
    ['a removed frame of two ranges', { frames: [[[9, 9]], [[9, 9], [9, 9]]], missing: { code: 2, needs: [[], []] } }], // prettier-ignore
  ])('refuses %s', (_, change) => {
    const sound: Entry = {
      ...{ start: 0, frames: [[[9, 9]], [[9, 9]]], tail: 1, ranks: [0, 0], costs: undefined, missing: { code: 0 } },
      steps: [{ more: 2, difference: 1 }],
    };
    expectInvariants(readEntry(write(sound), SCALE, 2));
    expect(() => readEntry(write({ ...sound, ...change }), SCALE, 2)).toThrow(ManifestError);
  });

  it('does not build what a few bytes claim: a hundred thousand equal frames', () => {
    const writer = new BitWriter()
      .count(0)
      .bits(0, 19)
      .count(2 ** 17)
      .count(0)
      .bits(31, 5)
      .count(0);
    expect(() => readEntry(writer.toBytes(), SCALE, 2)).toThrow(/131072 where 512 is the most/);
  });

  it('does not build what a few bytes claim: a million needs', () => {
    const entry = write({
      ...{ start: 0, frames: [[[9, 9]], [[9, 9]]], tail: 1, ranks: [0, 0], costs: undefined },
      ...{ missing: { code: 2, reach: [0, 10 ** 6] }, steps: [{ more: 2, difference: 1 }] },
    });
    expect(() => readEntry(entry, SCALE, 2)).toThrow('1000000 needs in a segment');
  });

  it('reads of version 1 no order of version 2', () => {
    const { index } = indexVectors.good.find(({ name }) => name === 'nothing can be removed')!;
    const file = new IndexFile('ssim');
    const bytes = bytesOf(index).with(4, 1);
    file.add({ start: 0, end: bytes.length }, bytes);
    expect(() => file.segment(0)).toThrow('the order has no name');
  });
});
