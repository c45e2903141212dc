import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkQueue, dueTime, type QueuedChunk } from './chunk-queue.js';

const chunk = (start: number, state: 'coming' | 'playable' | 'complete'): QueuedChunk => ({
  start,
  isPlayable: state !== 'coming',
  isComplete: state === 'complete',
  lastChance: Infinity,
});

function queueOf(...chunks: readonly QueuedChunk[]): ChunkQueue<QueuedChunk> {
  const queue = new ChunkQueue<QueuedChunk>();
  for (const one of chunks) queue.add(one);
  return queue;
}

/** At 10 s of the clock 4 s are shown. */
const playhead = { mediaTime: 4, at: 10_000, rate: 1 };

describe('a chunk is due', () => {
  test('80 ms before its first frame is shown', () => {
    expect(dueTime(4.5, playhead)).toBe(10_420);
  });

  test('sooner where playback is faster', () => {
    expect(dueTime(5, { ...playhead, rate: 1.25 })).toBe(10_720);
  });
});

describe('the player gets', () => {
  test('what is complete at once, in order', () => {
    const [first, second] = [chunk(5, 'complete'), chunk(5.1, 'complete')];
    expect(queueOf(first, second, chunk(5.2, 'playable')).take(10_000, playhead)).toEqual([first, second]);
  });

  test('what has gaps when it is due, and no sooner', () => {
    const queue = queueOf(chunk(4.5, 'playable'));
    expect(queue.wakeTime(playhead)).toBe(10_420);
    expect(queue.take(10_419, playhead)).toEqual([]);
    expect(queue.take(10_420, playhead)).toHaveLength(1);
    expect(queue.wakeTime(playhead)).toBeUndefined();
  });

  test('nothing that follows one without its reliable bytes, however late that is', () => {
    const queue = queueOf(chunk(4.1, 'coming'), chunk(4.2, 'complete'));
    expect(queue.wakeTime(playhead)).toBeUndefined();
    expect(queue.take(20_000, playhead)).toEqual([]);
    expect(queue.first?.start).toBe(4.1);
  });

  test('what has gaps, while nothing plays, once nothing more of it can be on its way', () => {
    const queue = queueOf(
      chunk(0, 'complete'),
      { ...chunk(0.1, 'playable'), lastChance: 10_100 },
      chunk(0.2, 'playable'),
    );
    expect(queue.take(10_099, undefined)).toHaveLength(1);
    expect(queue.wakeTime(undefined)).toBe(10_100);
    expect(queue.take(10_100, undefined)).toHaveLength(1);
    expect(queue.wakeTime(undefined)).toBe(Infinity);
  });

  test('what has gaps, while playback waits, once nothing more of it can be on its way, though it would be due', () => {
    const waiting = { ...playhead, isWaiting: true };
    const queue = queueOf({ ...chunk(4, 'playable'), lastChance: 10_100 }, chunk(4.1, 'playable'));
    expect(queue.take(10_099, waiting)).toEqual([]);
    expect(queue.wakeTime(waiting)).toBe(10_100);
    expect(queue.take(10_100, waiting)).toHaveLength(1);
    expect(queue.take(10_101, playhead)).toHaveLength(1);
  });

  test('every chunk once and in order, whenever it looks', () => {
    const anyChunk = fc.record({
      start: fc.double({ min: 0, max: 20, noNaN: true }),
      isPlayable: fc.boolean(),
      isComplete: fc.boolean(),
      lastChance: fc.nat(30_000),
    });
    fc.assert(
      fc.property(fc.array(anyChunk), fc.array(fc.nat(30_000)), (chunks, times) => {
        const queue = queueOf(...chunks.map((one) => ({ ...one, isPlayable: one.isPlayable || one.isComplete })));
        const taken = times.sort((a, b) => a - b).flatMap((now) => queue.take(now, playhead));
        expect(taken.map(({ start }) => start)).toEqual(chunks.slice(0, taken.length).map(({ start }) => start));
        const next = queue.first;
        const last = times.at(-1);
        if (next && last !== undefined && next.isPlayable) expect(last).toBeLessThan(dueTime(next.start, playhead));
      }),
    );
  });
});
