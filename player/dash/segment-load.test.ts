import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../src/abr-star/index.js';
import { PageSession } from '../../src/voxel-loader/page-session.js';
import { VoxelError, type VoxelSession } from '../../src/voxel-loader/index.js';
import { openSession } from '../../src/voxel-loader/session.js';
import { FakeVoxelServer, responses, type FakeRequest } from '../../test/unit/fake-voxel-server.js';
import { fileBytes, segmentOf } from '../../test/unit/segment-content.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import { EventEmitter } from '../events.js';
import { Journal } from '../journal.js';
import type { LoadContext, LoadJob } from './load-context.js';
import type { Decision, RateControl, ReviewResult } from '../rate-control.js';
import { Repairers } from '../repairers.js';
import { SegmentLoad } from './segment-load.js';
import type { SessionManager } from '../session-manager.js';
import type { DeliveredEvent, Delivery, FallbackEvent, VoxelEventMap } from '../types.js';

const ORIGIN = 'https://media.example';
const map = segmentOf(1000, [40, 60, 10, 30]);
const wholeSegment = fileBytes([map.range]);

/** Everything on the stream, as asked. */
function answerReliably(request: FakeRequest): void {
  request.send(responses.reliable(request.body.length));
  request.send(request.body);
  request.finish();
}

function refuse(request: FakeRequest): void {
  request.send(responses.error(404));
  request.finish();
}

