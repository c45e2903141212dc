import { afterEach, describe, expect, test, vi } from 'vitest';
import { concatenate } from '../../../src/concatenate.js';
import type { DeliveredChunk } from '../../../src/voxel-loader/types.js';
import type { FragmentRequest, LoaderRequest, LoaderResponse } from '../dash-types.js';
import { LiveSegment } from './live-segment.js';

afterEach(() => vi.unstubAllGlobals());

/** A box of 20 bytes. */
function mdat(fill: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(20).fill(fill);
  bytes.set([0, 0, 0, 20, 0x6d, 0x64, 0x61, 0x74]);
  return bytes;
}

const chunk = (number: number, bytes = mdat(number)): DeliveredChunk =>
  ({ number, range: { start: 20 * number, end: 20 * number + 20 }, bytes }) as DeliveredChunk;

function scene() {
  const appended: number[] = [];
  const events: string[] = [];
  const response = {} as LoaderResponse;
  let deliver!: (chunk: DeliveredChunk) => void;
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const abort = vi.fn();
  const result = new Promise<void>((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  const request: LoaderRequest = {
    url: 'https://media.example/v/1.m4s',
    headers: {},
    timeout: 0,
    customData: {
      request: {} as FragmentRequest,
      onprogress: (event) => {
        if ('data' in event) appended.push(new Uint8Array(event.data)[19]!);
        else events.push(`progress ${event.loaded} ${event.time}`);
      },
      onloadend: () => events.push(`end ${response.status} ${(response.data as ArrayBuffer | undefined)?.byteLength}`),
      onabort: () => events.push('abort'),
    },
  };
  const parentLoad = vi.fn();
  const onFallback = vi.fn();
  const segment = new LiveSegment({
    ...{ request, response, parentLoad, onFallback, onChunk: () => {}, rate: () => 8e6 },
    follow: (onChunk) => {
      deliver = onChunk;
      return Promise.resolve({ result, abort });
    },
  });
  const running = segment.run();
  return {
    segment,
    running,
    request,
    response,
    appended,
    events,
    deliver,
    resolve,
    reject,
    abort,
    parentLoad,
    onFallback,
  };
}

test('each chunk is appended as it comes, and the end says that all went well', async () => {
  const { running, appended, events, deliver, resolve, parentLoad } = scene();
  deliver(chunk(0));
  deliver(chunk(1));
  expect(appended).toEqual([0, 1]);
  resolve();
  await running;
  // 40 bytes at 8 Mbit/s: 0.04 ms.
  expect(events).toEqual(['progress 40 0.04', 'end 206 0']);
  expect(parentLoad).not.toHaveBeenCalled();
});

test('of a repaired chunk that has another length its place in the file counts', async () => {
  const { running, events, deliver, resolve } = scene();
  deliver(chunk(0, new Uint8Array(30)));
  resolve();
  await running;
  expect(events[0]).toBe('progress 20 0.02');
});

describe('when the session fails', () => {
  test("before anything was appended, dash.js' own loader takes the request", async () => {
    const { running, request, response, reject, parentLoad, onFallback, events } = scene();
    reject(new Error('gone'));
    await running;
    expect(onFallback).toHaveBeenCalledOnce();
    expect(parentLoad).toHaveBeenCalledExactlyOnceWith(request, response);
    expect(events).toEqual([]);
  });

  test('later, only the rest is fetched', async () => {
    const fetched = vi.fn(() => Promise.resolve(new Response(concatenate([mdat(0), mdat(1), mdat(2)]))));
    vi.stubGlobal('fetch', fetched);
    const { running, appended, events, deliver, reject, parentLoad } = scene();
    deliver(chunk(0));
    reject(new Error('gone'));
    await running;
    await vi.waitFor(() => expect(events).toContain('end 206 0'));
    expect(appended).toEqual([0, 1, 2]);
    expect(events[0]).toBe('progress 60 0.06');
    expect(parentLoad).not.toHaveBeenCalled();
  });

  test('and the rest cannot be had, dash.js is told of a failure', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 404 })));
    const { running, events, deliver, reject } = scene();
    deliver(chunk(0));
    reject(new Error('gone'));
    await running;
    await vi.waitFor(() => expect(events).toEqual(['end 0 undefined']));
  });

  test('what the session still brings is not appended', async () => {
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    const { segment, appended, deliver, onFallback, abort } = scene();
    await Promise.resolve();
    deliver(chunk(0));
    segment.release(new Error('given up'));
    deliver(chunk(1));
    expect(appended).toEqual([0]);
    expect(abort).toHaveBeenCalled();
    expect(onFallback).toHaveBeenCalledOnce();
    await Promise.resolve();
  });
});

test('after an abort nothing reaches dash.js', async () => {
  const { running, request, appended, events, deliver, reject, abort, parentLoad } = scene();
  await Promise.resolve();
  deliver(chunk(0));
  request.customData.abort!();
  expect(abort).toHaveBeenCalledOnce();
  deliver(chunk(1));
  reject(new Error('aborted'));
  await running;
  expect(appended).toEqual([0]);
  expect(events).toEqual(['abort']);
  expect(parentLoad).not.toHaveBeenCalled();
});

test('an abort while the session is awaited ends what the session then brings', async () => {
  const { running, request, events, reject, abort, parentLoad } = scene();
  request.customData.abort!();
  reject(new Error('aborted'));
  await running;
  expect(abort).toHaveBeenCalledOnce();
  expect(events).toEqual(['abort']);
  expect(parentLoad).not.toHaveBeenCalled();
});
