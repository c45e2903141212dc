import { expect, it } from 'vitest';
import { layOut } from './content/segment-layout.js';
import { bytesLeft, cutSegment, pieceCount } from './pieces.js';

/** Eight frames of 10 bytes behind a key frame; the most important ones are the last in time. */
const inTime = layOut({
  reliableBytes: 30,
  steps: [
    { score: 0.5, frames: 0, bytes: 0 },
    { score: 1, frames: 8, bytes: 80 },
  ],
});
const MAP = { ...inTime, unreliable: [...inTime.unreliable].reverse() };

it('cuts a segment into about half seconds', () => {
  expect([4, 1, 0.3].map(pieceCount)).toEqual([8, 2, 1]);
});

it('asks for the first pieces by time, and for the others by worth, of what is asked for', () => {
  const starts = (isByTime: boolean, bytes: number) =>
    cutSegment(MAP, bytes, 4, isByTime).order.map(({ start }) => start);
  expect(starts(false, 80)).toEqual([100, 90, 80, 70, 60, 50, 40, 30]);
  expect(starts(true, 80)).toEqual([30, 40, 50, 60, 100, 90, 80, 70]);
  expect(starts(true, 60)).toEqual([50, 60, 100, 90, 80, 70]);
});

it('counts what each piece misses', () => {
  const cut = cutSegment(MAP, 80, 4, true);
  expect(bytesLeft(cut, 0)).toEqual([20, 20, 20, 20]);
  expect(bytesLeft(cut, 15)).toEqual([5, 20, 20, 20]);
  expect(bytesLeft(cut, 45)).toEqual([0, 0, 20, 15]);
  expect(bytesLeft(cut, 80)).toEqual([0, 0, 0, 0]);
});
