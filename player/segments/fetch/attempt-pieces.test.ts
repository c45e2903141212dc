import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../src/voxel-loader/deferred.js';
import {
  VoxelError,
  type DeliveredPiece,
  type DeliveredSegment,
  type SegmentDownload,
  type SegmentProgress,
} from '../../../src/voxel-loader/index.js';
import { PlayerError } from '../../api/errors.js';
import type { PlayerRequest } from '../../port/player-request.js';
import type { Decision, ReviewResult } from '../choose/rate-control.js';
import { Attempt, type SessionDelivered } from './attempt.js';
import { Playback } from './playback.js';
import type { DownloadPlan, RequestedSegment, SegmentRequests, StartedDownload } from './segment-requests.js';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** All of the segment: what is tested here does not depend on its bytes. */
const RANGE = { start: 0, end: 9 };

/** A download that does what the test says. */
class FakeDownload implements SegmentDownload {
  readonly outcome = deferred<DeliveredSegment>();
  readonly result = this.outcome.promise;
  bytesUnreliable = 0;
  onPiece: ((piece: DeliveredPiece) => void) | undefined;
  readonly keep = vi.fn(() => true);
  readonly abort = vi.fn(() => this.outcome.reject(new VoxelError('aborted', 'aborted')));

  progress(): SegmentProgress {
    const { bytesUnreliable } = this;
    return { phase: 'unreliable', bytesReliable: 100, bytesUnreliable, bytesRequested: 1000, elapsed: 0.5 };
  }

  handOver(onPiece: (piece: DeliveredPiece) => void): void {
    this.onPiece ??= onPiece;
  }

  piece(text: string): void {
    this.onPiece!({ bytes: bytesOf(text), range: RANGE } as DeliveredPiece);
  }

  end(text: string): void {
    this.outcome.resolve({ bytes: bytesOf(text), kept: undefined } as unknown as DeliveredSegment);
  }
}

