import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  deferred,
  VoxelError,
  type DeliveredPiece,
  type DeliveredSegment,
  type SegmentDownload,
  type VoxelSession,
} from '../../../src/voxel-loader/index.js';
import { FakeVoxelServer, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { openPageSession } from '../../../test/unit/page-client.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import { AudioLoader } from './audio-loader.js';
import { SegmentRequests, type DownloadPreferences, type SegmentRequestsCollaborators } from './segment-requests.js';
import type { PlayerSegment } from '../../port/player-segment.js';

const ORIGIN = 'https://media.example';
const bytes = fileBytes([{ start: 100, end: 400 }]);
const representation = { id: 'audio', bandwidth: 48_000, segmentDuration: 4 };
const fragment: PlayerSegment = {
  ...{ index: 2, startTime: 8, duration: 4, range: '100-399' },
  ...{ url: `${ORIGIN}/bbb/audio.mp4`, representation },
};

function answerWhole(request: FakeRequest): void {
  request.send(responses.reliable(request.body.length));
  request.send(request.body);
  request.finish();
}

let session: VoxelSession | undefined;
const [fallback, abandon, loadOwn, deliver, progress] = [vi.fn(), vi.fn(), vi.fn(), vi.fn(), vi.fn()];
const probe = vi.fn(() => Promise.resolve());
const arrivals = { bytes: 0 };
/** The worker knows how to cut sound. */
const initialization = vi.fn<(key: string) => Uint8Array | undefined>();
const assemble = vi.fn();
const video = { element: undefined, bufferLevel: 0, playbackRate: 1, takesPieces: true };
const link = { throughput: { throughput: undefined } };
let loader: AudioLoader;
const downloadBefore = vi.fn<(time: number) => SegmentDownload | undefined>();
/** Gives the request up as dash.js does. */
let abort: () => void;

beforeEach(() => {
  for (const mock of [fallback, abandon, loadOwn, deliver, progress, downloadBefore, initialization, assemble])
    mock.mockReset();
  arrivals.bytes = 0;
  session = undefined;
  loader = new AudioLoader({
    sessions: {
      get session() {
        return session;
      },
      ...{ abandon, probe, arrivals },
    },
    requests: new SegmentRequests(
      { headerHosts: [], delivery: 'datagrams' } as unknown as DownloadPreferences,
      { receiver: { initialization, assemble }, video, link } as unknown as SegmentRequestsCollaborators,
    ),
    content: { presentation: { origin: ORIGIN, keyOf: ({ id }) => `0/${id}` } },
    journal: { fallback },
    video: { downloadBefore },
  });
});

async function connect(onRequest?: (request: FakeRequest) => void): Promise<FakeVoxelServer> {
  const server = new FakeVoxelServer(onRequest);
  session = await openPageSession(server);
  return server;
}

function load(one = fragment, piece?: (bytes: Uint8Array) => void): void {
  const onAbort = (called: () => void): void => void (abort = called);
  const answer = { timeout: 0, onAbort, progress, deliver, fail: vi.fn(), loadOwn, ...(piece && { piece }) };
  const headers = { Range: 'bytes=100-399', 'CMCD-Request': 'ot=a' };
  // As dash.js has it of what it asks for with `XMLHttpRequest`.
  loader.load(one, { url: one.url, headers, credentials: 'omit' }, answer);
}

it('asks the session for all of a segment, on a stream and with its CMCD', async () => {
  const server = await connect(answerWhole);
  load();
  await vi.waitFor(() => expect(deliver).toHaveBeenCalledExactlyOnceWith(bytes));
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]!.head).toMatch(/^GET \/bbb\/audio\.mp4 HTTP/);
  expect(server.requests[0]!.head.toLowerCase()).toContain('range: bytes=100-399\r\n');
  expect(server.requests[0]!.head.toLowerCase()).toContain('cmcd-request: ot=a\r\n');
  expect(server.requests[0]!.head).not.toContain('x-voxel-unreliable');
  expect(progress.mock.lastCall).toEqual([300, 300]);
  expect(loader.hasDelivered(fragment)).toBe(true);
  expect(loadOwn).not.toHaveBeenCalled();
});

