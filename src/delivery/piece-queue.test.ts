import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PieceQueue, dueTime, type QueuedPiece } from './piece-queue.js';

const piece = (startTime: number, state: 'coming' | 'playable' | 'complete'): QueuedPiece => ({
  startTime,
  isPlayable: state !== 'coming',
  isComplete: state === 'complete',
  lastChance: Infinity,
});

function queueOf(...pieces: readonly QueuedPiece[]): PieceQueue<QueuedPiece> {
  const queue = new PieceQueue<QueuedPiece>();
  for (const one of pieces) queue.add(one);
  return queue;
}

/** At 10 s of the clock 4 s are shown. */
const playhead = { mediaTime: 4, at: 10_000, rate: 1 };

describe('a piece is due', () => {
  test('80 ms before its first frame is shown', () => {
    expect(dueTime(4.5, playhead)).toBe(10_420);
  });

  test('sooner where playback is faster', () => {
    expect(dueTime(5, { ...playhead, rate: 1.25 })).toBe(10_720);
  });
});

describe('the player gets', () => {
  test('what is complete at once, in order', () => {
    const [first, second] = [piece(5, 'complete'), piece(5.1, 'complete')];
    expect(queueOf(first, second, piece(5.2, 'playable')).take(10_000, playhead)).toEqual([first, second]);
  });

  test('what has gaps when it is due, and no sooner', () => {
    const queue = queueOf(piece(4.5, 'playable'));
    expect(queue.wakeTime(playhead)).toBe(10_420);
    expect(queue.take(10_419, playhead)).toEqual([]);
    expect(queue.take(10_420, playhead)).toHaveLength(1);
    expect(queue.wakeTime(playhead)).toBeUndefined();
  });

  test('nothing that follows one without its reliable bytes, however late that is', () => {
    const queue = queueOf(piece(4.1, 'coming'), piece(4.2, 'complete'));
    expect(queue.wakeTime(playhead)).toBeUndefined();
    expect(queue.take(20_000, playhead)).toEqual([]);
    expect(queue.first?.startTime).toBe(4.1);
  });

  test('what has gaps, while nothing plays, once nothing more of it can be on its way', () => {
    const queue = queueOf(
      piece(0, 'complete'),
      { ...piece(0.1, 'playable'), lastChance: 10_100 },
      piece(0.2, 'playable'),
    );
    expect(queue.take(10_099, undefined)).toHaveLength(1);
    expect(queue.wakeTime(undefined)).toBe(10_100);
    expect(queue.take(10_100, undefined)).toHaveLength(1);
    expect(queue.wakeTime(undefined)).toBe(Infinity);
  });

  test('what has gaps, while playback waits, once nothing more of it can be on its way, though it would be due', () => {
    const waiting = { ...playhead, isWaiting: true };
    const queue = queueOf({ ...piece(4, 'playable'), lastChance: 10_100 }, piece(4.1, 'playable'));
    expect(queue.take(10_099, waiting)).toEqual([]);
    expect(queue.wakeTime(waiting)).toBe(10_100);
    expect(queue.take(10_100, waiting)).toHaveLength(1);
    expect(queue.take(10_101, playhead)).toHaveLength(1);
  });

  test('every piece once and in order, whenever it looks', () => {
    const anyPiece = fc.record({
      startTime: fc.double({ min: 0, max: 20, noNaN: true }),
      isPlayable: fc.boolean(),
      isComplete: fc.boolean(),
      lastChance: fc.nat(30_000),
    });
    fc.assert(
      fc.property(fc.array(anyPiece), fc.array(fc.nat(30_000)), (pieces, times) => {
        const queue = queueOf(...pieces.map((one) => ({ ...one, isPlayable: one.isPlayable || one.isComplete })));
        const taken = times.sort((a, b) => a - b).flatMap((now) => queue.take(now, playhead));
        expect(taken.map(({ startTime }) => startTime)).toEqual(
          pieces.slice(0, taken.length).map(({ startTime }) => startTime),
        );
        const next = queue.first;
        const last = times.at(-1);
        if (next && last !== undefined && next.isPlayable) expect(last).toBeLessThan(dueTime(next.startTime, playhead));
      }),
    );
  });
});
