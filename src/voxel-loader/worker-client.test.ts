import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createThread } from '../../test/unit/worker-thread.js';
import { FakeVoxelServer, datagram, responses, type FakeRequest } from '../../test/unit/fake-voxel-server.js';
import { fileBytes, segmentOf } from '../../test/unit/segment-content.js';
import { RepairError } from '../repair/index.js';
import type { SegmentRequest } from './types.js';
import { WorkerClient } from './worker-client.js';
import { Repairers } from './worker/repairers.js';

const map = segmentOf(1000, [40, 60, 10, 30]);
const [small, large] = map.unreliable;
const endpoint = { url: 'https://media.example/voxel', certificateHashes: [] };
const request: SegmentRequest = {
  representation: '0/q00',
  target: '/a.mp4',
  map,
  edition: 0,
  unreliableBytes: 90,
  delivery: 'datagrams',
  recovery: false,
  headers: {},
};

/** Reliable bytes on the stream; of the datagrams only the first 30 bytes. */
function answer(incoming: FakeRequest, server: FakeVoxelServer): void {
  const { flow, body } = incoming;
  incoming.send(flow === undefined ? responses.reliable(body.length) : responses.unreliable(body.length, flow));
  if (flow === undefined) {
    incoming.send(body);
  } else {
    server.sendDatagram(datagram(flow, 0, body.slice(0, 30)));
    incoming.send(responses.trailer(body.length, 1));
  }
  incoming.finish();
}

const repair = vi.spyOn(Repairers.prototype, 'repair');

beforeEach(() => {
  repair.mockImplementation((_representation, { bytes }) => ({ bytes, frames: [] }));
});

afterEach(() => repair.mockReset());
afterAll(() => repair.mockRestore());

async function open(onRequest: (incoming: FakeRequest, server: FakeVoxelServer) => void) {
  const server: FakeVoxelServer = new FakeVoxelServer((incoming) => onRequest(incoming, server));
  const thread = createThread(server);
  const onFailed = vi.fn();
  const client = new WorkerClient({ worker: thread.worker, thread: 'worker', onInitialized: vi.fn(), onFailed });
  return { server, ...thread, client, onFailed, session: await client.open(endpoint) };
}

