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
import { EventEmitter } from '../../events.js';
import { Journal } from '../record/journal.js';
import { DeliveryRecorder } from '../record/delivery-recorder.js';
import { DownloadControl } from './download-control.js';
import { HttpDownloads } from './http-download.js';
import type { RequestedSegment } from './requested-segment.js';
import type { Decision, RateControl, ReviewResult } from '../choose/rate-control.js';
import { SessionDownload } from './session-download.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { DeliveredEvent, Delivery, FallbackEvent, VoxelEventMap } from '../../types.js';

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

describe('SessionDownload', () => {
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

  function createDownload(
    session: () => Promise<VoxelSession>,
    options: {
      delivery?: Delivery;
      decision?: Decision;
      review?: RateControl['review'];
      canRepair?: boolean;
      throughput?: ThroughputEstimator;
      headerHosts?: string[];
    } = {},
  ): SessionDownload {
    const events = new EventEmitter<VoxelEventMap>();
    const ofThisTest = delivered;
    events.on('delivered', (event) => ofThisTest.push(event));
    events.on('fallback', (event) => fallbacks.push(event));
    const rateControl = { delivered: vi.fn(), review: options.review ?? (() => ({ action: 'continue' as const })) };
    const link = { throughput: options.throughput ?? new ThroughputEstimator(), loss, path: new PathEstimate() };
    const recorder = new DeliveryRecorder({
      journal: new Journal(events),
      link,
      rateControl,
      retransmission: { resume: vi.fn(), hold: vi.fn() },
    });
    const receiver = {
      canRepair: () => Promise.resolve(options.canRepair ?? true),
      inspect: () => Promise.resolve({ states: [], repairedFrames: 0, repairedSlices: 0 }),
    };
    const preferences = {
      delivery: options.delivery ?? 'streams',
      ruleChooses: true,
      withDeadlines: true,
      strategy: voxel,
      headerHosts: options.headerHosts ?? [],
    };
    const control = new DownloadControl(preferences, {
      rateControl,
      receiver,
      link,
      video: { bufferLevel: 8, playbackRate: 1 },
    });
    const sessions = {
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
      edition: 0,
      decision: options.decision,
      origin: ORIGIN,
    };
    return new SessionDownload(
      {
        ...{ sessions, control, preferences, recorder, content: { reload } },
        http: new HttpDownloads(receiver, recorder),
        pipeline: { look: () => undefined, delivered: () => undefined },
      },
      segment,
    );
  }

  /** Whole segments are recorded after dash.js has them. */
  const recorded = (events: object[]): Promise<void> => vi.waitFor(() => expect(delivered).toMatchObject(events));

  const connect = (server: FakeVoxelServer) => () => openPageSession(server);

  it('gives dash.js the segment as an ordinary response, and tells what it is made of', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createDownload(connect(server)).run();
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
    await createDownload(connect(server)).run();
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
      await createDownload(open, { headerHosts }).run();
    }
    const heads = server.requests.map(({ head }) => head);
    expect(heads.map((head) => /^authorization: /im.test(head))).toEqual([false, false, true]);
    expect(heads.map((head) => /^cmcd-request: /im.test(head))).toEqual([false, false, true]);
  });

  it('asks for no more than the virtual level decided', async () => {
    const server = new FakeVoxelServer(answerReliably);
    await createDownload(connect(server), { decision: { option: { level: 0 } } as Decision }).run();
    const asked = server.requests.flatMap(({ ranges }) => ranges);
    expect(asked).toEqual(map.reliable);
  });

  it('goes on streams where the rule wants that, and sends a deadline with datagrams only', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const decision = { option: { level: 2 }, delivery: 'streams' } as Decision;
    await createDownload(connect(server), { delivery: 'datagrams', decision }).run();
    expect(server.requests.map(({ flow }) => flow)).toEqual([undefined]);
    expect(server.requests[0]!.head).not.toContain('deadline');
    await recorded([{ record: { delivery: 'streams' } }]);

    await createDownload(connect(server), { delivery: 'datagrams' }).run();
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
    await createDownload(session).run();
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
    await createDownload(connect(changed), { delivery: 'datagrams' }).run();
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
    await createDownload(connect(server), { delivery: 'datagrams' }).run();
    expect(fallbacks).toMatchObject([{ to: 'streams', code: 'incomplete' }]);
    await recorded([{ record: { delivery: 'streams' } }]);
    expect(parentLoad).not.toHaveBeenCalled();

    await createDownload(connect(new FakeVoxelServer((incoming) => incoming.reset())), { delivery: 'datagrams' }).run();
    expect(fallbacks.map(({ to }) => to)).toEqual(['streams', 'streams', 'http']);
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('asks for whole segments on streams where gaps could not be repaired', async () => {
    const server = new FakeVoxelServer(answerReliably);
    const decision = { option: { level: 0 } } as Decision;
    await createDownload(connect(server), { delivery: 'datagrams', decision, canRepair: false }).run();
    expect(server.requests.map(({ flow }) => flow)).toEqual([undefined]);
    await recorded([{ record: { level: 2, delivery: 'streams', bytesUnreliable: 90 } }]);
  });

  it('gives up a session over which nothing comes', async () => {
    vi.useFakeTimers();
    const loading = createDownload(connect(new FakeVoxelServer(() => {}))).run();
    await vi.advanceTimersByTimeAsync(20_000);
    await loading;
    vi.useRealTimers();
    expect(abandon.mock.calls.map(([, error]) => error)).toMatchObject([{ code: 'timeout' }]);
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'timeout' }]);
  });

  it('does so sooner when the server answers over HTTP, and plays what is here if that can be played', async () => {
    probe.mockResolvedValue(undefined);
    vi.useFakeTimers();
    const silent = createDownload(connect(new FakeVoxelServer(() => {}))).run();
    await vi.advanceTimersByTimeAsync(4_000);
    await silent;
    expect(probe).toHaveBeenCalledExactlyOnceWith(ORIGIN);
    expect(fallbacks).toMatchObject([{ to: 'http', code: 'timeout' }]);
    expect(parentLoad).toHaveBeenCalledOnce();

    const server = new FakeVoxelServer((incoming) => {
      if (incoming.flow === undefined) answerReliably(incoming);
    });
    const half = createDownload(connect(server), { delivery: 'datagrams' }).run();
    await vi.advanceTimersByTimeAsync(4_000);
    await half;
    vi.useRealTimers();
    expect(abandon.mock.calls.map(([, error]) => error)).toMatchObject([{ code: 'timeout' }, { code: 'timeout' }]);
  });

  it('waits for a session that opens with every segment but the first', async () => {
    const throughput = new ThroughputEstimator();
    await createDownload(connect(new FakeVoxelServer(answerReliably)), { throughput }).run();
    throughput.add({ bytes: 1000, seconds: 1 });
    await createDownload(connect(new FakeVoxelServer(answerReliably)), { throughput }).run();
    expect(urgencies).toEqual(['now', 'soon']);
  });

  it('leaves the files of other origins to dash.js', async () => {
    const server = new FakeVoxelServer(answerReliably);
    request = { ...request, url: 'https://cdn.example/q00.mp4' };
    await createDownload(connect(server)).run();
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
    await createDownload(connect(server), { delivery: 'datagrams' }).run();
    expect(fallbacks).toMatchObject([{ code: 'no-initialization' }]);
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('records a segment that came over HTTP after all', async () => {
    await createDownload(() => Promise.reject(new VoxelError('session-failed', 'UDP blocked'))).run();
    response.data = wholeSegment.slice().buffer;
    request.customData.onloadend?.();
    expect(handlers.onloadend).toHaveBeenCalledOnce();
    await recorded([{ record: { delivery: 'http', bytesReliable: 50, bytesUnreliable: 90, level: 2 } }]);
  });

  it('falls back when the request takes longer than dash.js allows', async () => {
    request = { ...request, timeout: 20 };
    await createDownload(connect(new FakeVoxelServer(() => {}))).run();
    expect(fallbacks).toMatchObject([{ code: 'timeout' }]);
  });

  it('stays silent after dash.js has aborted, while it waits for a session or for bytes', async () => {
    let open!: (session: VoxelSession) => void;
    const waiting = createDownload(() => new Promise((resolve) => (open = resolve))).run();
    request.customData.abort!();
    expect(handlers.onabort).toHaveBeenCalledOnce();
    open({} as VoxelSession);
    await waiting;

    const server = new FakeVoxelServer(() => {});
    const loading = createDownload(connect(server)).run();
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
    const download = createDownload(connect(server));
    const loading = download.run();
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
    const download = createDownload(connect(new FakeVoxelServer(() => {})), { decision, review });
    const loading = download.run();
    await vi.waitFor(() => expect(handlers.onprogress).toHaveBeenCalled(), { timeout: 60_000 });
    expect(handlers.onprogress.mock.calls[0]).toEqual([{ loaded: 0, total: 140, lengthComputable: true }]);
    expect(download.restart).toBe(restart);
    request.customData.abort!();
    await loading;
    expect(review).toHaveBeenCalledTimes(2);
  });
});
