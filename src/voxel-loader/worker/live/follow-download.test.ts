import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { concatenate } from '../../../concatenate.js';
import { chunkContent, HEAD, numbers, record } from '../../../../test/unit/live-chunks.js';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from '../../../../test/unit/fake-voxel-server.js';
import { fileBytes, fileByte, positions } from '../../../../test/unit/segment-content.js';
import type { Playhead } from '../../../delivery/piece-queue.js';
import type { FollowRequest } from '../../types.js';
import { openSession } from '../session.js';
import { FollowDownload } from './follow-download.js';
import type { ReceivedChunk } from './pending-chunk.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

/** Reliable 20, a frame of 100, reliable 10, a frame of 60, the more important one; then 30 and 40, both 100 ms long. */
const CHUNKS = [
  [20, 100, 10, 60],
  [30, 40],
];
const STARTS = [0, 190];
const RELIABLE = [
  [
    { start: 0, end: 20 },
    { start: 120, end: 130 },
  ],
  [{ start: 190, end: 220 }],
];

interface Scene {
  readonly server: FakeVoxelServer;
  readonly request: FakeRequest;
  readonly download: FollowDownload;
  readonly chunks: ReceivedChunk[];
  /** In tests time begins at 0. */
  playhead: Playhead | undefined;
}

async function start({ delivery = 'datagrams', isGroup = false }: Partial<FollowRequest> = {}): Promise<Scene> {
  const server = new FakeVoxelServer();
  const session = await openSession({ url: 'https://media.example/voxel', certificateHashes: [] }, server.WebTransport);
  const scene: Omit<Scene, 'download' | 'request'> = { server, chunks: [], playhead: { mediaTime: 0, at: 0, rate: 1 } };
  const began = performance.now();
  const download = new FollowDownload({
    session,
    request: {
      ...{ representation: 'v', target: '/v/1.m4s', delivery, startTime: 1, deadline: 400 },
      ...{ isGroup, headers: { cmcd: 'x' }, headerHosts: ['media.example'] },
    },
    playhead: () => scene.playhead,
    layout: (chunk) => chunk,
    onChunk: (chunk) => scene.chunks.push(chunk),
    now: () => performance.now() - began,
  });
  download.result.catch(() => {});
  await settle();
  const request = server.requests[0]!;
  const flow = request.flow === undefined ? '' : `x-voxel-unreliable: ?1;flow=${request.flow}\r\n`;
  request.send(`HTTP/1.1 200 OK\r\nx-voxel-follow: ?1\r\n${flow}\r\n`);
  request.send(HEAD);
  return Object.assign(scene, { request, download });
}

const chunkRecord = (index: number) =>
  record(1, chunkContent({ lengths: CHUNKS[index]!, decodeTime: 1000 + 100 * index, duration: 100 }, STARTS[index]!));
const reliableRecord = (index: number) => record(16, fileBytes(RELIABLE[index]!));
const sentRecord = (chunk: number, bytes: number, roundTrip = 40) =>
  record(17, numbers(chunk, bytes, 1, roundTrip, 14_000));
const END = record(2, numbers(260));

function sendFrame({ server, request }: Scene, offset: number, range: { start: number; end: number }): void {
  server.sendDatagram(datagram(request.flow!, offset, fileBytes([range])));
}

/** The bytes of a chunk of which these positions of the file have not come. */
function expectBytes({ bytes, chunk }: ReceivedChunk, missing: readonly number[] = []): void {
  expect([...bytes]).toEqual(positions(chunk.range).map((at) => (missing.includes(at) ? 0 : fileByte(at))));
}

test('the request says that chunks are wanted, by when, and on which flow frames may come', async () => {
  const { request } = await start();
  expect(request.head).toBe(
    'GET /v/1.m4s HTTP/1.1\r\nhost: media.example\r\nx-voxel-follow: ?1;deadline=400\r\nx-voxel-unreliable: ?1;flow=0\r\ncmcd: x\r\n\r\n',
  );
});

test('chunks that are complete are handed over at once', async () => {
  const scene = await start();
  const { request, chunks, download } = scene;
  request.send(concatenate([chunkRecord(0), reliableRecord(0)]));
  sendFrame(scene, 0, { start: 130, end: 190 });
  await settle();
  expect(chunks).toHaveLength(0);
  sendFrame(scene, 60, { start: 20, end: 120 });
  await settle();
  expectBytes(chunks[0]!);
  request.send(concatenate([sentRecord(0, 160), chunkRecord(1), reliableRecord(1), sentRecord(1, 40), END]));
  request.finish();
  sendFrame(scene, 160, { start: 220, end: 260 });
  await settle();
  expectBytes(chunks[1]!);
  expect(chunks[1]!.facts).toMatchObject({
    number: 1,
    startTime: 1.1,
    score: 0.95,
    bytesLost: 0,
    bytesUnsent: 0,
    window: 14_000,
  });
  await download.result;
});

