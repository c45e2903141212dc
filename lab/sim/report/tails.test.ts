import { expect, it } from 'vitest';
import { isLongWait, tailsOf, type TailSession } from './tails.js';

const session = (changes: Partial<TailSession> = {}): TailSession => ({
  ...{ trace: 'link', waited: 1, waitsLong: false, stalled: 0, longestStall: 0 },
  ...{ longestStill: 0.04, picturesPerSecond: 25 },
  ...changes,
});

it('are the share that waits long, the worst twentieth, and what stands still', () => {
  // 38 that wait a second, one 4 s, one 8: the worst twentieth of 40 are the two.
  const few = [4, 8].map((waited) => session({ waited, waitsLong: true, longestStall: waited / 2, longestStill: 3 }));
  const tails = tailsOf([...Array.from({ length: 38 }, () => session()), ...few]);
  expect(tails.sessions).toBe(40);
  expect(tails.waitsLong.value).toBeCloseTo(0.05);
  expect(tails.worst.value).toBeCloseTo(6);
  expect(tails.longestStall!.value).toBeCloseTo((2 + 4) / 40);
  expect(tails.longestStill!.value).toBeCloseTo((38 * 0.04 + 2 * 3) / 40);
  expect(tails.picturesPerSecond).toEqual({ value: 25, bounds: { low: 25, high: 25 } });
});

it('have bounds from ten sessions on, which are drawn by trace', () => {
  const starts = (trace: string, waited: number) => Array.from({ length: 5 }, () => session({ trace, waited }));
  const { worst } = tailsOf([...starts('one', 1), ...starts('other', 3)]);
  expect(worst).toEqual({ value: 3, bounds: { low: 1, high: 3 } });
  expect(tailsOf(starts('one', 1)).worst).toEqual({ value: 1 });
});

it('do not say what one of the sessions does not say, but at most how long stalls last', () => {
  const old = { longestStall: null, stalled: 6, longestStill: null, picturesPerSecond: null };
  const tails = tailsOf([session({ stalled: 2, longestStall: 2 }), session(old)]);
  expect(tails).toMatchObject({ longestStall: null, longestStill: null, picturesPerSecond: null });
  expect(tails.longestStallAtMost).toBe(4);
});

it('wait long with more than a twentieth of their time', () => {
  expect([3 / 60, 3.2 / 60].map(isLongWait)).toEqual([false, true]);
});
