import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { concatenate } from '../../concatenate.js';
import { receivedExcept } from '../../../test/repair/gaps.js';
import { bytesOf, type RemovalVector } from '../../../test/repair/removal-vectors.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import type { PieceLengths } from '../../delivery/begin.js';
import type { Playhead } from '../../delivery/piece-queue.js';
import { totalBytes } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { createRepairer } from '../../repair/index.js';
import { RepairError } from '../../repair/errors.js';
import { readTrack } from '../../repair/codecs.js';
import { parseFragments } from '../../repair/fmp4.js';
import type { DeliveredPiece, SegmentLayout } from '../types.js';
import { FedSegment } from './fed-segment.js';
import { HandOver, type Cutter, type HandOverOptions } from './hand-over.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Four pieces of half a second: one frame that must come, one that may be missing. */
const map = segmentOf(1000, [40, 10, 20, 10, 20, 10, 20, 10]);
const ENDS = [50, 80, 110, 140];
const time = { start: 8, duration: 2 };
const NOTHING_PLAYS = undefined;
const waitingAt = (mediaTime: number): Playhead => ({ mediaTime, at: 0, rate: 1, isWaiting: true });

/** A piece is its bytes; its times begin with 100 s, as those of a file that was recorded. */
const cutter: Cutter = {
  pieces: (_segment, received) =>
    !received.contains(0, 40)
      ? []
      : ENDS.map((end, number) => ({
          ...{ number, start: number === 0 ? 0 : ENDS[number - 1]!, end, from: number, to: number + 1 },
          ...{ startTime: 100 + number / 2, duration: 0.5, isLast: number === 3 },
        })),
  repairPiece: (segment, _received, { start, end, number }) => ({
    bytes: segment.slice(start, end),
    frames: [{ index: number, start, bytes: end - start, type: 'P', slices: 1, repairedSlices: 0, removed: false }],
  }),
};

