import { beforeEach, expect, test, vi } from 'vitest';
import type { DeliveredChunk } from '../../../src/voxel-loader/types.js';
import { deferred } from '../../../src/voxel-loader/deferred.js';
import { GrowingFile } from './growing-file.js';

/** Ten bytes each, a fifth of a second long. */
const chunk = (number: number): DeliveredChunk =>
  ({
    number,
    range: { start: 10 * number, end: 10 * number + 10 },
    startTime: 60 + number / 5,
    duration: 0.2,
    bytes: new Uint8Array(3).fill(number),
  }) as unknown as DeliveredChunk;

let send: (chunk: DeliveredChunk) => void;
let result = deferred();
const abort = vi.fn();
const options = { onChunk: vi.fn(), onFailure: vi.fn() };
const take = vi.fn();
const refuse = vi.fn();

beforeEach(() => {
  vi.resetAllMocks();
  result = deferred();
});

function follow(): GrowingFile {
  return new GrowingFile({
    ...options,
    follow: (onChunk) => {
      send = onChunk;
      return Promise.resolve({ result: result.promise, abort });
    },
  });
}

const taken = (): number[][] => take.mock.calls.map(([, bytes]) => [...(bytes as Uint8Array)]);

test('a part is answered at once where its chunk is here, and otherwise when it comes', () => {
  const file = follow();
  send(chunk(0));
  file.ask({ range: { start: 0, end: 10 }, take, refuse });
  expect(taken()).toEqual([[0, 0, 0]]);
  file.ask({ range: { start: 10, end: 20 }, take, refuse });
  expect(taken()).toHaveLength(1);
  send(chunk(1));
  expect(taken()).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ]);
  expect(options.onChunk).toHaveBeenCalledTimes(2);
  expect(file.seconds).toBeCloseTo(0.4);
  expect(refuse).not.toHaveBeenCalled();
});

test('the whole file is answered once it has ended', async () => {
  const file = follow();
  file.ask({ range: undefined, take, refuse });
  send(chunk(0));
  send(chunk(1));
  expect(take).not.toHaveBeenCalled();
  result.resolve();
  await vi.waitFor(() => expect(taken()).toEqual([[0, 0, 0, 1, 1, 1]]));
});

test('a part that no chunk is, is refused as soon as that is known', () => {
  const file = follow();
  file.ask({ range: { start: 0, end: 7 }, take, refuse });
  expect(refuse).not.toHaveBeenCalled();
  send(chunk(0));
  expect(refuse).toHaveBeenCalledOnce();
  expect(take).not.toHaveBeenCalled();
});

test('a part that does not come before the end is refused', async () => {
  follow().ask({ range: { start: 0, end: 10 }, take, refuse });
  result.resolve();
  await vi.waitFor(() => expect(refuse).toHaveBeenCalledOnce());
  expect(options.onFailure).not.toHaveBeenCalled();
});

test('after a failure, which is told once, what has come is still there and all else is refused', async () => {
  const file = follow();
  send(chunk(0));
  file.ask({ range: { start: 10, end: 20 }, take, refuse });
  const error = new Error('the session is gone');
  result.reject(error);
  await vi.waitFor(() => expect(refuse).toHaveBeenCalledOnce());
  file.ask({ range: { start: 20, end: 30 }, take, refuse });
  expect(refuse).toHaveBeenCalledTimes(2);
  file.ask({ range: { start: 0, end: 10 }, take, refuse });
  expect(taken()).toEqual([[0, 0, 0]]);
  expect(options.onFailure.mock.calls).toEqual([[error]]);
});

test('one that is dropped ends what is followed, and is no failure', async () => {
  const file = follow();
  await Promise.resolve();
  file.ask({ range: { start: 0, end: 10 }, take, refuse });
  file.drop();
  expect(refuse).toHaveBeenCalledOnce();
  expect(abort).toHaveBeenCalled();
  result.reject(new Error('aborted'));
  send(chunk(0));
  await Promise.resolve();
  expect(options.onFailure).not.toHaveBeenCalled();
  expect(options.onChunk).not.toHaveBeenCalled();
});

test('one that is dropped before the session has answered is aborted when it does', async () => {
  const following = deferred<{ readonly result: Promise<void>; readonly abort: () => void }>();
  const file = new GrowingFile({ ...options, follow: () => following.promise });
  file.drop();
  following.resolve({ result: result.promise, abort });
  await vi.waitFor(() => expect(abort).toHaveBeenCalledOnce());
});

test('where it ends is known once it is complete, and never after a failure', async () => {
  const file = follow();
  send(chunk(0));
  expect(file.endsAt(10)).toBe(false);
  result.resolve();
  await vi.waitFor(() => expect([file.endsAt(0), file.endsAt(10)]).toEqual([false, true]));
  file.drop();
  expect(file.endsAt(10)).toBeUndefined();
});

test('nobody is answered who has taken the question back', () => {
  const file = follow();
  file.ask({ range: { start: 0, end: 10 }, take, refuse })();
  send(chunk(0));
  expect(take).not.toHaveBeenCalled();
});
