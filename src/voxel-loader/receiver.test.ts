import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { box, sampleEntry, track } from '../../test/repair/fmp4-builder.js';
import { FakeVoxelServer } from '../../test/unit/fake-voxel-server.js';
import { fileBytes, segmentOf } from '../../test/unit/segment-content.js';
import { createThread } from '../../test/unit/worker-thread.js';
import { createReplacer } from '../repair/index.js';
import { deferred } from './deferred.js';
import { VoxelError } from './errors.js';
import { Receiver } from './receiver.js';

const endpoint = { url: 'https://media.example/voxel', certificateHashes: [] };
const map = segmentOf(1000, [40, 60, 10, 30]);

beforeEach(() => {
  vi.stubGlobal('navigator', { vendor: 'Google Inc.' });
  vi.stubGlobal('WebTransport', vi.fn());
});

afterEach(() => vi.unstubAllGlobals());

/** A receiver whose workers run in this thread; the tests' Node has none for scripts from Blob URLs. */
function createReceiver() {
  const threads: ReturnType<typeof createThread>[] = [];
  const receiver = new Receiver({
    withoutWorker() {
      const thread = createThread(new FakeVoxelServer());
      threads.push(thread);
      return thread.worker;
    },
  });
  return { receiver, threads };
}

describe('where there can be no worker', () => {
  it('says what the page lacks', async () => {
    const opening = new Receiver().open(Promise.resolve(endpoint));
    await expect(opening).rejects.toMatchObject({ code: 'unsupported' });
    await expect(opening).rejects.toThrow('worker-src');
  });

  it('knows nothing of the frames of a segment', async () => {
    expect((await new Receiver().inspect('0/q00', map, new Uint8Array(140))).states).toEqual([]);
  });

  it('runs on the page, if it may', async () => {
    const session = await createReceiver().receiver.open(Promise.resolve(endpoint));
    expect(session.thread).toBe('page');
  });
});

it('does without a worker in a browser that has no WebTransport', async () => {
  vi.stubGlobal('WebTransport', undefined);
  Reflect.deleteProperty(globalThis, 'WebTransport');
  const { receiver, threads } = createReceiver();
  await expect(receiver.open(Promise.resolve(endpoint))).rejects.toMatchObject({ code: 'unsupported' });
  expect(threads).toEqual([]);
});

it('has no session where there is no server', async () => {
  const { receiver } = createReceiver();
  await expect(receiver.open(Promise.reject(new Error('no server')))).rejects.toThrow('no server');
});

it('has all sessions in one worker, which learns of initialization segments once', async () => {
  const { receiver, threads } = createReceiver();
  receiver.addInitialization('0/q00', new Uint8Array(4));
  await receiver.open(Promise.resolve(endpoint));
  receiver.addInitialization('0/q01', new Uint8Array(4));
  await receiver.open(Promise.resolve(endpoint));
  expect(threads).toHaveLength(1);
  const given = threads[0]!.received.mock.calls.map(([message]) => message).filter(({ type }) => type === 'initialize');
  expect(given).toMatchObject([{ representation: '0/q00' }, { representation: '0/q01' }]);
  // Four zeros are no initialization segment.
  expect(await receiver.canRepair('0/q00', map)).toBe(false);
  expect(await receiver.canRepair('0/q02', map)).toBe(false);
});

it('tells each worker once which codecs to expect', async () => {
  const { receiver, threads } = createReceiver();
  receiver.expect('av01.0.00M.08');
  await receiver.open(Promise.resolve(endpoint));
  for (const codec of ['av01.0.00M.08', 'avc1.64001e']) receiver.expect(codec);
  receiver.stop();
  await receiver.open(Promise.resolve(endpoint));
  const expected = threads.map(({ received }) =>
    received.mock.calls.flatMap(([message]) => (message.type === 'expect' ? [message.codec] : [])),
  );
  expect(expected).toEqual([
    ['av01.0.00M.08', 'avc1.64001e'],
    ['av01.0.00M.08', 'avc1.64001e'],
  ]);
});

it('starts another worker after a crash, and after it was stopped', async () => {
  const { receiver, threads } = createReceiver();
  receiver.addInitialization('0/q00', new Uint8Array(4));
  const crashed = await receiver.open(Promise.resolve(endpoint));
  threads[0]!.worker.onerror!({ message: 'out of memory' } as ErrorEvent);
  expect(await crashed.closed).toMatchObject({ code: 'session-closed' });
  const stopped = await receiver.open(Promise.resolve(endpoint));
  expect(threads[1]!.received.mock.calls[0]).toMatchObject([{ type: 'initialize' }]);
  receiver.stop();
  expect(await stopped.closed).toMatchObject({ code: 'session-closed' });
  await receiver.open(Promise.resolve(endpoint));
  expect(threads).toHaveLength(3);
});

