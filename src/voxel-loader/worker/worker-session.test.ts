import { describe, expect, it, vi } from 'vitest';
import { FakeVoxelServer, datagram, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import { openSession } from '../session.js';
import type { SegmentRequest } from '../types.js';
import type { PageMessage, WorkerMessage } from './messages.js';
import { SessionHost } from './session-host.js';
import type { WorkerLike } from './start-worker.js';
import { openWorkerSession } from './worker-session.js';

const map = segmentOf(1000, [40, 60, 10, 30]);
const endpoint = { url: 'https://media.example/voxel', certificateHashes: [] };
const request: SegmentRequest = { target: '/a.mp4', map, unreliableBytes: 90, delivery: 'datagrams', headers: {} };

/** A worker in this thread: messages are cloned and come later, as between threads. */
function createWorker(server: FakeVoxelServer) {
  const terminate = vi.fn();
  const worker: WorkerLike = {
    ...{ onmessage: null, onerror: null, onmessageerror: null, terminate },
    postMessage(message: PageMessage) {
      const copy = structuredClone(message);
      queueMicrotask(() => host.receive(copy));
    },
  };
  const post = (message: WorkerMessage, transfer: Transferable[]): void => {
    const event = { data: structuredClone(message, { transfer }) } as MessageEvent;
    queueMicrotask(() => void worker.onmessage?.call(worker as Worker, event));
  };
  const exit = vi.fn();
  const host = new SessionHost(post, exit, (located) => openSession(located, server.WebTransport));
  return { worker, exit, terminate };
}

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

async function open(onRequest: (incoming: FakeRequest) => void) {
  const server = new FakeVoxelServer(onRequest);
  const ends = createWorker(server);
  return { server, ...ends, session: await openWorkerSession(ends.worker, endpoint) };
}

describe('a session in a worker', () => {
  it('gives the page the segment with its holes, and lets go of the buffer', async () => {
    const { server, session } = await open((incoming) => answer(incoming, server));
    const { bytes, received, lost, bytesReliable, bytesUnreliable, bytesLost } = await session.download(request).result;
    expect(session.thread).toBe('worker');
    expect({ bytesReliable, bytesUnreliable, bytesLost }).toEqual({
      bytesReliable: 50,
      bytesUnreliable: 30,
      bytesLost: 60,
    });
    expect(lost).toEqual([{ start: 40, end: 100 }]);
    expect([...received]).toEqual([
      { start: 0, end: 40 },
      { start: 100, end: 140 },
    ]);
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

  it('passes on why a download failed', async () => {
    const { session } = await open((incoming) => {
      incoming.send(responses.error(404));
      incoming.finish();
    });
    await expect(session.download(request).result).rejects.toMatchObject({ code: 'status', status: 404, fatal: false });
    const tooMuch = session.download({ ...request, unreliableBytes: 91 });
    await expect(tooMuch.result).rejects.toMatchObject({ code: 'bad-request' });
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
    crashed.worker.onerror!.call(crashed.worker as Worker, { message: 'out of memory' } as ErrorEvent);
    await expect(lost.result).rejects.toMatchObject({ code: 'session-closed' });
    expect((await crashed.session.closed).message).toContain('out of memory');
  });

  it('says why it could not be opened', async () => {
    const { worker } = createWorker(new FakeVoxelServer(() => {}, Promise.reject(new Error('no route'))));
    await expect(openWorkerSession(worker, endpoint)).rejects.toMatchObject({ code: 'session-failed' });
  });

  it('ends the worker when it is closed, even one that does not react', async () => {
    vi.useFakeTimers();
    const { server, session, exit, terminate } = await open(() => {});
    session.close();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.closedByClient).toBe(true);
    expect(exit).toHaveBeenCalledOnce();
    expect(terminate).toHaveBeenCalled();
    expect(await session.closed).toMatchObject({ code: 'session-closed' });
    vi.useRealTimers();
  });
});