describe('SegmentLoad', () => {
  let delivered: DeliveredEvent[];
  let fallbacks: FallbackEvent[];
  let request: LoaderRequest;
  let response: LoaderResponse;
  let handlers: Record<'onloadend' | 'onprogress' | 'onabort', ReturnType<typeof vi.fn<() => void>>>;
  let parentLoad: ReturnType<typeof vi.fn<Load>>;
  let loss: LossEstimator;
  let urgencies: string[];
  const abandon = vi.fn<SessionManager['abandon']>();
  const probe = vi.fn<LoadContext['probe']>();

  beforeEach(() => {
    handlers = { onloadend: vi.fn(), onprogress: vi.fn(), onabort: vi.fn() };
    const fragment = { type: 'MediaSegment', mediaType: 'video', index: 3, startTime: 12, duration: 4 };
    const representation = { id: 'q00', bandwidth: 1000 };
    request = {
      url: `${ORIGIN}/bbb/q00.mp4?token=1`,
      headers: { Range: 'bytes=1000-1139', 'CMCD-Request': 'mtp=1' },
      timeout: 0,
      customData: { request: { ...fragment, representation } as never, ...handlers },
    };
    response = { request };
    parentLoad = vi.fn();
    loss = new LossEstimator();
    urgencies = [];
    abandon.mockReset();
    probe.mockReset().mockRejectedValue(new Error('no answer'));
    delivered = [];
    fallbacks = [];
  });

  function createLoad(
    session: () => Promise<VoxelSession>,
    options: {
      delivery?: Delivery;
      decision?: Decision;
      review?: RateControl['review'];
      canRepair?: boolean;
      throughput?: ThroughputEstimator;
    } = {},
  ): SegmentLoad {
    const events = new EventEmitter<VoxelEventMap>();
    const ofThisTest = delivered;
    events.on('delivered', (event) => ofThisTest.push(event));
    events.on('fallback', (event) => fallbacks.push(event));
    const context: LoadContext = {
      delivery: options.delivery ?? 'streams',
      ruleChoosesDelivery: true,
      sessions: { ready: (urgency) => (urgencies.push(urgency), session()), abandon },
      repairers: Object.assign(new Repairers(), { canRepair: () => options.canRepair ?? true }),
      journal: new Journal(events),
      throughput: options.throughput ?? new ThroughputEstimator(),
      loss,
      rateControl: { delivered: vi.fn(), review: options.review ?? (() => ({ action: 'continue' })) },
      retransmission: { suspend: vi.fn(), resume: vi.fn(), hold: vi.fn() },
      bufferLevel: () => 8,
      deadline: () => 8000,
      probe,
    };
    const job: LoadJob = {
      request,
      response,
      parentLoad,
      key: '0/q00',
      map,
      decision: options.decision,
      origin: ORIGIN,
    };
    return new SegmentLoad(context, job);
  }

  /** Whole segments are recorded after dash.js has them. */
  const recorded = (events: object[]): Promise<void> => vi.waitFor(() => expect(delivered).toMatchObject(events));

  const connect = (server: FakeVoxelServer) => async () =>
    new PageSession(await openSession({ url: `${ORIGIN}/voxel`, certificateHashes: [] }, server.WebTransport));

  it('gives dash.js the segment as an ordinary response, and tells what it is made of', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createLoad(connect(server)).run();
    expect(new Uint8Array(response.data as ArrayBuffer)).toEqual(wholeSegment);
    expect(response).toMatchObject({ status: 206, url: request.url });
    expect(handlers.onprogress.mock.lastCall).toEqual([{ loaded: 140, total: 140, lengthComputable: true }]);
    expect(handlers.onloadend).toHaveBeenCalledOnce();
    expect(parentLoad).not.toHaveBeenCalled();
    expect(loss.lossRate).toBeUndefined();
    await recorded([
      { record: { index: 3, representation: 'q00', delivery: 'streams', bytesReliable: 50, bytesUnreliable: 90 } },
    ]);
  });

  it('asks for path and query, and forwards the headers of dash.js except the range', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createLoad(connect(server)).run();
    const { head } = server.requests[0]!;
    expect(head).toMatch(/^GET \/bbb\/q00\.mp4\?token=1 HTTP\/1\.1\r\n/);
    expect(head.toLowerCase()).toContain('cmcd-request: mtp=1\r\n');
    expect(head).not.toContain('1000-1139');
  });

  it('asks for no more than the virtual level decided', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createLoad(connect(server), { decision: { option: { level: 0 } } as Decision }).run();
    const asked = server.requests.flatMap(({ ranges }) => ranges);
    expect(asked).toEqual(map.reliable);
  });

  it('goes on streams where the rule wants that, and sends a deadline with datagrams only', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const decision = { option: { level: 2 }, delivery: 'streams' } as Decision;
    await createLoad(connect(server), { delivery: 'datagrams', decision }).run();
    expect(server.requests.map(({ flow }) => flow)).toEqual([undefined]);
    expect(server.requests[0]!.head).not.toContain('deadline');
    await recorded([{ record: { delivery: 'streams' } }]);

    await createLoad(connect(server), { delivery: 'datagrams' }).run();
    const [, onStream, asDatagrams] = server.requests;
    expect(onStream!.head).not.toContain('deadline');
    expect(asDatagrams!.head).toContain('x-voxel-deadline: 8000\r\n');
  });

  it.each([
    ['there is no session', () => Promise.reject(new VoxelError('session-failed', 'UDP blocked')), 'session-failed'],
    ['the server refuses', connect(new FakeVoxelServer(refuse)), 'status'],
    ['the stream breaks', connect(new FakeVoxelServer((incoming) => incoming.reset())), 'incomplete'],
  ])('falls back to the loader of dash.js when %s', async (_case, session, code) => {
    await createLoad(session).run();
    expect(parentLoad).toHaveBeenCalledExactlyOnceWith(request, response);
    expect(fallbacks).toMatchObject([{ index: 3, code, url: request.url }]);
    expect(handlers.onloadend).not.toHaveBeenCalled();
    expect(delivered).toEqual([]);
  });

  it('takes streams when the way over datagrams breaks, and HTTP when those break, too', async () => {
    const server = new FakeVoxelServer((incoming) => {
      const isSecondTry = server.requests.length > 2;
      if (isSecondTry) answerReliably(incoming);
      else incoming.reset();
    });
    await createLoad(connect(server), { delivery: 'datagrams' }).run();
    expect(fallbacks).toMatchObject([{ to: 'streams', code: 'incomplete' }]);
    await recorded([{ record: { delivery: 'streams' } }]);
    expect(parentLoad).not.toHaveBeenCalled();

    await createLoad(connect(new FakeVoxelServer((incoming) => incoming.reset())), { delivery: 'datagrams' }).run();
    expect(fallbacks.map(({ to }) => to)).toEqual(['streams', 'streams', 'http']);
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('asks for whole segments on streams where holes could not be repaired', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const decision = { option: { level: 0 } } as Decision;
    await createLoad(connect(server), { delivery: 'datagrams', decision, canRepair: false }).run();
    expect(server.requests.map(({ flow }) => flow)).toEqual([undefined]);
    await recorded([{ record: { level: 2, delivery: 'streams', bytesUnreliable: 90 } }]);
  });

  it('gives up a session over which nothing comes', async () => {
    vi.useFakeTimers();
    const loading = createLoad(connect(new FakeVoxelServer(() => {}))).run();
    await vi.advanceTimersByTimeAsync(20_000);
    await loading;
    vi.useRealTimers();
    expect(abandon.mock.calls.map(([, error]) => error)).toMatchObject([{ code: 'timeout' }]);
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'timeout' }]);
  });

  it('does so sooner when the server answers over HTTP, and plays what is here if that can be played', async () => {
    probe.mockResolvedValue(undefined);
    vi.useFakeTimers();
    const silent = createLoad(connect(new FakeVoxelServer(() => {}))).run();
    await vi.advanceTimersByTimeAsync(4_000);
    await silent;
    expect(probe).toHaveBeenCalledExactlyOnceWith(ORIGIN);
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'timeout' }]);
    expect(parentLoad).toHaveBeenCalledOnce();

    const server = new FakeVoxelServer((incoming) => {
      if (incoming.flow === undefined) answerReliably(incoming);
    });
    const half = createLoad(connect(server), { delivery: 'datagrams' }).run();
    await vi.advanceTimersByTimeAsync(4_000);
    await half;
    vi.useRealTimers();
    expect(abandon.mock.calls.map(([, error]) => error)).toMatchObject([{ code: 'timeout' }, { code: 'timeout' }]);
  });

  it('waits for a session that opens with every segment but the first', async () => {
    const throughput = new ThroughputEstimator();
    await createLoad(connect(new FakeVoxelServer(answerReliably)), { throughput }).run();
    throughput.add({ bytes: 1000, seconds: 1 });
    await createLoad(connect(new FakeVoxelServer(answerReliably)), { throughput }).run();
    expect(urgencies).toEqual(['now', 'soon']);
  });

  it('leaves the files of other origins to dash.js', async () => {
    const server = new FakeVoxelServer(answerReliably);
    request = { ...request, url: 'https://cdn.example/q00.mp4' };
    await createLoad(connect(server)).run();
    expect(fallbacks).toMatchObject([{ code: 'other-origin' }]);
    expect(server.requests).toEqual([]);
  });

  it('falls back when holes cannot be repaired', async () => {
    // Datagrams asked for and never sent: a hole, and no initialization segment to repair it with.
    const server = new FakeVoxelServer((incoming) => {
      if (incoming.flow === undefined) {
        answerReliably(incoming);
        return;
      }
      incoming.send(responses.unreliable(incoming.body.length, incoming.flow));
      incoming.send(responses.trailer(0, 1));
      incoming.finish();
    });
    await createLoad(connect(server), { delivery: 'datagrams' }).run();
    expect(fallbacks).toMatchObject([{ code: 'no-initialization' }]);
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('records a segment that came over HTTP after all', async () => {
    await createLoad(() => Promise.reject(new VoxelError('session-failed', 'UDP blocked'))).run();
    response.data = wholeSegment.slice().buffer;
    request.customData.onloadend?.();
    expect(handlers.onloadend).toHaveBeenCalledOnce();
    await recorded([{ record: { delivery: 'http', bytesReliable: 50, bytesUnreliable: 90, level: 2 } }]);
  });

  it('falls back when the request takes longer than dash.js allows', async () => {
    request = { ...request, timeout: 20 };
    await createLoad(connect(new FakeVoxelServer(() => {}))).run();
    expect(fallbacks).toMatchObject([{ code: 'timeout' }]);
  });

  it('stays silent after dash.js has aborted, while it waits for a session or for bytes', async () => {
    let open!: (session: VoxelSession) => void;
    const waiting = createLoad(() => new Promise((resolve) => (open = resolve))).run();
    request.customData.abort!();
    expect(handlers.onabort).toHaveBeenCalledOnce();
    open({} as VoxelSession);
    await waiting;

    const server = new FakeVoxelServer(() => {});
    const loading = createLoad(connect(server)).run();
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    request.customData.abort!();
    await loading;
    expect(server.requests[0]!.cancelled).toBe(true);
    expect(parentLoad).not.toHaveBeenCalled();
    expect(handlers.onloadend).not.toHaveBeenCalled();
    expect(fallbacks).toEqual([]);
  });

  it('hands a running download to dash.js when it is released', async () => {
    const server = new FakeVoxelServer(() => {});
    const load = createLoad(connect(server));
    const loading = load.run();
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    load.release();
    await loading;
    expect(parentLoad).toHaveBeenCalledExactlyOnceWith(request, response);
    expect(fallbacks).toEqual([]);
  });

  it('reports progress while bytes arrive, and a restart even when none do', async () => {
    const restart = { option: { level: 0 } } as Decision;
    const results: ReviewResult[] = [{ action: 'continue' }, { action: 'restart', decision: restart }];
    const review = vi.fn((): ReviewResult => results.shift()!);
    const decision = { option: { level: 2 } } as Decision;
    const load = createLoad(connect(new FakeVoxelServer(() => {})), { decision, review });
    const loading = load.run();
    await vi.waitFor(() => expect(handlers.onprogress).toHaveBeenCalled());
    expect(handlers.onprogress.mock.calls[0]).toEqual([{ loaded: 0, total: 140, lengthComputable: true }]);
    expect(load.restart).toBe(restart);
    request.customData.abort!();
    await loading;
    expect(review).toHaveBeenCalledTimes(2);
  });
});