it('ends a worker that starts after it was stopped', async () => {
  const { receiver, threads } = createReceiver();
  const opening = receiver.open(Promise.resolve(endpoint));
  await Promise.resolve();
  receiver.stop();
  await expect(opening).rejects.toMatchObject({ code: 'aborted' });
  await vi.waitFor(() => expect(threads.every(({ exit }) => exit.mock.calls.length > 0)).toBe(true));
});

it('starts no worker once it is closed, for segments that arrive later', async () => {
  const { receiver, threads } = createReceiver();
  await receiver.open(Promise.resolve(endpoint));
  receiver.close();
  expect((await receiver.inspect('0/q00', map, new Uint8Array(140))).states).toEqual([]);
  await expect(receiver.open(Promise.resolve(endpoint))).rejects.toMatchObject({ code: 'aborted' });
  expect(threads).toHaveLength(1);
});

it('answers whoever asked about an initialization segment that another has replaced', async () => {
  const { receiver } = createReceiver();
  receiver.addInitialization('0/q00', new Uint8Array(4));
  const asked = receiver.canRepair('0/q00', map);
  receiver.addInitialization('0/q00', new Uint8Array(4));
  await receiver.open(Promise.resolve(endpoint));
  expect(await asked).toBe(false);
});

it('says why it cannot know what can be repaired', async () => {
  const load = () => Promise.reject(new VoxelError('unsupported', 'voxel-removal.js cannot be loaded'));
  const repair = { create: createReplacer, load };
  const receiver = new Receiver({ withoutWorker: () => createThread(new FakeVoxelServer(), repair).worker });
  receiver.addInitialization('0/q00', box('moov', track(sampleEntry('av01'))));
  await receiver.open(Promise.resolve(endpoint));
  await expect(receiver.canRepair('0/q00', map)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'voxel-removal.js cannot be loaded',
  });
});

it('puts a segment together that the page brings, in any order; a worker that crashes fails it', async () => {
  const { receiver, threads } = createReceiver();
  const request = { representation: '0/q00', map, time: { start: 0, duration: 2 } };
  const fed = await receiver.assemble(request);
  fed.push(1080, fileBytes([{ start: 1080, end: 1150 }]));
  fed.push(990, fileBytes([{ start: 990, end: 1080 }]));
  fed.end();
  expect((await fed.result).bytes).toEqual(fileBytes([map.range]));
  const short = await receiver.assemble(request);
  short.push(1000, fileBytes([{ start: 1000, end: 1080 }]));
  short.end();
  await expect(short.result).rejects.toMatchObject({ code: 'incomplete' });
  const lost = await receiver.assemble(request);
  threads[0]!.worker.onerror!({ message: 'out of memory' } as ErrorEvent);
  await expect(lost.result).rejects.toMatchObject({ code: 'session-closed' });
});

it('puts together what the page brings before it is closed', async () => {
  const { receiver, threads } = createReceiver();
  const fed = await receiver.assemble({ representation: '0/q00', map, time: { start: 0, duration: 2 } });
  receiver.close();
  fed.push(map.range.start, fileBytes([map.range]));
  expect(threads[0]!.exit).not.toHaveBeenCalled();
  fed.end();
  expect((await fed.result).bytes).toEqual(fileBytes([map.range]));
  await vi.waitFor(() => expect(threads[0]!.exit).toHaveBeenCalled());
});

it('starts no worker before it may', async () => {
  const { receiver, threads } = createReceiver();
  const may = deferred();
  const opening = receiver.open(Promise.resolve(endpoint), may.promise);
  const fed = receiver.assemble({ representation: '0/q00', map, time: { start: 0, duration: 2 } });
  await new Promise((resolve) => setTimeout(resolve));
  expect(threads).toEqual([]);
  may.resolve();
  await opening;
  const { result } = await fed;
  result.catch(() => undefined);
  expect(threads).toHaveLength(1);
  receiver.stop();
  const again = deferred();
  const stopped = receiver.open(Promise.resolve(endpoint), again.promise);
  await Promise.resolve();
  receiver.stop();
  again.resolve();
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  expect(threads).toHaveLength(1);
});