describe('a session in a worker', () => {
  it('gives the page a segment that can be played, and what of it has arrived', async () => {
    const { session } = await open(answer);
    repair.mockImplementation((_representation, { bytes }) => ({ bytes: bytes.map((byte) => byte || 7), frames: [] }));
    const { bytes, received, bytesReliable, bytesUnreliable, bytesLost } = await session.download(request).result;
    expect(session.thread).toBe('worker');
    expect({ bytesReliable, bytesUnreliable, bytesLost }).toEqual({
      bytesReliable: 50,
      bytesUnreliable: 30,
      bytesLost: 60,
    });
    expect([...received]).toEqual([
      { start: 0, end: 40 },
      { start: 100, end: 140 },
    ]);
    expect(bytes.subarray(40, 100).every((byte) => byte === 7)).toBe(true);
    expect(bytes.subarray(100)).toEqual(fileBytes([map.range]).subarray(100));
  });

  it('tells of progress, and keeps what is here when told', async () => {
    const { server, session } = await open(() => {});
    const download = session.download(request);
    expect(download.keep()).toBe(false);
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    const [reliable, unreliable] = server.requests as [FakeRequest, FakeRequest];
    reliable.send(responses.reliable(50));
    reliable.send(reliable.body);
    unreliable.send(responses.unreliable(90, unreliable.flow!));
    server.sendDatagram(datagram(unreliable.flow!, 0, unreliable.body.slice(0, 10)));
    await vi.waitFor(() => expect(download.progress()).toMatchObject({ phase: 'unreliable', bytesUnreliable: 10 }));
    expect(download.progress()).toMatchObject({ bytesReliable: 50, bytesRequested: 140 });
    expect(download.keep()).toBe(true);
    expect((await download.result).bytesUnreliable).toBe(10);
    expect(unreliable.cancelled).toBe(true);
  });

  it('aborts at once on the page, and at the server', async () => {
    const { server, session } = await open(() => {});
    const download = session.download(request);
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    download.abort();
    await expect(download.result).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(() => expect(server.requests.every(({ cancelled }) => cancelled)).toBe(true));
  });

  it('passes on why a download failed, or why what came cannot be repaired', async () => {
    const refusing = await open((incoming) => {
      incoming.send(responses.error(404));
      incoming.finish();
    });
    await expect(refusing.session.download(request).result).rejects.toMatchObject({
      code: 'status',
      status: 404,
      fatal: false,
    });
    const tooMuch = refusing.session.download({ ...request, unreliableBytes: 91 });
    await expect(tooMuch.result).rejects.toMatchObject({ code: 'bad-request' });

    const { session } = await open(answer);
    repair.mockImplementation(() => {
      throw new RepairError('missing-reliable-bytes', 'a slice header is missing');
    });
    await expect(session.download(request).result).rejects.toMatchObject({
      code: 'missing-reliable-bytes',
      message: 'a slice header is missing',
    });
  });

  it('ends with the session, and with the worker', async () => {
    const { server, session } = await open(() => {});
    const download = session.download(request);
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    server.breakSession();
    await expect(download.result).rejects.toMatchObject({ code: 'session-closed' });
    expect(await session.closed).toMatchObject({ code: 'session-closed' });

    const crashed = await open(() => {});
    const lost = crashed.session.download(request);
    crashed.worker.onerror!({ message: 'out of memory' } as ErrorEvent);
    await expect(lost.result).rejects.toMatchObject({ code: 'session-closed' });
    expect((await crashed.session.closed).message).toContain('out of memory');
    expect(crashed.onFailed).toHaveBeenCalledOnce();
  });

  it.each([
    ['breaks', (server: FakeVoxelServer) => server.breakSession()],
    ['is closed', (server: FakeVoxelServer) => server.closeSession('the server stops')],
  ])('delivers what has all its reliable bytes when the session %s', async (_, end) => {
    const { server, session } = await open(() => {});
    const download = session.download(request);
    const missing = session.download({ ...request, target: '/b.mp4' });
    const failed = expect(missing.result).rejects.toMatchObject({ code: 'session-closed' });
    await vi.waitFor(() => expect(server.requests).toHaveLength(4));
    const [reliable, unreliable] = server.requests as [FakeRequest, FakeRequest];
    reliable.send(responses.reliable(50));
    reliable.send(reliable.body);
    reliable.finish();
    unreliable.send(responses.unreliable(90, unreliable.flow!));
    server.sendDatagram(datagram(unreliable.flow!, 0, unreliable.body.slice(0, 10)));
    await vi.waitFor(() => expect(download.progress()).toMatchObject({ phase: 'unreliable', bytesUnreliable: 10 }));
    end(server);
    const { bytesReliable, bytesUnreliable, failure } = await download.result;
    expect({ bytesReliable, bytesUnreliable }).toEqual({ bytesReliable: 50, bytesUnreliable: 10 });
    expect(failure).toMatchObject({ code: 'session-closed' });
    await failed;
    expect(await session.closed).toMatchObject({ code: 'session-closed' });
  });

  it('says why it could not be opened', async () => {
    const { worker } = createThread(new FakeVoxelServer(() => {}, Promise.reject(new Error('no route'))));
    const client = new WorkerClient({ worker, thread: 'worker', onInitialized: vi.fn(), onFailed: vi.fn() });
    await expect(client.open(endpoint)).rejects.toMatchObject({ code: 'session-failed' });
  });

  it('leaves its worker alone when it is closed', async () => {
    const { server, session, client, exit } = await open(answer);
    session.close();
    expect(await session.closed).toMatchObject({ code: 'session-closed' });
    await vi.waitFor(() => expect(server.closedByClient).toBe(true));
    await expect(client.open(endpoint)).resolves.toBeDefined();
    expect(exit).not.toHaveBeenCalled();
  });

  it('ends with the worker when that is stopped, even one that does not react', async () => {
    vi.useFakeTimers();
    const { server, session, client, exit, terminate } = await open(() => {});
    client.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.closedByClient).toBe(true);
    expect(exit).toHaveBeenCalledOnce();
    expect(terminate).toHaveBeenCalled();
    expect(await session.closed).toMatchObject({ code: 'session-closed' });
    vi.useRealTimers();
  });
});