describe('a segment that is handed over in pieces', () => {
  let download: FakeDownload;
  let given: string[];
  let delivered: SessionDelivered | undefined;
  let video: { element: undefined; bufferLevel: number; playbackRate: number; takesPieces: boolean };
  let review: ReviewResult;
  let abort: () => void;
  const play = vi.fn();
  const loadOwn = vi.fn();
  const fail = vi.fn();
  const start = vi.fn();
  const progressed = vi.fn();
  const assemble = vi.fn<SegmentRequests['assemble']>();
  const loaded = vi.fn();
  const fetched = vi.fn<typeof fetch>();

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    vi.stubGlobal('fetch', fetched);
    download = new FakeDownload();
    given = [];
    delivered = undefined;
    review = { action: 'continue' };
    video = { element: undefined, bufferLevel: 0, playbackRate: 0, takesPieces: true };
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** `adopted`: its download is under way already. `isOpen`: the session. */
  function begin({ adopted = false, takesPieces = true, isOpen = true, canCut = true } = {}): Attempt {
    const session = { play } as unknown as StartedDownload['session'];
    const plan = { delivery: 'datagrams' } as DownloadPlan;
    start.mockReturnValue({ session, plan, download });
    const give = (bytes: Uint8Array): void => void given.push(new TextDecoder().decode(bytes));
    const answer: PlayerRequest = {
      timeout: 0,
      onAbort: (callback) => (abort = callback),
      progress: vi.fn(),
      ...(takesPieces && { piece: give }),
      deliver: give,
      fail,
      loadOwn,
    };
    const request = { url: 'http://127.0.0.1/', headers: {} };
    const segment = { answer, request, decision: {}, origin: '', map: { range: RANGE } } as RequestedSegment;
    const collaborators = {
      sessions: {
        ready: () => (isOpen ? Promise.resolve(session) : Promise.reject(new PlayerError('session-opening', ''))),
        ...{ isPaused: false, isOpen, arrivals: { bytes: 0 }, abandon: vi.fn(), probe: vi.fn() },
      },
      requests: {
        ...{ areOverSessions: true, plan: () => Promise.resolve(plan), start, assemble, canCut: () => canCut },
        playback: new Playback({ video, link: { throughput: { throughput: 8000 } } }),
      },
      chooser: { review: () => review },
      recorder: { isFirst: false, fellBack: vi.fn(), loaded },
      owner: {
        tookSession: () => (adopted ? { session, plan, download } : undefined),
        delivered: (_: Attempt, delivery: SessionDelivered) => {
          delivered = delivery;
          answer.deliver(delivery.delivered.bytes);
        },
        ...{ progressed, came: vi.fn(), leftSession: vi.fn(), fileChanged: vi.fn() },
      },
    };
    const attempt = new Attempt(segment, collaborators);
    void attempt.start();
    return attempt;
  }

  const pass = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

  it('is so from the start while nothing plays, and the last piece is the answer', async () => {
    begin();
    await pass();
    expect(play).toHaveBeenCalled();
    download.piece('1');
    download.piece('2');
    download.end('3');
    await pass();
    expect(given).toEqual(['1', '2', '3']);
    expect(delivered!.pieces.map((piece) => new TextDecoder().decode(piece))).toEqual(['1', '2']);
  });

  it('is so from the moment when the buffer is shorter than its download, adopted or not', async () => {
    Object.assign(video, { bufferLevel: 4, playbackRate: 1 });
    for (const adopted of [false, true]) {
      download = new FakeDownload();
      begin({ adopted });
      await pass(100);
      // 900 bytes at 1000 a second.
      expect(download.onPiece).toBeUndefined();
      video.bufferLevel = 1;
      await pass(50);
      expect(download.onPiece).toBeDefined();
      video.bufferLevel = 4;
      download.end('');
    }
  });

  it('counts on the rate of a download that has shown it', async () => {
    Object.assign(video, { bufferLevel: 1, playbackRate: 1 });
    download.bytesUnreliable = 700;
    begin();
    await pass(50);
    // 200 bytes at 1600 a second.
    expect(download.onPiece).toBeUndefined();
  });

  it('never is for a player that takes whole segments only', async () => {
    begin({ takesPieces: false });
    await pass(100);
    expect(download.onPiece).toBeUndefined();
    download.end('all');
    await pass();
    expect(given).toEqual(['all']);
  });

  it('is not begun anew after its first piece, but may be kept', async () => {
    const attempt = begin();
    await pass();
    download.piece('1');
    review = { action: 'restart', decision: {} as Decision };
    await pass(50);
    expect(attempt.restart).toBeUndefined();
    review = { action: 'keep' };
    await pass(50);
    expect(download.keep).toHaveBeenCalled();
  });

  it('is kept from the player where a restart has been decided, until all of it is here', async () => {
    const attempt = begin();
    review = { action: 'restart', decision: {} as Decision };
    await pass(50);
    expect(attempt.restart).toBeDefined();
    download.piece('1');
    expect(given).toEqual([]);
    download.end('2');
    await pass();
    expect(given).toEqual(['1', '2']);
  });

  it.each(['bad-response', 'session-closed', 'detached'] as const)(
    'goes on over HTTP after its first piece, with the rest only: %s',
    async (code) => {
      const rest = new FakeDownload();
      const finish = rest.end.bind(rest, '3');
      const fed = Object.assign(rest, { push: vi.fn(), end: finish });
      assemble.mockResolvedValue(fed);
      const attempt = begin();
      await pass();
      download.piece('1');
      if (code === 'detached') attempt.release();
      else download.outcome.reject(new VoxelError(code, ''));
      await pass();
      download.piece('late');
      expect(assemble).toHaveBeenCalledExactlyOnceWith(expect.anything(), expect.any(Number), download);
      expect(given).toEqual(['1', '3']);
      expect(delivered).toMatchObject({ plan: { delivery: 'http' }, early: false });
      expect(start).toHaveBeenCalledOnce();
      expect([fail.mock.calls, loadOwn.mock.calls]).toEqual([[], []]);
    },
  );

  it.each([
    ['the worker has nothing of it any more', 'session-closed', 1],
    ['the file has changed', 'file-changed', 0],
  ] as const)('ends with what has come where %s: never with all of it once more', async (_, code, calls) => {
    assemble.mockRejectedValue(new VoxelError('aborted', ''));
    begin();
    await pass();
    download.piece('1');
    download.outcome.reject(new VoxelError(code, ''));
    await pass();
    expect(given).toEqual(['1', '']);
    expect(assemble).toHaveBeenCalledTimes(calls);
    expect([fail.mock.calls, loadOwn.mock.calls]).toEqual([[], []]);
  });

  it('comes over HTTP where no session is open, and what has come goes on when one opens', async () => {
    const end = vi.fn();
    const fed = Object.assign(new FakeDownload(), { push: vi.fn(), end });
    assemble.mockResolvedValue(fed);
    let body!: ReadableStreamDefaultController<Uint8Array>;
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
    const headers = { 'content-range': 'bytes 0-8/9', 'content-length': '9' };
    fetched.mockResolvedValue(new Response(stream, { status: 206, headers }));
    begin({ isOpen: false });
    await pass();
    body.enqueue(bytesOf('first'));
    await pass();
    expect(fed.push).toHaveBeenCalledExactlyOnceWith(0, bytesOf('first'));
    fed.piece('1');
    expect(given).toEqual(['1']);
    body.enqueue(bytesOf('last'));
    body.close();
    await pass(2000);
    fed.outcome.resolve({ bytes: bytesOf('2') } as DeliveredSegment);
    await pass();
    expect(given).toEqual(['1', '2']);
    expect(end).toHaveBeenCalledOnce();
    expect(loaded).toHaveBeenCalledExactlyOnceWith(expect.anything(), bytesOf('firstlast').buffer, {
      ...{ seconds: expect.any(Number) as number, early: false },
    });
    expect([start.mock.calls, loadOwn.mock.calls]).toEqual([[], []]);
  });

  it.each([
    ['nobody waits for it', { bufferLevel: 4 }, {}],
    ['the player takes whole segments only', {}, { takesPieces: false }],
    ['it cannot be cut', {}, { canCut: false }],
  ])("is left to the player's own loader without a session where %s", async (_, buffer, how) => {
    Object.assign(video, { playbackRate: 1, ...buffer });
    begin({ isOpen: false, ...how });
    await pass();
    expect(loadOwn).toHaveBeenCalledOnce();
    expect(fetched).not.toHaveBeenCalled();
  });

  it('ends when the player aborts it', async () => {
    begin();
    await pass();
    download.piece('1');
    abort();
    download.piece('2');
    await pass(100);
    expect(download.abort).toHaveBeenCalledOnce();
    expect(given).toEqual(['1']);
    expect([fail.mock.calls, loadOwn.mock.calls]).toEqual([[], []]);
  });
});