it('lets a segment of video go first that is played before, as after a seek', async () => {
  const server = await connect();
  const map = segmentOf(1000, [40, 60]);
  const how = { unreliableBytes: 60, delivery: 'datagrams', recovery: false, headers: {} } as const;
  const video = session!.download({ ...how, representation: 'q00', target: '/q00.mp4', map, edition: 0 });
  downloadBefore.mockReturnValueOnce(video);
  load();
  await vi.waitFor(() => expect(server.requests).toHaveLength(3));
  expect(downloadBefore).toHaveBeenCalledExactlyOnceWith(8);
  const [, pictures, sound] = server.requests;
  expect(sound!.head).toContain(`x-voxel-after: ${pictures!.flow}\r\n`);
  abort();
  video.abort();
  await expect(video.result).rejects.toThrow();
});

it.each([
  ['there is no session', fragment, false],
  ['a segment is a file of its own', { ...fragment, range: null }, true],
  ['the range is none', { ...fragment, range: '400-100' }, true],
])('leaves it to dash.js where %s', async (_, one, isOpen) => {
  const server = isOpen ? await connect(answerWhole) : undefined;
  load(one);
  expect(loadOwn).toHaveBeenCalledOnce();
  expect(server?.requests ?? []).toEqual([]);
  expect(fallback).not.toHaveBeenCalled();
});

it('asks a server that does not have the file only once', async () => {
  const server = await connect((request) => {
    request.send(responses.error(404));
    request.finish();
  });
  load();
  await vi.waitFor(() => expect(loadOwn).toHaveBeenCalledOnce());
  expect(fallback.mock.lastCall).toMatchObject([{ code: 'status' }, fragment.url, 2]);
  load({ ...fragment, index: 3 });
  expect(loadOwn).toHaveBeenCalledTimes(2);
  expect(server.requests).toHaveLength(1);
});

it('asks no VOXEL server for media of another origin', async () => {
  const server = await connect(answerWhole);
  load({ ...fragment, url: 'https://other.example/audio.mp4' });
  expect(loadOwn).toHaveBeenCalledOnce();
  expect(fallback.mock.lastCall).toMatchObject([{ code: 'other-origin' }, 'https://other.example/audio.mp4', 2]);
  expect(server.requests).toEqual([]);
});

it('goes on over HTTP when the session ends, and over the next one with the next segment', async () => {
  (await connect()).breakSession();
  load();
  await vi.waitFor(() => expect(loadOwn).toHaveBeenCalledOnce());
  expect(fallback.mock.lastCall).toMatchObject([{ code: 'session-closed' }, fragment.url, 2]);
  await connect(answerWhole);
  load({ ...fragment, index: 3 });
  await vi.waitFor(() => expect(deliver).toHaveBeenCalledOnce());
});

it('ends what dash.js gives up, silently', async () => {
  const server = await connect();
  load();
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  abort();
  await vi.waitFor(() => expect(server.requests[0]!.cancelled).toBe(true));
  expect([loadOwn, deliver, fallback].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
});

it('hands what is under way over to dash.js when the plugin is detached', async () => {
  const server = await connect();
  load();
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  loader.release();
  expect(loadOwn).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(server.requests[0]!.cancelled).toBe(true));
  expect(fallback).not.toHaveBeenCalled();
});

it('gives up a session that is silent while its server answers over HTTP', async () => {
  await connect();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    load();
    for (let at = 0; at < 2_500; at += 50) await vi.advanceTimersByTimeAsync(50);
    expect(abandon).not.toHaveBeenCalled();
    // Another download of the session goes on meanwhile.
    arrivals.bytes++;
    for (let at = 0; at < 2_500; at += 50) await vi.advanceTimersByTimeAsync(50);
    expect(abandon).not.toHaveBeenCalled();
    for (let at = 0; at < 600; at += 50) await vi.advanceTimersByTimeAsync(50);
    expect(abandon.mock.lastCall).toMatchObject([session, { code: 'timeout' }]);
  } finally {
    vi.useRealTimers();
  }
});

