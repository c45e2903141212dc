import { expect, it } from 'vitest';
import { recovery, type Shown } from './pictures.js';

const PICTURES = 30;

/** Pictures in real time from one second to another. */
function moving(from: number, to: number, start = from): Shown[] {
  return Array.from({ length: Math.round((to - from) * PICTURES) }, (_, place) => ({
    at: 1000 * (from + place / PICTURES),
    time: start + place / PICTURES,
  }));
}

/** A still each second. */
function still(from: number, to: number): Shown[] {
  return Array.from({ length: to - from }, (_, place) => ({ at: 1000 * (from + place), time: from + place }));
}

const FAULT = { begin: 10_000, end: 13_000 };
const NOW = 30_000;

it('says 0 where pictures never stood', () => {
  const { back, stood, speed } = recovery(moving(0, 30), FAULT, NOW);
  expect([back, stood]).toEqual([0, 0]);
  expect(speed).toBeCloseTo(1, 2);
});

it('counts from the end of the fault until pictures move', () => {
  const { back, stood, standstills } = recovery([...moving(0, 11), ...moving(15, 30)], FAULT, NOW);
  expect(back).toBeCloseTo(2, 5);
  expect(stood).toBeCloseTo(4, 1);
  expect(standstills).toEqual([[expect.closeTo(-2, 1), expect.closeTo(2, 1)]]);
});

it('takes stills for no moving pictures', () => {
  const { back, stood } = recovery([...moving(0, 11), ...still(11, 16), ...moving(16, 30)], FAULT, NOW);
  expect(back).toBeCloseTo(3, 1);
  expect(stood).toBeCloseTo(5, 1);
});

it('counts until they move for good, whenever they began to stand', () => {
  const shown = [...moving(0, 14), ...moving(16, 17), ...moving(19, 30)];
  expect(recovery(shown, FAULT, NOW).back).toBeCloseTo(6, 5);
});

it('does not count what stood before the fault or only during it', () => {
  const shown = [...moving(0, 5), ...moving(9, 11), ...moving(12.5, 30)];
  const { back, stood } = recovery(shown, FAULT, NOW);
  expect(back).toBe(0);
  expect(stood).toBeCloseTo(1.5, 1);
});

it('says that they do not move again', () => {
  const { back, stood, speed } = recovery(moving(0, 11), FAULT, NOW);
  expect([back, speed]).toEqual([Infinity, 0]);
  expect(stood).toBeCloseTo(19, 1);
  expect(recovery([], FAULT, NOW).back).toBe(Infinity);
  expect(recovery([...moving(0, 11), ...moving(15, 28)], FAULT, NOW).back).toBe(Infinity);
});

it('measures how fast they are shown at last', () => {
  const slow = moving(0, 30).map(({ at, time }) => ({ at, time: time / 2 }));
  expect(recovery(slow, FAULT, NOW).speed).toBeCloseTo(0.5, 2);
});
