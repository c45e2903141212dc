import { PathEstimate, voxel } from '../../../src/delivery/index.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../../src/abr-star/index.js';
import { VoxelError, type VoxelSession } from '../../../src/voxel-loader/index.js';
import { FakeVoxelServer, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { openPageSession } from '../../../test/unit/page-client.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import type { Content } from '../choose/content.js';
import type { Load, LoaderRequest, LoaderResponse } from '../../dash/dash-types.js';
import { playerRequest } from '../../dash/player-request.js';
import { EventEmitter } from '../../api/events.js';
import { Journal } from '../record/journal.js';
import { DeliveryRecorder } from '../record/delivery-recorder.js';
import type { Decision, RateControl, ReviewResult } from '../choose/rate-control.js';
import { SegmentChooser } from '../choose/segment-chooser.js';
import { Attempt } from './attempt.js';
import type { Pipeline } from './pipeline.js';
import { SegmentLoader } from './segment-loader.js';
import { SegmentRequests, type RequestedSegment } from './segment-requests.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { DeliveredEvent, Delivery, FallbackEvent, LivePluginEventMap } from '../../api/types.js';

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

describe('Attempt', () => {
  let delivered: DeliveredEvent[];
  let fallbacks: FallbackEvent[];
  let request: LoaderRequest;
  let response: LoaderResponse;
  let handlers: Record<'onloadend' | 'onprogress' | 'onabort', ReturnType<typeof vi.fn<() => void>>>;
  let parentLoad: ReturnType<typeof vi.fn<Load>>;
  let loss: LossEstimator;
  let urgencies: string[];
  const abandon = vi.fn<SessionManager['abandon']>();
  const probe = vi.fn<SessionManager['probe']>();
  const reload = vi.fn<Content['reload']>();

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
    reload.mockReset();
    probe.mockReset().mockRejectedValue(new Error('no answer'));
    delivered = [];
    fallbacks = [];
  });

  function createAttempt(
    session: () => Promise<VoxelSession>,
    options: {
      delivery?: Delivery;
      decision?: Decision;
      review?: RateControl['review'];
      canRepair?: boolean;
      throughput?: ThroughputEstimator;
      headerHosts?: string[];
    } = {},
  ): Attempt {
    const events = new EventEmitter<LivePluginEventMap>();
    const ofThisTest = delivered;
    events.on('delivered', (event) => ofThisTest.push(event));
    events.on('fallback', (event) => fallbacks.push(event));
    const rateControl = { delivered: vi.fn(), review: options.review ?? (() => ({ action: 'continue' as const })) };
    const link = { throughput: options.throughput ?? new ThroughputEstimator(), loss, path: new PathEstimate() };
    const receiver = {
      canRepair: () => Promise.resolve(options.canRepair ?? true),
      assemble: vi.fn(),
      initialization: () => undefined,
      inspect: () => Promise.resolve({ states: [], repairedFrames: 0, repairedSlices: 0, removed: [] }),
    };
    const recorder = new DeliveryRecorder({
      journal: new Journal(events),
      link,
      receiver,
      rateControl,
      retransmission: { suspend: vi.fn(), resume: vi.fn(), hold: vi.fn() },
    });
    const preferences = {
      delivery: options.delivery ?? 'streams',
      ruleChooses: true,
      withDeadlines: true,
      strategy: voxel,
      headerHosts: options.headerHosts ?? [],
    };
    const sessions = {
      session: undefined,
      isOpen: false,
      ready: (urgency: 'now' | 'soon') => {
        urgencies.push(urgency);
        return session();
      },
      abandon,
      probe,
      isPaused: false,
      arrivals: { bytes: 0 },
    };
    const segment: RequestedSegment = {
      request,
      fragment: request.customData.request,
      answer: playerRequest(request, response, parentLoad),
      key: '0/q00',
      map,
      time: { start: 12, duration: 4 },
      edition: 0,
      decision: options.decision,
      origin: ORIGIN,
    };
    const video = { bufferLevel: 8, playbackRate: 1, element: undefined, takesPieces: false };
    const requests = new SegmentRequests(preferences, { sessions, receiver, video, link });
    const chooser = new SegmentChooser({
      ...{ rateControl: rateControl as unknown as RateControl, video, sessions },
      ...{ settings: { isVideoPinned: false }, headStart: { isRunning: false } },
    });
    const pipeline = { adopt() {}, look() {}, delivered() {}, cancel() {} } as unknown as Pipeline;
    const content = { reload, indexes: { release: vi.fn() } } as unknown as Content;
    const owner = new SegmentLoader({
      ask: (...of) => fetch(...of),
      content,
      chooser,
      pipeline,
      recorder,
      createAttempt: vi.fn(),
    });
    return new Attempt(segment, { sessions, requests, chooser, recorder, owner });
  }

  /** Whole segments are recorded after dash.js has them. */
  const recorded = (events: object[]): Promise<void> => vi.waitFor(() => expect(delivered).toMatchObject(events));

  const connect = (server: FakeVoxelServer) => () => openPageSession(server);

  it('gives dash.js the segment as an ordinary response, and tells what it is made of', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createAttempt(connect(server)).start();
    expect(new Uint8Array(response.data as ArrayBuffer)).toEqual(wholeSegment);
    expect(response).toMatchObject({ status: 206, url: request.url });
    expect(handlers.onprogress.mock.lastCall).toEqual([{ loaded: 140, total: 140, lengthComputable: true }]);
    expect(handlers.onloadend).toHaveBeenCalledOnce();
    expect(parentLoad).not.toHaveBeenCalled();
    expect(loss.lossRate).toBe(0);
    await recorded([
      { record: { index: 3, representation: 'q00', delivery: 'streams', bytesReliable: 50, bytesUnreliable: 90 } },
    ]);
  });

  it('asks for path and query, and forwards the headers of dash.js except the range', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createAttempt(connect(server)).start();
    const { head } = server.requests[0]!;
    expect(head).toMatch(/^GET \/bbb\/q00\.mp4\?token=1 HTTP\/1\.1\r\n/);
    expect(head.toLowerCase()).toContain('cmcd-request: mtp=1\r\n');
    expect(head).not.toContain('1000-1139');
  });

  it('gives the headers of dash.js and the page to no other host, unless the page names it', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const open = (): Promise<VoxelSession> => openPageSession(server, 'https://cdn.example:4433/voxel');
    request = { ...request, headers: { ...request.headers, Authorization: 'Bearer 1' } };
    for (const headerHosts of [[], ['other.example'], ['cdn.example']]) {
      await createAttempt(open, { headerHosts }).start();
    }
    const heads = server.requests.map(({ head }) => head);
    expect(heads.map((head) => /^authorization: /im.test(head))).toEqual([false, false, true]);
    expect(heads.map((head) => /^cmcd-request: /im.test(head))).toEqual([false, false, true]);
  });

  it('asks for no more than the virtual level decided', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createAttempt(connect(server), { decision: { option: { level: 0 } } as Decision }).start();
    const asked = server.requests.flatMap(({ ranges }) => ranges);
    expect(asked).toEqual(map.reliable);
  });

  it('goes on streams where the rule wants that, and sends a deadline with datagrams only', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const decision = { option: { level: 2 }, delivery: 'streams' } as Decision;
    await createAttempt(connect(server), { delivery: 'datagrams', decision }).start();
    expect(server.requests.map(({ flow }) => flow)).toEqual([undefined]);
    expect(server.requests[0]!.head).not.toContain('deadline');
    await recorded([{ record: { delivery: 'streams' } }]);

    await createAttempt(connect(server), { delivery: 'datagrams' }).start();
    const [, onStream, asDatagrams] = server.requests;
    expect(onStream!.head).not.toContain('deadline');
    // A busy machine takes a while from the request to its head.
    expect(asDatagrams!.head).toMatch(/x-voxel-deadline: ([67]\d{3}|8000)\r\n/);
  });

  it.each([
    ['there is no session', () => Promise.reject(new VoxelError('session-failed', 'UDP blocked')), 'session-failed'],
    ['the server refuses', connect(new FakeVoxelServer(refuse)), 'status'],
    ['the stream breaks', connect(new FakeVoxelServer((incoming) => incoming.reset())), 'incomplete'],
  ])('falls back to the loader of dash.js when %s', async (_case, session, code) => {
    await createAttempt(session).start();
    expect(parentLoad).toHaveBeenCalledExactlyOnceWith(request, response);
    expect(fallbacks).toMatchObject([{ index: 3, code, url: request.url }]);
    expect(handlers.onloadend).not.toHaveBeenCalled();
    expect(delivered).toEqual([]);
  });

  it('takes HTTP at once when the file has changed, and has its index loaded anew', async () => {
    const overHttp = vi.fn(() => Promise.reject(new Error('no network')));
    vi.stubGlobal('fetch', overHttp);
    const changed = new FakeVoxelServer((incoming) => {
      incoming.send(responses.error(412));
      incoming.finish();
    });
    await createAttempt(connect(changed), { delivery: 'datagrams' }).start();
    expect(parentLoad).toHaveBeenCalledOnce();
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'file-changed' }]);
    expect(reload).toHaveBeenCalledExactlyOnceWith(request.customData.request.representation);
    expect(overHttp).toHaveBeenCalledExactlyOnceWith(request.url, expect.objectContaining({ cache: 'reload' }));
    vi.unstubAllGlobals();
  });

  it('takes streams when the delivery as datagrams breaks, and HTTP when those break, too', async () => {
    const server = new FakeVoxelServer((incoming) => {
      const isSecondTry = server.requests.length > 2;
      if (isSecondTry) answerReliably(incoming);
      else incoming.reset();
    });
    await createAttempt(connect(server), { delivery: 'datagrams' }).start();
    expect(fallbacks).toMatchObject([{ to: 'streams', code: 'incomplete' }]);
    await recorded([{ record: { delivery: 'streams' } }]);
    expect(parentLoad).not.toHaveBeenCalled();

    await createAttempt(connect(new FakeVoxelServer((incoming) => incoming.reset())), {
      delivery: 'datagrams',
    }).start();
    expect(fallbacks.map(({ to }) => to)).toEqual(['streams', 'streams', 'http']);
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('asks for whole segments on streams where gaps could not be repaired', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const decision = { option: { level: 0 } } as Decision;
    await createAttempt(connect(server), { delivery: 'datagrams', decision, canRepair: false }).start();
    expect(server.requests.map(({ flow }) => flow)).toEqual([undefined]);
    await recorded([{ record: { level: 2, delivery: 'streams', bytesUnreliable: 90 } }]);
  });

  it('gives up a session over which nothing comes', async () => {
    vi.useFakeTimers();
    const loading = createAttempt(connect(new FakeVoxelServer(() => {}))).start();
    await vi.advanceTimersByTimeAsync(20_000);
    await loading;
    vi.useRealTimers();
    expect(abandon.mock.calls.map(([, error]) => error)).toMatchObject([{ code: 'timeout' }]);
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'timeout' }]);
  });

  it('does so sooner when the server answers over HTTP, and plays what is here if that can be played', async () => {
    probe.mockResolvedValue(undefined);
    vi.useFakeTimers();
    const silent = createAttempt(connect(new FakeVoxelServer(() => {}))).start();
    await vi.advanceTimersByTimeAsync(4_000);
    await silent;
    expect(probe).toHaveBeenCalledExactlyOnceWith(ORIGIN);
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'timeout' }]);
    expect(parentLoad).toHaveBeenCalledOnce();

    const server = new FakeVoxelServer((incoming) => {
      if (incoming.flow === undefined) answerReliably(incoming);
    });
    const half = createAttempt(connect(server), { delivery: 'datagrams' }).start();
    await vi.advanceTimersByTimeAsync(4_000);
    await half;
    vi.useRealTimers();
    expect(abandon.mock.calls.map(([, error]) => error)).toMatchObject([{ code: 'timeout' }, { code: 'timeout' }]);
  });

  it('waits for a session that opens with every segment but the first', async () => {
    const throughput = new ThroughputEstimator();
    await createAttempt(connect(new FakeVoxelServer(answerReliably)), { throughput }).start();
    throughput.add({ bytes: 1000, seconds: 1 });
    await createAttempt(connect(new FakeVoxelServer(answerReliably)), { throughput }).start();
    expect(urgencies).toEqual(['now', 'soon']);
  });

  it('leaves the files of other origins to dash.js', async () => {
    const server = new FakeVoxelServer(answerReliably);
    request = { ...request, url: 'https://cdn.example/q00.mp4' };
    await createAttempt(connect(server)).start();
    expect(fallbacks).toMatchObject([{ code: 'other-origin' }]);
    expect(server.requests).toEqual([]);
  });

  it('falls back when gaps cannot be repaired', async () => {
    // Datagrams asked for and never sent: a gap, and no initialization segment to repair it with.
    const server = new FakeVoxelServer((incoming) => {
      if (incoming.flow === undefined) {
        answerReliably(incoming);
        return;
      }
      incoming.send(responses.unreliable(incoming.body.length, incoming.flow));
      incoming.send(responses.trailer(0, 1));
      incoming.finish();
    });
    await createAttempt(connect(server), { delivery: 'datagrams' }).start();
    expect(fallbacks).toMatchObject([{ code: 'no-initialization' }]);
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('records a segment that came over HTTP after all', async () => {
    await createAttempt(() => Promise.reject(new VoxelError('session-failed', 'UDP blocked'))).start();
    response.data = wholeSegment.slice().buffer;
    request.customData.onloadend?.();
    expect(handlers.onloadend).toHaveBeenCalledOnce();
    await recorded([{ record: { delivery: 'http', bytesReliable: 50, bytesUnreliable: 90, level: 2 } }]);
  });

  it('falls back when the request takes longer than dash.js allows', async () => {
    request = { ...request, timeout: 20 };
    await createAttempt(connect(new FakeVoxelServer(() => {}))).start();
    expect(fallbacks).toMatchObject([{ code: 'timeout' }]);
  });

  it('stays silent after dash.js has aborted, while it waits for a session or for bytes', async () => {
    let open!: (session: VoxelSession) => void;
    const waiting = createAttempt(() => new Promise((resolve) => (open = resolve))).start();
    request.customData.abort!();
    expect(handlers.onabort).toHaveBeenCalledOnce();
    open({} as VoxelSession);
    await waiting;

    const server = new FakeVoxelServer(() => {});
    const loading = createAttempt(connect(server)).start();
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
    const download = createAttempt(connect(server));
    const loading = download.start();
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    download.release();
    await loading;
    expect(parentLoad).toHaveBeenCalledExactlyOnceWith(request, response);
    expect(fallbacks).toEqual([]);
  });

  it('reports progress while bytes arrive, and a restart even when none do', async () => {
    const restart = { option: { level: 0 } } as Decision;
    const results: ReviewResult[] = [{ action: 'continue' }, { action: 'restart', decision: restart }];
    const review = vi.fn((): ReviewResult => results.shift()!);
    const decision = { option: { level: 2 } } as Decision;
    const download = createAttempt(connect(new FakeVoxelServer(() => {})), { decision, review });
    const loading = download.start();
    await vi.waitFor(() => expect(handlers.onprogress).toHaveBeenCalled(), { timeout: 60_000 });
    expect(handlers.onprogress.mock.calls[0]).toEqual([{ loaded: 0, total: 140, lengthComputable: true }]);
    expect(download.restart).toBe(restart);
    request.customData.abort!();
    await loading;
    expect(review).toHaveBeenCalledTimes(2);
  });
});