describe('sound that the viewer waits for', () => {
  const given: number[][] = [];
  const piece = (part: Uint8Array): void => void given.push([...part]);
  const outcome = () => deferred<DeliveredSegment>();
  let onPiece: (piece: DeliveredPiece) => void;
  let result: ReturnType<typeof outcome>;
  const push = vi.fn();
  const handOver = vi.fn((listener: typeof onPiece) => void (onPiece = listener));
  const come = (...part: number[]): void =>
    onPiece({ bytes: Uint8Array.from(part), range: { start: 100, end: 100 + part.length } } as DeliveredPiece);
  const ended = (...part: number[]) => ({ bytes: Uint8Array.from(part) }) as DeliveredSegment;

  beforeEach(() => {
    given.length = 0;
    result = outcome();
    result.promise.catch(() => undefined);
    handOver.mockClear();
    push.mockClear();
    initialization.mockReturnValue(Uint8Array.of(0));
    vi.stubGlobal('fetch', () => new Promise(() => undefined));
  });
  afterEach(() => void vi.unstubAllGlobals());

  /** A session whose download brings what the test says. */
  function openSession(): void {
    const progress = () => ({ bytesReliable: 1, bytesUnreliable: 0, bytesRequested: 300, elapsed: 1 });
    const download = () => ({ result: result.promise, progress, handOver, abort: vi.fn() });
    session = { download, play: vi.fn() } as unknown as VoxelSession;
  }

  it('comes in pieces over the session, the last one as the answer', async () => {
    openSession();
    load(fragment, piece);
    expect(initialization).toHaveBeenCalledWith('0/audio');
    come(1, 2);
    result.resolve(ended(3));
    await vi.waitFor(() => expect(deliver).toHaveBeenCalledExactlyOnceWith(Uint8Array.of(3)));
    expect(given).toEqual([[1, 2]]);
  });

  it('comes whole where the player takes no pieces, or its initialization segment is not known', () => {
    openSession();
    load(fragment);
    initialization.mockReturnValue(undefined);
    load(fragment, piece);
    expect(handOver).not.toHaveBeenCalled();
    result.resolve(ended(0));
  });

  it('goes on over HTTP with the rest where the session ends after a piece', async () => {
    openSession();
    const rest = outcome();
    assemble.mockResolvedValue({ result: rest.promise, push, handOver, end: vi.fn(), abort: vi.fn() });
    load(fragment, piece);
    come(1, 2);
    const asked = vi.fn<(...asked: unknown[]) => Promise<Response>>(() =>
      Promise.resolve(new Response(new Uint8Array(298), { status: 206 })),
    );
    vi.stubGlobal('fetch', asked);
    result.reject(new VoxelError('session-closed', 'gone'));
    await vi.waitFor(() => expect(push).toHaveBeenCalled());
    expect(asked.mock.calls[0]![1]).toMatchObject({ headers: { Range: 'bytes=102-399' } });
    rest.resolve(ended(3));
    await vi.waitFor(() => expect(deliver).toHaveBeenCalledExactlyOnceWith(Uint8Array.of(3)));
    expect(loadOwn).not.toHaveBeenCalled();
  });

  it('comes in pieces over HTTP while there is no session', async () => {
    const rest = outcome();
    assemble.mockResolvedValue({ result: rest.promise, push, handOver, end: vi.fn(), abort: vi.fn() });
    const { readable, writable } = new TransformStream<Uint8Array>();
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(readable, { status: 206 })));
    load(fragment, piece);
    const writer = writable.getWriter();
    void writer.write(new Uint8Array(100));
    await vi.waitFor(() => expect(push).toHaveBeenCalledOnce());
    come(1, 2);
    void writer.write(new Uint8Array(200));
    rest.resolve(ended(3));
    await vi.waitFor(() => expect(deliver).toHaveBeenCalledExactlyOnceWith(Uint8Array.of(3)));
    expect(given).toEqual([[1, 2]]);
    expect(loadOwn).not.toHaveBeenCalled();
  });

  it.each([
    ['waits for the first picture', () => new Promise(() => undefined)],
    ['cannot be had', () => Promise.reject(new VoxelError('unsupported', 'no worker'))],
  ])('comes whole over HTTP where the worker that would cut it %s', async (_, start) => {
    assemble.mockImplementationOnce(start);
    const sent = Uint8Array.from({ length: 300 }, (_, index) => index);
    const asked = vi.fn<typeof fetch>(() => Promise.resolve(new Response(sent, { status: 206 })));
    vi.stubGlobal('fetch', asked);
    load(fragment, piece);
    await vi.waitFor(() => expect(deliver).toHaveBeenCalledExactlyOnceWith(sent));
    // Over the connection that there is.
    expect(asked.mock.calls[0]![1]).toMatchObject({ credentials: 'same-origin' });
    expect([given.length, loadOwn.mock.calls.length]).toEqual([0, 0]);
  });

  it('is left to the player where HTTP does not bring it, or the plugin is detached', async () => {
    assemble.mockReturnValue(new Promise(() => undefined));
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(new Uint8Array(0), { status: 404 })));
    load(fragment, piece);
    await vi.waitFor(() => expect(loadOwn).toHaveBeenCalledOnce());
    vi.stubGlobal('fetch', () => new Promise(() => undefined));
    load(fragment, piece);
    loader.release();
    expect(loadOwn).toHaveBeenCalledTimes(2);
  });
});
