import { expect, it } from 'vitest';
import type { FirstPictures } from '../../trials/first-pictures.js';
import type { TrialResult } from '../../trials/result.js';
import { barsOf, cellsOf, linesOf } from './cells.js';

const first = (seconds: number) => ({ seconds, waitedAfter: 0 });

function session(system: string, shift: number, pictures: Partial<FirstPictures>, others: object = {}): TrialResult {
  const firstPictures = { start: first(1), seeks: [], resumes: [], ...pictures };
  const conditions = { video: 'h264', trace: 'constant:10', path: '60 ms', server: 'aioquic', control: 'cubic' };
  const result = { ...conditions, crossTraffic: 'none', buffer: 1, repetition: 0, shift, system, firstPictures };
  return { ...result, scoreFirst: 0.9, timerDelayMs: 2, ...others } as unknown as TrialResult;
}

/** Twelve pairs whose seconds differ from link to link alone. */
const watching = Array.from({ length: 12 }, (_, shift) => [
  session('voxel', shift, { start: first(0.5 + shift), resumes: [first(1)] }, { scoreFirst: 0.91 }),
  session('dynamic', shift, { start: first(1 + 2 * shift), resumes: shift < 3 ? [] : [first(4)] }),
]).flat();

it('compares pair by pair, and leaves out what only one of two has', () => {
  const [cell] = cellsOf({ watching, jumping: [] }, 'dynamic', ['start', 'resume']);
  expect(cell!.start).toMatchObject({ pairs: 12, ratio: { value: 0.5, bounds: { low: 0.5, high: 0.5 } } });
  expect(cell!.start!.seconds).toEqual({ ours: 6, theirs: 12 });
  expect(cell!.resume).toMatchObject({ pairs: 9, ratio: { value: 0.25 } });
  expect(cell!.notStalled).toEqual({ ours: 0, theirs: 3 });
  expect(cell!.scoreFirst!.difference.value).toBeCloseTo(0.01);
  expect(cell).not.toHaveProperty('seek');
});

it('pairs jumps by their places, and has no starts of sessions that jump', () => {
  const seeks = (scale: number, places: readonly number[]) => ({
    start: first(9),
    seeks: places.map((to) => ({ to, ...first(scale * to) })),
  });
  const jumping = [session('voxel', 0, seeks(0.01, [20, 40])), session('dynamic', 0, seeks(0.05, [40, 8]))];
  const [cell] = cellsOf({ watching, jumping }, 'dynamic', ['start', 'seek', 'resume']);
  expect(cell!.seek).toMatchObject({ pairs: 1, seconds: { ours: 0.4, theirs: 2 } });
  expect(cell!.start!.pairs).toBe(12);
  expect(cell!.sessions).toEqual({ ours: 13, theirs: 13 });
});

it('keeps links and codecs apart, each with what is asked of it', () => {
  const others = [
    session('voxel', 0, { start: first(0.4) }, { path: 'unlimited', scoreFirst: 0.89 }),
    session('dynamic', 0, { start: first(0.5) }, { path: 'unlimited' }),
  ];
  const cells = cellsOf({ watching: [...watching, ...others], jumping: [] }, 'dynamic', ['start', 'resume']);
  expect(cells.flatMap(barsOf).map(({ name, holds }) => [name, holds])).toEqual([
    ['60 ms, h264: start', true],
    ['60 ms, h264: resume', true],
    ['60 ms, h264: first ten seconds', true],
    ['unlimited, h264: start', true],
    ['unlimited, h264: first ten seconds', false],
  ]);
  expect(linesOf(cells[0]!)[0]).toBe(
    '60 ms, h264: start × 0.50 [0.50, 0.50], 6.000 s beside 12.000 s, then waits 0.00 beside 0.00 s (12 pairs)',
  );
  expect(cellsOf({ watching: [], jumping: [] }, 'dynamic', ['start'])).toEqual([]);
});
