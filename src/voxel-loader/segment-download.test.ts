import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from '../../test/unit/fake-voxel-server.js';
import { fileByte, positions, segmentOf } from '../../test/unit/segment-content.js';
import type { SegmentMap } from '../manifest/segment-map.js';
import { downloadSegment, STALL_TIMEOUT_MS } from './segment-download.js';
import { openSession } from './session.js';
import type { DeliveredSegment, SegmentDownload, SegmentRequest } from './types.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Two frames of 50 and 30 bytes, the one of 30 more important. */
const map = segmentOf(1000, [10, 50, 5, 30]);
const RTT = 40;

interface Scene {
  readonly server: FakeVoxelServer;
  readonly download: SegmentDownload;
  /** The request for reliable bytes, and the one for the unreliable prefix. */
  readonly reliable: FakeRequest;
  readonly unreliable: FakeRequest;
}

/** A download whose requests have just reached the server. */
async function start(change: Partial<SegmentRequest> = {}): Promise<Scene> {
  const server = new FakeVoxelServer();
  const session = await openSession({ url: 'https://a/voxel', certificateHashes: [] }, server.WebTransport);
  const download = downloadSegment(session, {
    target: '/q03.mp4',
    map,
    unreliableBytes: 80,
    transport: 'datagrams',
    headers: {},
    ...change,
  });
  // A test that is not about the result need not look at it.
  download.result.catch(() => {});
  await settle();
  const [reliable, unreliable] = server.requests;
  return { server, download, reliable: reliable!, unreliable: unreliable! };
}

/** Until everything that needs no time is done. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

function answer(request: FakeRequest, body = request.body): void {
  request.send(responses.reliable(request.body.length));
  request.send(body);
}

function sendDatagram({ server, unreliable }: Scene, start: number, end: number): void {
  server.sendDatagram(datagram(unreliable.flow!, start, unreliable.body.subarray(start, end)));
}

async function isSettled(result: Promise<unknown>): Promise<boolean> {
  let settled = false;
  result.then(
    () => (settled = true),
    () => (settled = true),
  );
  await settle();
  return settled;
}

/** What holds for every delivered segment. */
function expectSound(delivered: DeliveredSegment, map: SegmentMap, unreliableBytes: number): void {
  const here = new Set([...delivered.received].flatMap(positions));
  const base = map.range.start;
  expect([...delivered.bytes]).toEqual(positions(map.range).map((at) => (here.has(at - base) ? fileByte(at) : 0)));
  expect(map.reliable.every(({ start, end }) => delivered.received.contains(start - base, end - base))).toBe(true);
  expect(delivered.bytesReliable).toBe(map.reliableBytes);
  expect(delivered.bytesUnreliable).toBe(here.size - map.reliableBytes);
  expect(delivered.lost.flatMap(positions).filter((at) => here.has(at))).toEqual([]);
  expect(delivered.lost.flatMap(positions)).toHaveLength(delivered.bytesLost);
  expect(delivered.bytesUnreliable + delivered.bytesLost + delivered.bytesUnsent).toBe(unreliableBytes);
}

