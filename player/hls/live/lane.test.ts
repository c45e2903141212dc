import { expect, test, vi } from 'vitest';
import type { GrowingFile } from './growing-file.js';
import { inFolder, Lane, nextOf } from './lane.js';

const file = () => ({ drop: vi.fn() }) as unknown as GrowingFile & { drop: ReturnType<typeof vi.fn> };

test('a file is followed once, and given up with what is asked for after it', () => {
  const [lane, first, other] = [new Lane(), file(), file()];
  expect(lane.follow('1', () => first)).toBe(first);
  expect(lane.follow('1', file)).toBe(first);
  lane.follow('7', () => other);
  lane.keep('7');
  expect([first.drop, other.drop].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  lane.keep(undefined);
  expect(other.drop).toHaveBeenCalledOnce();
  expect(lane.files.size).toBe(0);
});

test('what is followed ahead stays until something else than it is asked for', () => {
  const [lane, ahead] = [new Lane(), file()];
  lane.follow('1', file);
  expect(lane.isAhead('1')).toBe(false);
  lane.followAhead('1', '2', () => ahead);
  lane.keep('1');
  expect(lane.isAhead('1')).toBe(true);
  lane.keep('2');
  expect(lane.follow('2', file)).toBe(ahead);
  expect(lane.isAhead('2')).toBe(false);
  lane.keep('9');
  expect(ahead.drop).toHaveBeenCalledOnce();
});

test.each([
  ['https://a/live/v0/9.m4s', 'https://a/live/v0/10.m4s'],
  ['https://a/live/v0/9.m4s?token=1', 'https://a/live/v0/10.m4s?token=1'],
  ['https://a/live/v0/part-9.m4s', undefined],
  ['https://a/live/v0/9.mp4', undefined],
])('the segment after %s is %s', (url, next) => expect(nextOf(url)).toBe(next));

test('another representation has the same address in a folder of its name', () => {
  expect(inFolder('https://a/v0/live/v0/9.m4s', 'v0', 'v1')).toBe('https://a/v0/live/v1/9.m4s');
  expect(inFolder('https://a/live/9.m4s', 'v0', 'v1')).toBeUndefined();
});
