import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { datagram, FakeVoxelServer } from '../../../test/unit/fake-voxel-server.js';
import { openSession } from './session.js';

const endpoint = { url: 'https://media.example:4433/voxel', certificateHashes: [] };
const head = new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
  return text;
}

/** Until everything that needs no time is done. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

describe('openSession', () => {
  it('asks for voxel-1, for datagrams, and for the certificates named', async () => {
    const server = new FakeVoxelServer();
    const hash = new Uint8Array(32).fill(7);
    const session = await openSession({ ...endpoint, certificateHashes: [hash] }, server.WebTransport);
    expect(server.url).toBe(endpoint.url);
    expect(server.options).toEqual({
      protocols: ['voxel-1'],
      requireUnreliable: true,
      serverCertificateHashes: [{ algorithm: 'sha-256', value: hash }],
    });
    expect(session.host).toBe('media.example:4433');
  });

  it('leaves the list of certificates out when a trusted one is expected', async () => {
    const server = new FakeVoxelServer();
    await openSession(endpoint, server.WebTransport);
    expect(server.options).not.toHaveProperty('serverCertificateHashes');
  });

  it('lets the browser hold thousands of datagrams, under the name that it knows', async () => {
    const server = new FakeVoxelServer();
    await openSession(endpoint, server.WebTransport);
    expect(server.datagramSettings.incomingHighWaterMark).toBeGreaterThanOrEqual(2000);
    expect(server.datagramSettings).not.toHaveProperty('incomingMaxBufferedDatagrams');
  });

  it('says that the browser has no WebTransport', async () => {
    vi.stubGlobal('WebTransport', undefined);
    await expect(openSession(endpoint)).rejects.toMatchObject({ code: 'unsupported', fatal: true });
    vi.unstubAllGlobals();
  });

  it('fails when the handshake fails, or WebTransport takes no such endpoint', async () => {
    const server = new FakeVoxelServer(() => {}, Promise.reject(new Error('handshake')));
    await expect(openSession(endpoint, server.WebTransport)).rejects.toMatchObject({ code: 'session-failed' });
    const refusing = function () {
      throw new SyntaxError('no such scheme');
    } as unknown as FakeVoxelServer['WebTransport'];
    await expect(openSession(endpoint, refusing)).rejects.toMatchObject({ code: 'session-failed' });
  });

  it('gives up on a server that never answers, and closes', async () => {
    const server = new FakeVoxelServer(() => {}, new Promise(() => {}));
    const opening = expect(openSession(endpoint, server.WebTransport)).rejects.toMatchObject({
      code: 'session-failed',
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await opening;
    expect(server.closedByClient).toBe(true);
  });
});

describe('a session', () => {
  it('sends the head and FIN, and gives what comes back', async () => {
    const server = new FakeVoxelServer((request) => {
      request.send('one ');
      request.send('two');
      request.finish();
    });
    const session = await openSession(endpoint, server.WebTransport);
    expect(await collect(session.request(head, new AbortController().signal))).toBe('one two');
    expect(server.requests[0]?.head).toBe('GET / HTTP/1.1\r\n\r\n');
  });

  it('resets the stream when the request is aborted', async () => {
    const server = new FakeVoxelServer((request) => request.send('one'));
    const session = await openSession(endpoint, server.WebTransport);
    const abort = new AbortController();
    const reading = collect(session.request(head, abort.signal));
    await settle();
    abort.abort();
    expect(await reading).toBe('one');
    expect(server.requests[0]?.cancelled).toBe(true);
  });

  it('resets the stream when the reader stops early', async () => {
    const server = new FakeVoxelServer((request) => request.send('one'));
    const session = await openSession(endpoint, server.WebTransport);
    const chunks = session.request(head, new AbortController().signal)[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.return?.();
    expect(server.requests[0]?.cancelled).toBe(true);
  });

  it('tells a stream that was reset from a session that is gone', async () => {
    const server = new FakeVoxelServer((request) => request.head.includes('reset') && request.reset());
    const session = await openSession(endpoint, server.WebTransport);
    const { signal } = new AbortController();
    await expect(collect(session.request(new TextEncoder().encode('reset'), signal))).rejects.toMatchObject({
      code: 'incomplete',
      fatal: false,
    });
    const pending = expect(collect(session.request(head, signal))).rejects.toMatchObject({
      code: 'session-closed',
      fatal: true,
    });
    await settle();
    server.breakSession();
    await pending;
    await expect(session.closed).resolves.toMatchObject({ code: 'session-closed' });
  });

  it('says why the server closed it', async () => {
    const server = new FakeVoxelServer();
    const session = await openSession(endpoint, server.WebTransport);
    server.closeSession('draining');
    expect((await session.closed).message).toContain('draining');
  });

  it('hands datagrams to their flow, and drops late, unknown and senseless ones', async () => {
    const server = new FakeVoxelServer();
    const session = await openSession(endpoint, server.WebTransport);
    const got: [string, number, number[]][] = [];
    const a = session.openFlow((offset, payload) => got.push(['a', offset, [...payload]]));
    const b = session.openFlow((offset, payload) => got.push(['b', offset, [...payload]]));
    server.sendDatagram(datagram(b.id, 7, Uint8Array.of(1)));
    server.sendDatagram(datagram(999, 0, Uint8Array.of(2)));
    server.sendDatagram(Uint8Array.of());
    server.sendDatagram(Uint8Array.of(0xff, 0xff));
    server.sendDatagram(datagram(a.id, 8, Uint8Array.of(3)));
    await settle();
    a.close();
    server.sendDatagram(datagram(a.id, 9, Uint8Array.of(4)));
    server.sendDatagram(datagram(b.id, 10, Uint8Array.of(5)));
    await settle();
    expect(got).toEqual([
      ['b', 7, [1]],
      ['a', 8, [3]],
      ['b', 10, [5]],
    ]);
  });

  it('shows the server where the client is when bytes that are owed stay away: once in each silence', async () => {
    const server = new FakeVoxelServer();
    const session = await openSession(endpoint, server.WebTransport);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.datagrams).toEqual([]);
    const reading = collect(session.request(head, new AbortController().signal));
    for (let part = 0; part < 5; part++) {
      await vi.advanceTimersByTimeAsync(300);
      if (part % 2) server.requests[0]!.send('more ');
      else server.sendDatagram(datagram(1, 0, Uint8Array.of(1)));
    }
    expect(server.datagrams).toEqual([]);
    await vi.advanceTimersByTimeAsync(600);
    expect(server.datagrams).toEqual([new Uint8Array()]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.datagrams).toHaveLength(1);
    server.requests[0]!.send('more ');
    await vi.advanceTimersByTimeAsync(600);
    expect(server.datagrams).toHaveLength(2);
    server.requests[0]!.finish();
    expect(await reading).toBe('more more more ');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.datagrams).toHaveLength(2);
  });

  it('never uses a flow number again', async () => {
    const session = await openSession(endpoint, new FakeVoxelServer().WebTransport);
    const ids = Array.from({ length: 5 }, () => {
      const flow = session.openFlow(() => {});
      flow.close();
      return flow.id;
    });
    expect(new Set(ids).size).toBe(5);
  });
});