describe('a segment with gaps', () => {
  const answerAll = (incoming: FakeRequest, server: FakeVoxelServer): void => {
    if (server.requests.length <= 2) {
      answer(incoming, server);
      return;
    }
    incoming.send(responses.reliable(incoming.body.length));
    incoming.send(incoming.body);
    incoming.finish();
  };

  it('takes what is fetched later, on a stream and in the order asked for, and is repaired anew', async () => {
    const { server, session } = await open(answerAll);
    const { kept } = await session.download({ ...request, unreliableBytes: 30 }).result;
    repair.mockClear();
    const ranges = [
      { start: 1080, end: 1100 },
      { start: 1040, end: 1080 },
    ];
    const better = await session.fetchInto(kept!, ranges).result;
    expect(server.requests.at(-1)).toMatchObject({ flow: undefined, ranges });
    expect(better.bytes).toEqual(fileBytes([map.range]));
    expect(better).toMatchObject({ bytesUnreliable: 60, bytesLost: 0, kept: undefined });
    expect(repair).toHaveBeenCalledOnce();
  });

  it('keeps what has arrived when the request is stopped or the stream breaks', async () => {
    const { session } = await open((incoming, server) => {
      if (server.requests.length <= 2) {
        answer(incoming, server);
        return;
      }
      incoming.send(responses.reliable(incoming.body.length));
      incoming.send(incoming.body.subarray(0, 35));
      // A stream that breaks forgets what it has not yet handed over.
      setTimeout(() => incoming.reset());
    });
    const { kept, received } = await session.download(request).result;
    const broken = await session.fetchInto(kept!, [large!]).result;
    expect(broken.received.size).toBe(received.size + 35);
    expect(broken).toMatchObject({ bytesLost: 25, failure: { code: 'incomplete', fatal: false } });
    expect(broken.kept?.id).toBe(kept!.id);
  });

  it('outlives its session', async () => {
    const { client, session } = await open(answerAll);
    const { kept } = await session.download(request).result;
    session.close();
    const another = await client.open(endpoint);
    const { bytesLost } = await another.fetchInto(kept!, [large!]).result;
    expect(bytesLost).toBe(0);
  });

  it('is gone with its worker: the next one has none of that number', async () => {
    const [former, next] = [await open(answerAll), await open(answerAll)];
    const { kept } = await former.session.download(request).result;
    await next.session.download(request).result;
    await expect(next.session.fetchInto(kept!, [large!]).result).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is gone once it is released', async () => {
    const { session } = await open(answerAll);
    const { kept } = await session.download(request).result;
    kept!.release();
    await expect(session.fetchInto(kept!, [large!]).result).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is gone when its download is aborted before the page has heard of it', async () => {
    const { session, pending } = await open(answerAll);
    const download = session.download(request);
    repair.mockImplementation((_representation, { bytes }) => {
      download.abort();
      return { bytes, frames: [] };
    });
    await expect(download.result).rejects.toMatchObject({ code: 'aborted' });
    await pending();
    const again = session.fetchInto({ id: 1, release: vi.fn() }, [small!]);
    await expect(again.result).rejects.toMatchObject({ code: 'aborted' });
  });
});

it('tells what a whole segment is made of', async () => {
  const { client } = await open(() => {});
  const report = { index: 0, start: 0, bytes: 140, type: 'P' as const, slices: 1, repairedSlices: 0, removed: false };
  repair.mockImplementation((_representation, { bytes }) => ({ bytes, frames: [report] }));
  const { states } = await client.inspect('0/q00', map, fileBytes([map.range]));
  expect(states).toEqual(['complete']);
});