test('frames that come on the stream are put in their places, and show the rate', async () => {
  const { request, chunks, download } = await start({ delivery: 'streams' });
  expect(request.flow).toBeUndefined();
  const frame = (offset: number, start: number, end: number) =>
    record(18, concatenate([numbers(offset), fileBytes([{ start, end }])]));
  request.send(concatenate([chunkRecord(0), reliableRecord(0), frame(0, 130, 190)]));
  await vi.advanceTimersByTimeAsync(50);
  request.send(concatenate([frame(60, 20, 120), sentRecord(0, 160)]));
  request.send(concatenate([chunkRecord(1), reliableRecord(1), frame(160, 220, 260), sentRecord(1, 40), END]));
  request.finish();
  await download.result;
  for (const chunk of chunks) expectBytes(chunk);
  expect(chunks[0]!.facts.dispersion).toEqual({ packets: 2, bytes: 100, seconds: 0.05 });
});

test('after a gap in a group no frames are used', async () => {
  const { request, chunks, download } = await start({ delivery: 'streams', isGroup: true });
  const frame = (offset: number, start: number, end: number) =>
    record(18, concatenate([numbers(offset), fileBytes([{ start, end }])]));
  request.send(concatenate([chunkRecord(0), reliableRecord(0), frame(0, 130, 190)]));
  // It is due, but may still come whole.
  await vi.advanceTimersByTimeAsync(920);
  expect(chunks).toHaveLength(0);
  request.send(sentRecord(0, 60));
  await vi.advanceTimersByTimeAsync(0);
  expect(chunks[0]!.facts).toMatchObject({ bytesUnreliable: 60, bytesUnsent: 100 });
  request.send(concatenate([chunkRecord(1), reliableRecord(1), frame(160, 220, 260), sentRecord(1, 40), END]));
  request.finish();
  await vi.advanceTimersByTimeAsync(200);
  expect(chunks[1]!.facts).toMatchObject({ bytesUnreliable: 0, bytesReliable: 30 });
  await download.result;
});