describe('downloadSegment', () => {
  it('asks for both parts before anything is answered', async () => {
    const { server, reliable, unreliable } = await start({ headers: { 'cmcd-request': 'su' }, deadline: 3000 });
    expect(server.requests).toHaveLength(2);
    expect(reliable.head).toBe(
      'GET /q03.mp4 HTTP/1.1\r\nhost: a\r\nrange: bytes=1000-1009,1060-1064\r\ncmcd-request: su\r\n\r\n',
    );
    expect(unreliable.head).toContain('range: bytes=1065-1094,1010-1059\r\nx-voxel-unreliable: ?1;flow=');
    expect(unreliable.head).toContain('x-voxel-deadline: 3000\r\ncmcd-request: su\r\n');
  });

  it('delivers a whole segment at once when its last byte is here, whatever came first', async () => {
    const scene = await start();
    await vi.advanceTimersByTimeAsync(100);
    sendDatagram(scene, 40, 80);
    await vi.advanceTimersByTimeAsync(100);
    answer(scene.reliable);
    await settle();
    expect(scene.download.progress()).toEqual({
      phase: 'unreliable',
      bytesReliable: 15,
      bytesUnreliable: 40,
      bytesRequested: 95,
      elapsed: 0.2,
    });
    sendDatagram(scene, 0, 40);
    sendDatagram(scene, 0, 40);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 80, bytesLost: 0, seconds: 0.2, timeToFirstByte: 0.1 });
    expect(delivered.failure).toBeUndefined();
  });

  it('asks for the chosen prefix only', async () => {
    const scene = await start({ unreliableBytes: 30 });
    answer(scene.reliable);
    sendDatagram(scene, 0, 30);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 30);
    expect(delivered.received.contains(10, 11)).toBe(false);
  });

  it('calls a gap a loss one round trip after the trailer, which is no download time', async () => {
    const scene = await start();
    answer(scene.reliable);
    await vi.advanceTimersByTimeAsync(500);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!));
    sendDatagram(scene, 0, 20);
    sendDatagram(scene, 60, 80);
    scene.unreliable.send(responses.trailer(80, RTT));
    scene.unreliable.finish();
    await vi.advanceTimersByTimeAsync(RTT - 1);
    expect(await isSettled(scene.download.result)).toBe(false);
    sendDatagram(scene, 40, 60);
    await vi.advanceTimersByTimeAsync(1);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 60, bytesLost: 20, bytesUnsent: 0, rtt: RTT, seconds: 0.5 });
    expect(delivered.lost).toEqual([
      { start: 85, end: 95 },
      { start: 10, end: 20 },
    ]);
  });

  it('takes datagrams that are late by less than that, and no later ones', async () => {
    const scene = await start();
    answer(scene.reliable);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + responses.trailer(80, RTT));
    await vi.advanceTimersByTimeAsync(RTT - 10);
    sendDatagram(scene, 0, 30);
    await vi.advanceTimersByTimeAsync(10);
    const delivered = await scene.download.result;
    sendDatagram(scene, 30, 80);
    await settle();
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 30, bytesLost: 50, seconds: 0 });
  });

  it.each([
    ['a round trip below it', 1, 20],
    ['a server that knows of no round trip', undefined, 20],
    ['an absurd round trip', 999_999_999, 1000],
  ])('waits at least 20 ms and at most a second for late datagrams: %s', async (_what, rtt, wait) => {
    const scene = await start();
    answer(scene.reliable);
    const trailer = responses.trailer(80, rtt ?? 0).replace(rtt === undefined ? /x-voxel-rtt.*\r\n/ : '', '');
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + trailer);
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(await isSettled(scene.download.result)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isSettled(scene.download.result)).toBe(true);
  });

  it('tells what was not sent after a deadline from what was lost, and waits for no more than was sent', async () => {
    const scene = await start();
    answer(scene.reliable);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + responses.trailer(45, RTT));
    sendDatagram(scene, 0, 45);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 45, bytesLost: 0, bytesUnsent: 35 });
  });

  it('ignores datagrams that reach beyond the body', async () => {
    const scene = await start({ unreliableBytes: 30 });
    answer(scene.reliable);
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, 25, new Uint8Array(6).fill(9)));
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, 2 ** 40, new Uint8Array(6).fill(9)));
    await settle();
    expect(scene.download.progress().bytesUnreliable).toBe(0);
    sendDatagram(scene, 0, 30);
    expectSound(await scene.download.result, map, 30);
  });

  it('takes the body from the stream when the server knows no datagrams', async () => {
    const scene = await start();
    answer(scene.reliable);
    answer(scene.unreliable);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered.bytesUnreliable).toBe(80);
  });

  it('lets finished streams end of themselves, and resets one that does not', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 80);
    await scene.download.result;
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + responses.trailer(80, RTT));
    scene.unreliable.finish();
    await settle();
    expect([scene.reliable.cancelled, scene.unreliable.cancelled]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([scene.reliable.cancelled, scene.unreliable.cancelled]).toEqual([true, false]);
  });
});

describe('a download with transport "reliable"', () => {
  it('asks for everything on one stream, reliable bytes first', async () => {
    const { server, download, reliable } = await start({ transport: 'reliable', deadline: 3000 });
    expect(server.requests).toHaveLength(1);
    expect(reliable.head).toContain('range: bytes=1000-1009,1060-1064,1065-1094,1010-1059\r\n');
    expect(reliable.head).not.toContain('x-voxel');
    answer(reliable);
    const delivered = await download.result;
    expectSound(delivered, map, 80);
    expect(delivered.bytesUnreliable).toBe(80);
  });

  it('can be kept once the reliable bytes are here', async () => {
    const { download, reliable } = await start({ transport: 'reliable' });
    answer(reliable, reliable.body.subarray(0, 14));
    await settle();
    expect(download.keep()).toBe(false);
    reliable.send(reliable.body.subarray(14, 40));
    await settle();
    expect(download.keep()).toBe(true);
    const delivered = await download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 25, bytesLost: 0, bytesUnsent: 55 });
    await settle();
    expect(reliable.cancelled).toBe(true);
  });
});

describe('keep', () => {
  it('is refused while reliable bytes are missing', async () => {
    const scene = await start();
    sendDatagram(scene, 0, 80);
    await settle();
    expect(scene.download.keep()).toBe(false);
    expect(await isSettled(scene.download.result)).toBe(false);
  });

  it('stops the server; above the furthest byte seen nothing counts as lost', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 10);
    sendDatagram(scene, 20, 50);
    await vi.advanceTimersByTimeAsync(300);
    expect(scene.download.keep()).toBe(true);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 40, bytesLost: 10, bytesUnsent: 30, seconds: 0.3 });
    sendDatagram(scene, 50, 80);
    await settle();
    expect(scene.unreliable.cancelled).toBe(true);
    expectSound(delivered, map, 80);
    expect(scene.download.keep()).toBe(false);
  });
});