function scene(change: Partial<HandOverOptions> = {}, askedAt?: number) {
  const segment = new FedSegment(map, () => performance.now(), askedAt);
  let playhead: Playhead | undefined = NOTHING_PLAYS;
  const options = { request: { map, time }, cutter, playhead: () => playhead, now: () => performance.now() };
  const handOver = new HandOver(segment, { ...options, ...change });
  const pieces: DeliveredPiece[] = [];
  segment.result.catch(() => {});
  return {
    segment,
    handOver,
    pieces,
    start: () => handOver.start((piece) => pieces.push(piece)),
    /** Brings `[start, end)` of the segment. */
    bring: (start: number, end: number) =>
      segment.push(1000 + start, fileBytes([{ start: 1000 + start, end: 1000 + end }])),
    play: (next: Playhead | undefined) => {
      playhead = next;
      handOver.look();
    },
    numbers: () => pieces.map(({ number }) => number),
  };
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('a segment that is handed over in pieces', () => {
  it('gives the first one as soon as it is complete and the rest will keep up', async () => {
    const { bring, start, pieces, numbers } = scene();
    start();
    await pass(100);
    bring(0, 49);
    expect(numbers()).toEqual([]);
    // 4 kbit/s so far, and 90 bytes are to come within a second and a half.
    bring(49, 50);
    await pass(30);
    expect(pieces).toEqual([
      {
        ...{ number: 0, startTime: 8, duration: 0.5, range: { start: 1000, end: 1050 } },
        bytes: fileBytes([{ start: 1000, end: 1050 }]),
        frames: { states: ['complete'], repairedFrames: 0, repairedSlices: 0, removed: [] },
      },
    ]);
    bring(50, 110);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('waits with the first one while the rest would not keep up', async () => {
    const { bring, start, numbers } = scene();
    start();
    await pass(2000);
    bring(0, 50);
    await pass(100);
    expect(numbers()).toEqual([]);
    bring(50, 130);
    await pass(100);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('counts from when it was asked for, less half of the way: a heap that had waited is no rate', async () => {
    await pass(4000);
    const { bring, start, numbers } = scene({}, 0);
    start();
    bring(0, 50);
    await pass(100);
    // 200 bit/s: of 90 bytes in a second and a half a quarter would be here.
    expect(numbers()).toEqual([]);
    bring(50, 130);
    await pass(100);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('counts what comes beside it, by the rate of both', async () => {
    const sound = scene();
    const pictures = scene({ beside: () => [sound.handOver] });
    pictures.start();
    await pass(600);
    pictures.bring(0, 50);
    await pass(60);
    // About a kbit/s so far: enough for 90 bytes more, but not for 230.
    expect(pictures.numbers()).toEqual([]);
    sound.bring(0, 50);
    await pass(30);
    expect(pictures.numbers()).toEqual([0]);
    // The sound is not waited for with a picture that may be shown.
    expect(sound.numbers()).toEqual([]);
  });

  it('asks again after a stall whether the rest will keep up', async () => {
    const { bring, start, play, numbers } = scene();
    start();
    await pass(50);
    bring(0, 50);
    await pass(30);
    play({ mediaTime: 8, at: performance.now(), rate: 1 });
    await pass(2000);
    play(waitingAt(8.5));
    bring(50, 80);
    await pass(30);
    expect(numbers()).toEqual([0]);
    bring(80, 135);
    await pass(30);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('gives one that is due with what is missing repaired, and says so', async () => {
    const { segment, bring, start, play, pieces, handOver } = scene();
    play({ mediaTime: 7, at: performance.now(), rate: 1 });
    start();
    bring(0, 40);
    bring(50, 140);
    await pass(900);
    expect(pieces).toEqual([]);
    await pass(30);
    expect(pieces.map(({ number, frames }) => [number, frames.states])).toEqual([
      [0, ['skipped']],
      [1, ['complete']],
      [2, ['complete']],
    ]);
    // Too late.
    bring(40, 50);
    segment.end();
    const { bytes, frames, shownWithout } = handOver.finish()!;
    expect(bytes).toEqual(fileBytes([{ start: 1110, end: 1140 }]));
    expect(frames.states).toEqual(['skipped', 'complete', 'complete', 'complete']);
    expect([...shownWithout]).toEqual([{ start: 40, end: 50 }]);
  });

  it('ends the download with the last one, which it leaves to the end', async () => {
    const { segment, bring, start, numbers, handOver } = scene();
    start();
    await pass(10);
    bring(0, 140);
    await pass(30);
    expect(numbers()).toEqual([0, 1, 2]);
    expect((await segment.result).bytesUnreliable).toBe(40);
    expect(handOver.finish()!.bytes).toHaveLength(30);
  });

  it('may begin at any time, and is left whole where nothing was handed over', async () => {
    const { bring, start, numbers, handOver } = scene();
    bring(0, 90);
    expect(numbers()).toEqual([]);
    expect(handOver.finish()).toBeUndefined();
    await pass(100);
    start();
    expect(numbers()).toEqual([0, 1]);
    bring(90, 140);
    expect(numbers()).toEqual([0, 1, 2]);
    expect(handOver.finish()!.bytes).toHaveLength(30);
  });

  it('does not wait for frames that are shown before playback begins', async () => {
    const request = { map: { ...map, needs: [[], [], [], []] }, time, byTimeUntil: 10, playFrom: 9.3 };
    const { bring, start, numbers } = scene({ request });
    start();
    await pass(10);
    bring(0, 40);
    bring(50, 70);
    bring(80, 100);
    await pass(30);
    // The third shows the first picture.
    expect(numbers()).toEqual([]);
    bring(100, 110);
    await pass(30);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('is cut right behind the picture that is sought, and then more finely', async () => {
    const lengths: PieceLengths[] = [];
    const pieces: Cutter['pieces'] = (segment, received, asked) => {
      lengths.push(asked);
      return cutter.pieces(segment, received, asked);
    };
    const request = { map, time, byTimeUntil: 10, playFrom: 9.3 };
    const { bring, start } = scene({ request, cutter: { ...cutter, pieces } });
    start();
    bring(0, 140);
    await pass(30);
    expect(lengths[0]).toEqual({ first: expect.closeTo(1.4) as number, others: 0.35 });
  });

  it('stays whole where it cannot be cut', async () => {
    const pieces = () => {
      throw new RepairError('unsupported-stream', 'several tracks');
    };
    const { segment, bring, start, numbers, handOver } = scene({ cutter: { ...cutter, pieces } });
    start();
    bring(0, 140);
    segment.end();
    expect(numbers()).toEqual([]);
    expect(handOver.finish()).toBeUndefined();
    await expect(segment.result).resolves.toMatchObject({ bytesReliable: 100 });
  });

  it('fails the download where a piece cannot be repaired', async () => {
    const repairPiece = () => {
      throw new RepairError('malformed', 'no slice');
    };
    const { segment, bring, start } = scene({ cutter: { ...cutter, repairPiece } });
    start();
    await pass(10);
    bring(0, 140);
    await pass(30);
    await expect(segment.result).rejects.toThrow('no slice');
  });

  it('goes on with another source where the first one has failed', async () => {
    const { segment, bring, start, handOver, numbers, pieces } = scene();
    start();
    await pass(10);
    bring(0, 60);
    await pass(30);
    expect(numbers()).toEqual([0]);
    segment.abort();
    const second = new FedSegment(map, () => performance.now());
    second.takeOver(segment.assembly);
    handOver.continueWith(second);
    handOver.start((piece) => pieces.push(piece));
    second.push(1060, fileBytes([{ start: 1060, end: 1140 }]));
    await pass(30);
    expect(numbers()).toEqual([0, 1, 2]);
    await second.result;
    expect(concatenate([...pieces.map(({ bytes }) => bytes), handOver.finish()!.bytes])).toEqual(
      fileBytes([map.range]),
    );
  });

  it('asks for losses of the first piece first, and for none that would be too late', () => {
    const { bring, start, play, handOver } = scene();
    start();
    bring(0, 40);
    // In the order of worth: the last frame first. Their places begin behind 100 reliable bytes.
    const lost = [{ start: 100, end: 140 }];
    const frame = (number: number) => ({ start: 130 - 10 * number, end: 140 - 10 * number });
    expect(handOver.inTime(lost, 300)).toEqual([0, 1, 2, 3].map(frame));
    play({ mediaTime: 7.9, at: performance.now(), rate: 1 });
    expect(handOver.inTime(lost, 300)).toEqual([1, 2, 3].map(frame));
    expect(handOver.inTime(lost, 5000)).toEqual([]);
  });
});

/** Those of the vectors, whose frames need frames that are decoded before them, as those of videos do. */
const VECTORS = (
  JSON.parse(readFileSync(new URL('../../../test/vectors/removal.json', import.meta.url), 'utf8')) as RemovalVector[]
)
  .filter(({ error }) => !error)
  .map((vector) => ({
    ...vector,
    plan: vector.plan.map(({ needs, ...frame }) => ({
      ...frame,
      needs: needs.filter((other) => vector.plan[other]!.start < frame.start),
    })),
  }));

/** A segment whose times, bytes and frames are real, and which of its frames are lost. */
const anyDelivery = fc.constantFrom(...VECTORS).chain((vector) => {
  const length = bytesOf(vector.segment).length;
  return fc.record({
    vector: fc.constant(vector),
    lost: fc.subarray([...vector.plan.keys()]),
    order: fc.array(fc.tuple(fc.nat(length), fc.nat(80)), { maxLength: 40 }),
    playheads: fc.array(fc.tuple(fc.nat(40), fc.constantFrom('none', 'waits', 'plays')), { maxLength: 6 }),
  });
});

function layoutOf({ segment, plan }: RemovalVector): SegmentLayout {
  const range = { start: 500, end: 500 + bytesOf(segment).length };
  const unreliable = plan.map(({ start, end }) => ({ start: 500 + start, end: 500 + end }));
  const reliable = new IntervalSet(unreliable).gaps(range.start, range.end);
  return { range, reliable, unreliable, reliableBytes: totalBytes(reliable), needs: plan.map(({ needs }) => needs) };
}

function samplesOf(init: Uint8Array, segments: readonly Uint8Array[]): string[] {
  return segments.flatMap((segment) =>
    segment.length === 0
      ? []
      : parseFragments(segment, undefined, readTrack(init).defaults).flatMap(({ samples }) =>
          samples.map(({ offset, size }) => Buffer.from(segment.subarray(offset, offset + size)).toString('hex')),
        ),
  );
}

it('whatever comes when: pieces are in order, none is given twice, and together they are the segment as it was shown', () => {
  fc.assert(
    fc.property(anyDelivery, ({ vector, lost, order, playheads }) => {
      const [init, bytes] = [bytesOf(vector.init), bytesOf(vector.segment)];
      const layout = layoutOf(vector);
      const repairer = createRepairer(init);
      const plan = { kind: 'remove', frames: vector.plan } as const;
      const segment = new FedSegment(layout, () => performance.now());
      segment.result.catch(() => {});
      let playhead: Playhead | undefined;
      const handOver = new HandOver(segment, {
        request: { map: layout, time: { start: 0, duration: 1 } },
        // Short pieces: the segments are.
        cutter: {
          pieces: (segment, received) => repairer.pieces(segment, received, 0.1),
          repairPiece: (segment, received, piece, before) =>
            repairer.repairPiece(segment, received, piece, plan, before),
        },
        playhead: () => playhead,
        now: () => performance.now(),
      });
      const pieces: DeliveredPiece[] = [];
      handOver.start((piece) => pieces.push(piece));
      const gone = new IntervalSet(lost.map((index) => layout.unreliable[index]!));
      const bring = (start: number, end: number): void => {
        for (const part of gone.gaps(500 + start, 500 + Math.min(end, bytes.length)))
          segment.push(part.start, bytes.slice(part.start - 500, part.end - 500));
      };
      for (const [index, [start, length]] of order.entries()) {
        bring(start, start + length);
        const [position, state] = playheads[index] ?? [0, 'none'];
        playhead =
          state === 'none'
            ? undefined
            : { mediaTime: position / 40, at: performance.now(), rate: 1, isWaiting: state === 'waits' };
        handOver.look();
        vi.advanceTimersByTime(25);
      }
      bring(0, bytes.length);
      segment.end();
      const numbers = pieces.map(({ number }) => number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      const rest = handOver.finish();
      if (!rest) {
        expect(pieces).toEqual([]);
        return;
      }
      // What was missing when a piece was handed over was shown without it; so the whole segment is repaired to compare.
      const missing = [...rest.shownWithout].map(({ start, end }) => [start, end] as const);
      const whole = repairer.repair(bytes, receivedExcept(missing), plan);
      const given = samplesOf(init, [...pieces.map((piece) => piece.bytes), rest.bytes]);
      const expected = samplesOf(init, [whole.bytes]);
      const { from, to } = repairer.pieces(bytes, receivedExcept([]), 0.1).at(-1)!;
      const isEmptied = whole.frames.slice(from, to).every(({ removed }) => removed);
      // Of the last piece nothing is left: so the whole segment is put over all, as it is by then.
      if (!isEmptied) expect(given).toEqual(expected);
      expect(rest.frames.removed).toEqual(whole.frames.flatMap(({ index, removed }) => (removed ? [index] : [])));
    }),
    { numRuns: 150 },
  );
});