describe('a chunk with gaps', () => {
  test('is handed over when it is due, what was not sent apart from what is lost', async () => {
    const scene = await start();
    const { request, chunks } = scene;
    request.send(concatenate([chunkRecord(0), reliableRecord(0), sentRecord(0, 60)]));
    sendFrame(scene, 0, { start: 130, end: 190 });
    await vi.advanceTimersByTimeAsync(919);
    expect(chunks).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expectBytes(chunks[0]!, positions({ start: 20, end: 120 }));
    expect(chunks[0]!.facts).toMatchObject({ bytesUnreliable: 60, bytesLost: 0, bytesUnsent: 100, bytesRepeated: 0 });
    expect(chunks[0]!.facts.score).toBeLessThan(0.95);
    expect(scene.server.requests).toHaveLength(1);
  });

  test('waits for its reliable bytes, and holds up what follows', async () => {
    const scene = await start({ delivery: 'streams' });
    const { request, chunks } = scene;
    request.send(chunkRecord(0));
    await vi.advanceTimersByTimeAsync(1500);
    expect(chunks).toHaveLength(0);
    request.send(reliableRecord(0));
    await settle();
    expect(chunks).toHaveLength(1);
  });

  test('has what was lost asked for again, by its place in the file', async () => {
    const scene = await start();
    const { server, request, chunks } = scene;
    request.send(concatenate([chunkRecord(0), reliableRecord(0), sentRecord(0, 160)]));
    sendFrame(scene, 60, { start: 20, end: 120 });
    await vi.advanceTimersByTimeAsync(40);
    const [, again] = server.requests;
    expect(again!.ranges).toEqual([{ start: 130, end: 190 }]);
    expect(again!.head).toContain('GET /v/1.m4s HTTP/1.1');
    again!.send(responses.reliable(60));
    again!.send(again!.body);
    await settle();
    expectBytes(chunks[0]!);
    expect(chunks[0]!.facts).toMatchObject({ bytesLost: 0, bytesRepeated: 60, bytesRecovered: 60 });
  });

  test('has nothing asked for again that could not be back before it is due', async () => {
    const scene = await start();
    scene.playhead = { mediaTime: 0.88, at: 0, rate: 1 };
    scene.request.send(concatenate([chunkRecord(0), reliableRecord(0), sentRecord(0, 160)]));
    await vi.advanceTimersByTimeAsync(40);
    expect(scene.server.requests).toHaveLength(1);
    expect(scene.chunks[0]!.facts).toMatchObject({ bytesUnreliable: 0, bytesLost: 160, bytesUnsent: 0 });
  });

  test('is waited for while nothing plays, however short the way', async () => {
    const scene = await start();
    scene.playhead = undefined;
    scene.request.send(concatenate([chunkRecord(0), reliableRecord(0), sentRecord(0, 160, 1)]));
    await vi.advanceTimersByTimeAsync(40);
    sendFrame(scene, 60, { start: 20, end: 120 });
    sendFrame(scene, 0, { start: 130, end: 190 });
    await settle();
    expectBytes(scene.chunks[0]!);
    expect(scene.chunks[0]!.facts).toMatchObject({ bytesUnreliable: 160, bytesLost: 0 });
  });

  test('has what was lost before its record came asked for as soon as that is here', async () => {
    const scene = await start();
    sendFrame(scene, 60, { start: 20, end: 120 });
    await vi.advanceTimersByTimeAsync(100);
    scene.request.send(concatenate([chunkRecord(0), reliableRecord(0)]));
    await settle();
    expect(scene.server.requests[1]!.ranges).toEqual([{ start: 130, end: 190 }]);
  });

  test('is left as it is by what comes later', async () => {
    const scene = await start();
    scene.playhead = { mediaTime: 1, at: 0, rate: 1 };
    scene.request.send(concatenate([chunkRecord(0), reliableRecord(0)]));
    await settle();
    const { bytes } = scene.chunks[0]!;
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    sendFrame(scene, 0, { start: 130, end: 190 });
    scene.request.send(concatenate([sentRecord(0, 160), chunkRecord(1), reliableRecord(1)]));
    await vi.advanceTimersByTimeAsync(21);
    expect(scene.chunks).toHaveLength(2);
  });
});

describe('the download fails', () => {
  const failure = async ({ download }: Scene) =>
    download.result.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('once the reliable bytes of a chunk are 1.5 s late', async () => {
    const scene = await start();
    scene.request.send(chunkRecord(0));
    await vi.advanceTimersByTimeAsync(2419);
    expect(scene.request.cancelled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure(scene)).toMatchObject({ code: 'timeout' });
    expect(scene.request.cancelled).toBe(true);
  });

  test('after ten seconds without a byte while nothing plays', async () => {
    const scene = await start();
    scene.playhead = undefined;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await failure(scene)).toMatchObject({ code: 'timeout' });
  });

  test('where the body ends before the segment', async () => {
    const scene = await start();
    scene.request.send(concatenate([chunkRecord(0), reliableRecord(0)]));
    scene.request.finish();
    expect(await failure(scene)).toMatchObject({ code: 'incomplete' });
  });

  test('where the stream is reset', async () => {
    const scene = await start();
    scene.request.reset();
    expect(await failure(scene)).toMatchObject({ code: 'incomplete' });
  });

  test('where it is aborted', async () => {
    const scene = await start();
    scene.download.abort();
    expect(await failure(scene)).toMatchObject({ code: 'aborted' });
    await settle();
    expect(scene.request.cancelled).toBe(true);
  });

  test.each([
    ['follows nothing', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'status'],
    ['has no such file', 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n', 'status'],
    [
      'answers another flow',
      'HTTP/1.1 200 OK\r\nx-voxel-follow: ?1\r\nx-voxel-unreliable: ?1;flow=7\r\n\r\n',
      'bad-response',
    ],
  ])('where the server %s', async (_, head, code) => {
    const server = new FakeVoxelServer((request) => request.send(head));
    const session = await openSession({ url: 'https://a/voxel', certificateHashes: [] }, server.WebTransport);
    const download = new FollowDownload({
      session,
      request: {
        ...{
          representation: 'v',
          target: '/1',
          delivery: 'datagrams',
          startTime: 0,
          deadline: undefined,
          isGroup: false,
        },
        ...{ headers: {}, headerHosts: [] },
      },
      playhead: () => undefined,
      layout: (chunk) => chunk,
      onChunk: () => {},
      now: () => performance.now(),
    });
    await expect(download.result).rejects.toMatchObject({ code });
  });
});
