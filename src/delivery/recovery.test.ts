import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comesInTime, LossDetection, reorderingWindow } from './recovery.js';

/** Milliseconds. */
const RTT = 200;
const WINDOW = 25;

/** Datagrams of ten bytes arrive, by number, at these times. */
function detection(arrivals: readonly (readonly [number: number, at: number])[]): LossDetection {
  const losses = new LossDetection();
  for (const [number, at] of arrivals) losses.arrived(number * 10, number * 10 + 10, at);
  return losses;
}

describe('LossDetection', () => {
  it('sees no loss where every datagram comes in its turn', () => {
    const losses = detection([0, 1, 2, 3].map((number) => [number, 5 * number] as const));
    losses.sentUpTo(40, 20);
    expect(losses.due(WINDOW)).toBeUndefined();
    expect(losses.take(1000, WINDOW)).toEqual([]);
  });

  it('takes a gap for a loss when three later datagrams have come, and gathers for 10 ms', () => {
    const losses = detection([
      [0, 0],
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(losses.due(WINDOW)).toBe(13);
    expect(losses.take(12, WINDOW)).toEqual([]);
    losses.arrived(60, 70, 12);
    losses.arrived(70, 80, 12);
    expect(losses.take(13, WINDOW)).toEqual([{ start: 10, end: 20 }]);
    expect(losses.take(13, WINDOW)).toEqual([]);
  });

  it('counts only datagrams that were sent after the gap', () => {
    const losses = detection([
      [0, 0],
      [5, 1],
      [1, 2],
      [2, 2],
      [3, 2],
    ]);
    expect(losses.due(WINDOW)).toBe(1 + WINDOW);
  });

  it('takes a gap for a loss after the window, when fewer have come', () => {
    const losses = detection([
      [0, 0],
      [2, 100],
    ]);
    expect(losses.take(100 + WINDOW - 1, WINDOW)).toEqual([]);
    expect(losses.take(100 + WINDOW, WINDOW)).toEqual([{ start: 10, end: 20 }]);
  });

  it('knows of losses at the end from what the server has sent', () => {
    const losses = detection([[0, 0]]);
    losses.sentUpTo(35, 50);
    expect(losses.take(50 + WINDOW, WINDOW)).toEqual([{ start: 10, end: 35 }]);
  });

  it('gives every byte below the furthest exactly once, as arrived in order or as lost', () => {
    const arrivals = fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 60 });
    fc.assert(
      fc.property(arrivals, fc.nat(700), (list, sent) => {
        const losses = new LossDetection();
        const lost: number[] = [];
        const inOrder = new Set<number>();
        let now = 0;
        let reached = 0;
        const take = (at: number) => {
          for (const { start, end } of losses.take(at, WINDOW))
            for (let byte = start; byte < end; byte++) lost.push(byte);
        };
        for (const [number, wait] of list) {
          now += wait;
          losses.arrived(number * 10, number * 10 + 10, now);
          for (let byte = Math.max(reached, number * 10); byte < number * 10 + 10; byte++) inOrder.add(byte);
          reached = Math.max(reached, number * 10 + 10);
          take(now);
        }
        losses.sentUpTo(sent, now);
        take(now + RTT);
        expect(losses.due(WINDOW)).toBeUndefined();
        expect(new Set(lost).size).toBe(lost.length);
        const end = Math.max(reached, sent);
        for (let byte = 0; byte < end; byte++) expect(inOrder.has(byte)).toBe(!lost.includes(byte));
        expect(lost.every((byte) => byte < end)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('reorderingWindow', () => {
  it.each([
    ['an eighth of a round trip', RTT, true, WINDOW],
    ['a round trip where nothing is recovered', RTT, false, RTT],
    ['as long as timers are late', 1, true, 10],
  ])('is %s', (_what, roundTrip, isRecovered, expected) => {
    expect(reorderingWindow(roundTrip, isRecovered)).toBe(expected);
  });
});

describe('comesInTime', () => {
  it.each([
    [undefined, 1e6, true],
    [1000, 750, true],
    [1000, 751, false],
  ])('deadline %s ms, %d ms elapsed, 200 ms round trip: %s', (deadline, elapsed, expected) => {
    expect(comesInTime(deadline, elapsed, RTT)).toBe(expected);
  });
});