describe('abort', () => {
  it('rejects and stops the server on both streams', async () => {
    const scene = await start();
    scene.download.abort();
    await expect(scene.download.result).rejects.toMatchObject({ code: 'aborted' });
    await settle();
    expect([scene.reliable.cancelled, scene.unreliable.cancelled]).toEqual([true, true]);
  });

  it('changes nothing after the delivery', async () => {
    const scene = await start({ unreliableBytes: 0 });
    answer(scene.reliable);
    await scene.download.result;
    scene.download.abort();
    expectSound(await scene.download.result, map, 0);
  });
});

describe('a failing reliable part', () => {
  it.each<[string, object, (scene: Scene) => void]>([
    ['an error status', { code: 'status', status: 404 }, ({ reliable }) => reliable.send(responses.error(404))],
    ['the whole file', { code: 'status', status: 200 }, ({ reliable }) => reliable.send(responses.error(200))],
    ['another length', { code: 'bad-response' }, ({ reliable }) => reliable.send(responses.reliable(14))],
    ['no HTTP', { code: 'bad-response' }, ({ reliable }) => reliable.send('SSH-2.0-OpenSSH\r\n')],
    [
      'a flow for a reliable request',
      { code: 'bad-response' },
      ({ reliable }) => reliable.send(responses.unreliable(15, 0)),
    ],
    [
      'a stream that ends early',
      { code: 'incomplete' },
      ({ reliable }) => {
        answer(reliable, reliable.body.subarray(0, 9));
        reliable.finish();
      },
    ],
    [
      'a body without a length that ends early',
      { code: 'incomplete' },
      ({ reliable }) => {
        reliable.send('HTTP/1.1 206 OK\r\n\r\nabc');
        reliable.finish();
      },
    ],
    [
      'too many bytes',
      { code: 'bad-response' },
      ({ reliable }) => {
        reliable.send('HTTP/1.1 206 OK\r\n\r\n');
        reliable.send(new Uint8Array(16));
      },
    ],
    ['a reset', { code: 'incomplete' }, ({ reliable }) => reliable.reset()],
    ['a closed session', { code: 'session-closed', fatal: true }, ({ server }) => server.closeSession('draining')],
    ['a broken session', { code: 'session-closed', fatal: true }, ({ server }) => server.breakSession()],
  ])('rejects, and stops the other: %s', async (_what, error, misbehave) => {
    const scene = await start();
    misbehave(scene);
    await expect(scene.download.result).rejects.toMatchObject({ name: 'VoxelError', ...error });
    await settle();
    if (!('fatal' in error)) expect(scene.unreliable.cancelled).toBe(true);
  });

  it('rejects what cannot be sent', async () => {
    const { server, download } = await start({ headers: { 'cmcd-request': 'a\r\nb: c' } });
    await expect(download.result).rejects.toMatchObject({ code: 'bad-request' });
    expect(server.requests).toHaveLength(0);
  });

  it('rejects when nothing arrives for too long, though not before', async () => {
    const { download, reliable } = await start();
    await vi.advanceTimersByTimeAsync(STALL_TIMEOUT_MS - 1);
    answer(reliable, reliable.body.subarray(0, 1));
    await vi.advanceTimersByTimeAsync(STALL_TIMEOUT_MS - 1);
    expect(await isSettled(download.result)).toBe(false);
    const failure = expect(download.result).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(1);
    await failure;
  });
});

describe('a failing unreliable part', () => {
  it.each<[string, object, (scene: Scene) => void]>([
    ['an error status', { code: 'status', status: 503 }, ({ unreliable }) => unreliable.send(responses.error(503))],
    [
      'another flow',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(responses.unreliable(80, unreliable.flow! + 1)),
    ],
    [
      'another length',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(responses.unreliable(81, unreliable.flow!)),
    ],
    [
      'a body where there is to be none',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(`${responses.unreliable(80, unreliable.flow!)}2\r\nab\r\n`),
    ],
    [
      'more sent than asked for',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(responses.unreliable(80, unreliable.flow!) + responses.trailer(81, RTT)),
    ],
    [
      'no trailer',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(`${responses.unreliable(80, unreliable.flow!)}0\r\n\r\n`),
    ],
    ['a reset', { code: 'incomplete' }, ({ unreliable }) => unreliable.reset()],
    ['a broken session', { code: 'session-closed' }, ({ server }) => server.breakSession()],
  ])('ends the download with what is here: %s', async (_what, error, misbehave) => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 20);
    sendDatagram(scene, 30, 40);
    await settle();
    misbehave(scene);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 30, bytesLost: 10, bytesUnsent: 40 });
    expect(delivered.failure).toMatchObject(error);
  });

  it('does not end the download while reliable bytes are missing', async () => {
    const scene = await start();
    scene.unreliable.send(responses.error(503));
    expect(await isSettled(scene.download.result)).toBe(false);
    answer(scene.reliable);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered.failure).toMatchObject({ code: 'status', status: 503 });
  });

  it('ends the download with what is here when nothing more arrives', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 20);
    await vi.advanceTimersByTimeAsync(STALL_TIMEOUT_MS);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered.failure).toMatchObject({ code: 'timeout' });
  });
});
