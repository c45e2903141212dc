import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../../src/abr-star/index.js';
import { PathEstimate, voxel, type Strategy } from '../../../src/delivery/index.js';
import type { RepresentationMap, SegmentMap } from '../../../src/manifest/segment-map.js';
import type { DeliveredSegment, SegmentDownload, VoxelSession } from '../../../src/voxel-loader/index.js';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { openPageSession } from '../../../test/unit/page-client.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import { EventEmitter } from '../../api/events.js';
import type { BufferedSegment } from '../../port/player-segment.js';
import { Journal } from '../record/journal.js';
import type { Content } from '../choose/content.js';
import type { Decision } from '../choose/rate-control.js';
import type { LivePluginEventMap } from '../../api/types.js';
import type { FragmentRequest, LoaderRequest, LoaderResponse } from '../../dash/dash-types.js';
import { playerRequest } from '../../dash/player-request.js';
import { DeliveryRecorder } from '../record/delivery-recorder.js';
import { Attempt } from './attempt.js';
import { NextRequest } from './next-request.js';
import { Pipeline } from './pipeline.js';
import { SegmentLoader } from './segment-loader.js';
import { SegmentRequests, type RequestedSegment } from './segment-requests.js';

const ORIGIN = 'https://media.example';
const SEGMENTS = 4;

/** Each of 140 bytes, 50 of them reliable. */
function representation(id: string): RepresentationMap {
  const segment = (index: number): SegmentMap | undefined =>
    index < SEGMENTS ? segmentOf(1000 * (index + 1), [40, 60, 10, 30]) : undefined;
  return { id, metric: 'ssim', averageScore: 0.9, bandwidth: 1000, segmentCount: SEGMENTS, segment };
}

const [low, high] = [representation('q00'), representation('q01')];
const decisions = [0, 1, 2, 3].map((index) => ({ option: { level: 2 }, delay: 0, index }) as unknown as Decision);

describe('Pipeline', () => {
  let server: FakeVoxelServer;
  let session: VoxelSession;
  let choice: { representation: RepresentationMap; decision: Decision | undefined } | undefined;
  let next: FragmentRequest | undefined;
  let isDestroyed: boolean;
  let bufferLevel: number;
  let startTime: number;
  let place: BufferedSegment | undefined;
  let strategy: Strategy;
  const suspend = vi.fn();
  const chooseAhead = vi.fn(() => choice);
  const chooseLevel = vi.fn((): Decision | undefined => decisions[0]);
  const want = vi.fn();
  let journal: Journal;
  let pipeline: Pipeline;
  let segments: SegmentLoader;
  let createAttempt: (segment: RequestedSegment) => Attempt;

  function fragmentFor(index: number, { id } = low): FragmentRequest {
    const map = low.segment(index)!;
    return {
      ...{ type: 'MediaSegment', mediaType: 'video', index, startTime: 2 * index, duration: 2 },
      url: `${ORIGIN}/${id}.mp4`,
      range: `${map.range.start}-${map.range.end - 1}`,
      representation: { id, bandwidth: 1000, adaptation: { index: 0, period: { index: 0 } } } as never,
    };
  }

  /** A request as dash.js gives it to its loader. */
  function requestFor(index: number, whole = low, change: Partial<RequestedSegment> = {}, query = '') {
    const fragment = fragmentFor(index, whole);
    const customData = { request: fragment, onloadend: vi.fn(), onprogress: vi.fn(), onabort: vi.fn() };
    const headers = { 'CMCD-Request': 'bl=1', 'CMCD-Session': 'sid=1', Authorization: 'Bearer 1' };
    const request: LoaderRequest = { url: fragment.url + query, headers, timeout: 0, customData };
    const response: LoaderResponse = { request };
    pipeline.learn(whole, fragment, request);
    const segment: RequestedSegment = {
      ...{ request, fragment, answer: playerRequest(request, response, vi.fn()) },
      ...{ key: `0/${whole.id}`, edition: 0, origin: ORIGIN },
      ...{ map: whole.segment(index)!, time: undefined, decision: decisions[index] },
      ...change,
    };
    void createAttempt(segment).start();
    return { segment, customData: request.customData as typeof customData & LoaderRequest['customData'], response };
  }

  const requests = (count: number): Promise<FakeRequest[]> =>
    vi.waitFor(() => {
      expect(server.requests).toHaveLength(count);
      return server.requests;
    });

  function answer(request: FakeRequest): void {
    request.send(responses.reliable(request.body.length));
    request.send(request.body);
    request.finish();
  }

  /** Sends part of the datagrams' 90 bytes. */
  function sendDatagrams(request: FakeRequest, start: number, end: number): void {
    if (start === 0) request.send(responses.unreliable(request.body.length, request.flow!));
    server.sendDatagram(datagram(request.flow!, start, request.body.subarray(start, end)));
  }

  /** Asks for segment 0, of which nine tenths come; `early` are the requests for the next one. */
  async function beginWithNext() {
    const first = requestFor(0);
    const [reliable, unreliable] = await requests(2);
    answer(reliable!);
    sendDatagrams(unreliable!, 0, 80);
    const early = (await requests(4)).slice(2) as [FakeRequest, FakeRequest];
    return { first, unreliable: unreliable!, early };
  }

  function complete([reliable, unreliable]: readonly [FakeRequest, FakeRequest]): void {
    answer(reliable);
    sendDatagrams(unreliable, 0, 90);
  }

  beforeEach(async () => {
    server = new FakeVoxelServer();
    session = await openPageSession(server, 'https://media.example/voxel');
    suspend.mockReset();
    chooseAhead.mockClear();
    choice = { representation: low, decision: decisions[1] };
    next = fragmentFor(1);
    bufferLevel = 4;
    isDestroyed = false;
    startTime = 0;
    place = undefined;
    chooseLevel.mockClear();
    strategy = { ...voxel, pipelineAt: 0.9 };
    journal = new Journal(new EventEmitter<LivePluginEventMap>());
    const sessions = {
      ...{
        session,
        isOpen: true,
        isPaused: false,
        arrivals: { bytes: 0 },
        abandon: vi.fn(),
        probe: () => Promise.reject(new Error('no answer')),
      },
      ready: () => Promise.resolve(session),
    };
    const receiver = {
      canRepair: () => Promise.resolve(true),
      assemble: vi.fn(),
      initialization: () => undefined,
      inspect: () => Promise.resolve({ states: [], repairedFrames: 0, repairedSlices: 0, removed: [] }),
    };
    const video = {
      get bufferLevel() {
        return bufferLevel;
      },
      get nextRequest() {
        if (isDestroyed)
          throw new Error('You must first call initialize() and set a source before calling this method');
        return next;
      },
      startsIn: (fragment: FragmentRequest) => fragment.startTime === startTime,
      placeAfterSeek: () => place,
      ...{ playbackRate: 1, element: undefined, takesPieces: false },
    };
    const preferences = {
      ...({
        delivery: 'datagrams',
        ruleChooses: true,
        withDeadlines: true,
        headerHosts: [],
      } as const),
      get strategy() {
        return strategy;
      },
    };
    const rateControl = { delivered: vi.fn() };
    const retransmission = { suspend, resume: vi.fn(), hold: vi.fn() };
    const link = { throughput: new ThroughputEstimator(), loss: new LossEstimator(), path: new PathEstimate() };
    const recorder = new DeliveryRecorder({ journal, link, receiver, rateControl, retransmission });
    const requests = new SegmentRequests(preferences, { sessions, receiver, video, link });
    const presentation = {
      representation: ({ id }: { id: string }) => [low, high].find((one) => one.id === id),
      keyOf: ({ id }: { id: string }) => `0/${id}`,
      origin: ORIGIN,
    };
    const content = { presentation, indexes: { want, release: vi.fn() } } as unknown as Content;
    const chooser = {
      ...{ chooseAhead, chooseLevel, review: () => ({ action: 'continue' as const }) },
    };
    const nextRequest = new NextRequest({ preferences, settings: { secondsHeld: 14 }, video });
    pipeline = new Pipeline({ nextRequest, chooser, requests, content, video });
    segments = new SegmentLoader({
      ask: (...of) => fetch(...of),
      content,
      chooser,
      pipeline,
      recorder,
      createAttempt: vi.fn(),
    });
    createAttempt = (segment) => new Attempt(segment, { sessions, requests, chooser, recorder, owner: segments });
  });

  it('asks for the next segment while one is on its way, after its datagrams, with the buffer that there will be', async () => {
    const { unreliable, early } = await beginWithNext();
    expect(early.flatMap(({ ranges }) => ranges)).toEqual([...low.segment(1)!.reliable, ...low.segment(1)!.unreliable]);
    for (const { head } of early) expect(head).toContain(`x-voxel-after: ${unreliable.flow}\r\n`);
    expect(early[1].head).toMatch(/x-voxel-deadline: ([45]\d{3}|6000)\r\n/);
    expect(chooseAhead).toHaveBeenCalledExactlyOnceWith(
      low,
      next,
      expect.objectContaining({ bufferLevel: expect.closeTo(6, 0) as number, bytes: 130 }),
    );
    expect(suspend).toHaveBeenCalledExactlyOnceWith(2);
  });

  it('hands it over when dash.js asks: nothing is asked for twice, and the record says so', async () => {
    const { first, unreliable, early } = await beginWithNext();
    sendDatagrams(unreliable, 80, 90);
    await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
    expect(suspend.mock.calls).toEqual([[2], [2]]);
    const second = requestFor(1);
    next = undefined;
    complete(early);
    await vi.waitFor(() => expect(second.customData.onloadend).toHaveBeenCalledOnce());
    expect(new Uint8Array(second.response.data as ArrayBuffer)).toEqual(fileBytes([second.segment.map.range]));
    expect(journal.segments).toMatchObject([
      { index: 0, early: false, bytesUnreliable: 90 },
      { index: 1, early: true, bytesUnreliable: 90, delivery: 'datagrams' },
    ]);
    expect(server.requests).toHaveLength(4);
  });

  it('hands it over, too, when it is complete before dash.js asks', async () => {
    const { unreliable, early } = await beginWithNext();
    sendDatagrams(unreliable, 80, 90);
    complete(early);
    await vi.waitFor(() => expect(journal.segments).toHaveLength(1));
    next = undefined;
    const second = requestFor(1);
    await vi.waitFor(() => expect(second.customData.onloadend).toHaveBeenCalledOnce());
    expect(journal.segments).toMatchObject([{ early: false }, { early: true }]);
  });

  it('lets dash.js abort what it has adopted', async () => {
    const { unreliable, early } = await beginWithNext();
    sendDatagrams(unreliable, 80, 90);
    const { customData } = requestFor(1);
    customData.abort!();
    expect(customData.onabort).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(early.map(({ cancelled }) => cancelled)).toEqual([true, true]));
  });

  it.each<[string, () => void]>([
    ['another segment, as after a seek', () => void requestFor(3)],
    ['another representation', () => void requestFor(1, high)],
    ['another level', () => void requestFor(1, low, { decision: decisions[2] })],
    ['the whole of it, as for a pinned quality', () => void requestFor(1, low, { decision: undefined })],
    ['another version of the file', () => void requestFor(1, low, { edition: 1 })],
    ['another address', () => void requestFor(1, low, {}, '?token=2')],
  ])('aborts it when dash.js asks for %s', async (_case, ask) => {
    const { early } = await beginWithNext();
    next = undefined;
    ask();
    await vi.waitFor(() => expect(early.map(({ cancelled }) => cancelled)).toEqual([true, true]));
    const [reliable] = (await requests(6)).slice(4);
    expect(reliable!.cancelled).toBe(false);
    expect(reliable!.head).not.toContain('x-voxel-after');
  });

  it.each<[string, (first: ReturnType<typeof requestFor>) => void]>([
    ['on a seek', () => pipeline.cancel()],
    ['when the one before is aborted', ({ customData }) => customData.abort!()],
    ['when the plugin is detached', () => segments.release()],
  ])('aborts it %s', async (_case, end) => {
    const { first, early } = await beginWithNext();
    end(first);
    await vi.waitFor(() => expect(early.map(({ cancelled }) => cancelled)).toEqual([true, true]));
    expect(journal.errors).toEqual([]);
  });

  it('releases what an early download has brought with gaps, when nobody wants it any more', async () => {
    const release = vi.fn();
    const result = Promise.resolve({ kept: { id: 1, release } } as unknown as DeliveredSegment);
    const download = session.download.bind(session);
    const spy = vi.spyOn(session, 'download').mockImplementation((request) => {
      const started = download(request);
      return request.after ? { ...started, abort: () => started.abort(), result } : started;
    });
    const { early } = await beginWithNext();
    expect(spy).toHaveBeenCalledTimes(2);
    pipeline.cancel();
    await vi.waitFor(() => expect(release).toHaveBeenCalledOnce());
    expect(early[0].cancelled).toBe(true);
  });

  it.each<[string, () => void]>([
    ['there is no room for it', () => (bufferLevel = 13)],
    ['dash.js has none to ask for, as at the end of the stream and at the live edge', () => (next = undefined)],
    ['dash.js would ask for another', () => (next = fragmentFor(2))],
    ['its file is another one', () => (next = { ...fragmentFor(1), url: `${ORIGIN}/2.mp4` })],
    ['the rule chooses nothing', () => (choice = undefined)],
    ['the rule waits', () => (choice = { representation: low, decision: { ...decisions[1]!, delay: 0.5 } })],
    ['where the file is has not been seen', () => (choice = { representation: high, decision: decisions[1] })],
  ])('asks for nothing early when %s', async (_case, prepare) => {
    prepare();
    const first = requestFor(0);
    const [reliable, unreliable] = await requests(2);
    answer(reliable!);
    sendDatagrams(unreliable!, 0, 80);
    await vi.waitFor(() => expect(first.customData.onprogress.mock.lastCall).toMatchObject([{ loaded: 130 }]));
    sendDatagrams(unreliable!, 80, 90);
    await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
    expect(server.requests).toHaveLength(2);
  });

  describe('the first segment', () => {
    beforeEach(() => {
      next = fragmentFor(0);
      const request = { ...fragmentFor(0), type: 'InitializationSegment', index: NaN, range: '0-999' };
      pipeline.learn(low, request, { url: request.url });
    });

    it('is asked for as soon as it can be chosen, once, and adopted', async () => {
      pipeline.begin(low);
      pipeline.begin(low);
      const early = (await requests(2)) as [FakeRequest, FakeRequest];
      expect(early[0].head).not.toContain('x-voxel-after');
      next = undefined;
      const first = requestFor(0);
      complete(early);
      await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
      expect(journal.segments).toMatchObject([{ index: 0, early: true }]);
      expect(server.requests).toHaveLength(2);
    });

    it('is nothing to ask the player about once the pipeline has stopped: that may have been destroyed', () => {
      pipeline.stop();
      isDestroyed = true;
      expect(() => pipeline.begin(low)).not.toThrow();
    });

    it.each([
      ['playback starts elsewhere', () => (startTime = 2)],
      ['dash.js has asked already', () => (next = fragmentFor(1))],
      ['dash.js loads another representation', () => (next = fragmentFor(0, high))],
    ])('is left to dash.js where %s', async (_, prepare) => {
      prepare();
      pipeline.begin(low);
      // Long enough for a plan: requests are made in microtasks.
      await new Promise((resolve) => setTimeout(resolve));
      const first = requestFor(0);
      complete((await requests(2)) as [FakeRequest, FakeRequest]);
      await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
      expect(journal.segments).toMatchObject([{ index: 0, early: false }]);
    });
  });

  describe('the segment of a seek', () => {
    const placeOf = (index: number, { id } = low): BufferedSegment =>
      ({ index, startTime: 2 * index, duration: 2, representation: { id } }) as BufferedSegment;

    beforeEach(() => {
      place = placeOf(3);
      chooseLevel.mockReturnValue(decisions[3]);
      const request = { ...fragmentFor(0), type: 'InitializationSegment', index: NaN, range: '0-999' };
      pipeline.learn(low, request, { url: request.url });
    });

    it('is asked for at once, chosen with nothing in the buffer, and adopted: once over the link', async () => {
      segments.seek(6.5);
      const early = (await requests(2)) as [FakeRequest, FakeRequest];
      expect(early.flatMap(({ ranges }) => ranges)).toEqual([
        ...low.segment(3)!.reliable,
        ...low.segment(3)!.unreliable,
      ]);
      expect(chooseLevel).toHaveBeenCalledExactlyOnceWith(low, place, 0);
      expect(suspend).toHaveBeenLastCalledWith(6);
      const asked = requestFor(3);
      complete(early);
      await vi.waitFor(() => expect(asked.customData.onloadend).toHaveBeenCalledOnce());
      expect(journal.segments).toMatchObject([{ index: 3, early: true }]);
      expect(server.requests).toHaveLength(2);
    });

    it('goes before sound that is heard later, and not before its own', async () => {
      segments.seek(6.5);
      await requests(2);
      expect(segments.downloadBefore(8)).toBeDefined();
      expect(segments.downloadBefore(6)).toBeUndefined();
      requestFor(3);
      expect(segments.downloadBefore(7.95)).toBeDefined();
    });

    it('is the last of a storm of seeks: nothing is left of the others', async () => {
      for (let seek = 0; seek < 10; seek++) {
        place = placeOf(seek % SEGMENTS);
        pipeline.cancel();
        segments.seek(0);
        await requests(2 * (seek + 1));
      }
      expect(server.requests.slice(0, -2).every(({ cancelled }) => cancelled)).toBe(true);
      expect(server.requests.slice(-2).some(({ cancelled }) => cancelled)).toBe(false);
    });

    it('has its index asked for where that is not here yet, and is left to the player', () => {
      place = placeOf(SEGMENTS);
      segments.seek(9);
      expect(want).toHaveBeenLastCalledWith([low], SEGMENTS);
      expect(chooseLevel).not.toHaveBeenCalled();
    });

    it.each<[string, () => void]>([
      ['it is in the buffer', () => (place = undefined)],
      ['where its file is has not been seen', () => (place = placeOf(3, high))],
      ['the plugin is being detached', () => pipeline.stop()],
    ])('is not asked for where %s', async (_, prepare) => {
      prepare();
      segments.seek(6.5);
      // Long enough for a plan: requests are made in microtasks.
      await new Promise((resolve) => setTimeout(resolve));
      expect(server.requests).toEqual([]);
    });
  });

  it.each([
    ['of the server', { rtt: 300, timeToFirstByte: 0.1 }, false, true],
    ['of the first byte', { rtt: undefined, timeToFirstByte: 0.3 }, false, true],
    ['of the first byte, however soon', { rtt: undefined, timeToFirstByte: 0.1 }, false, false],
    ['before: what was asked for early comes at once', { rtt: undefined, timeToFirstByte: 0.05 }, true, true],
  ])('asks a round trip ahead, by the word %s', async (_, facts, early, isTime) => {
    strategy = voxel;
    if (early) pipeline.delivered({ rtt: 300, timeToFirstByte: 0 }, true);
    pipeline.delivered(facts, early);
    const { segment } = requestFor(0);
    await requests(2);
    const download = { flow: 1 } as unknown as SegmentDownload;
    const plan = {
      level: 2,
      delivery: 'datagrams',
      recovery: true,
      deadline: undefined,
      buffer: 0,
      byTimeUntil: undefined,
      parity: undefined,
    } as const;
    const progress = { phase: 'unreliable', bytesReliable: 50, bytesRequested: 1000, elapsed: 0.5 } as const;
    // What is left takes 0.4 s.
    pipeline.look({ session, plan, download, segment }, { ...progress, bytesUnreliable: 505 });
    expect(chooseAhead).toHaveBeenCalledTimes(isTime ? 1 : 0);
  });

  it('asks no more ahead of dash.js once the server has refused that, and the segment comes all the same', async () => {
    const { unreliable, early } = await beginWithNext();
    early[0].send(responses.error(404));
    early[0].finish();
    sendDatagrams(unreliable, 80, 90);
    await vi.waitFor(() => expect(early[1].cancelled).toBe(true));
    choice = { representation: low, decision: decisions[2] };
    next = fragmentFor(2);
    const second = requestFor(1);
    const again = (await requests(6)).slice(4) as [FakeRequest, FakeRequest];
    answer(again[0]);
    sendDatagrams(again[1], 0, 80);
    await vi.waitFor(() => expect(second.customData.onprogress.mock.lastCall).toMatchObject([{ loaded: 130 }]));
    sendDatagrams(again[1], 80, 90);
    await vi.waitFor(() => expect(second.customData.onloadend).toHaveBeenCalledOnce());
    expect(server.requests).toHaveLength(6);
    expect(journal.fallbacks).toBe(0);
  });

  it('sends the fields of the request before but for what CMCD says of that one, and takes CMCD in an address for none of it', async () => {
    const first = requestFor(0, low, {}, '?a=1&CMCD=bl%3D1');
    const [reliable, unreliable] = await requests(2);
    answer(reliable!);
    sendDatagrams(unreliable!, 0, 80);
    const early = (await requests(4)).slice(2) as [FakeRequest, FakeRequest];
    expect(early[0].head).toMatch(/^GET \/q00.mp4\?a=1 HTTP/);
    expect(early[0].head.toLowerCase()).toContain('cmcd-session: sid=1\r\nauthorization: bearer 1\r\n');
    expect(early[0].head.toLowerCase()).not.toContain('cmcd-request');
    sendDatagrams(unreliable!, 80, 90);
    await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
    next = undefined;
    const second = requestFor(1, low, {}, '?CMCD=bl%3D2&a=1');
    complete(early);
    await vi.waitFor(() => expect(second.customData.onloadend).toHaveBeenCalledOnce());
    expect(server.requests).toHaveLength(4);
  });

  it('says with the next early request what the player was to say with a request that was made before', async () => {
    const said = (number: number): string => `?CMCD=sid%3D%221%22%2Csn%3D${number}`;
    const first = requestFor(0, low, {}, said(0));
    const [reliable, unreliable] = await requests(2);
    answer(reliable!);
    sendDatagrams(unreliable!, 0, 80);
    const early = (await requests(4)).slice(2) as [FakeRequest, FakeRequest];
    expect(early[0].head).toContain('GET /q00.mp4?CMCD=sid%3D%221%22 HTTP');
    sendDatagrams(unreliable!, 80, 90);
    await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
    choice = { representation: low, decision: decisions[2] };
    next = fragmentFor(2);
    requestFor(1, low, {}, said(1));
    answer(early[0]);
    sendDatagrams(early[1], 0, 80);
    const third = (await requests(6)).slice(4) as [FakeRequest, FakeRequest];
    expect(third[0].head).toContain(`GET /q00.mp4${said(1)} HTTP`);
    expect(third[0].head.toLowerCase()).toContain('cmcd-request: bl=1');
  });

  it('says the start-up with the next request of the player where nothing is asked for early before', async () => {
    const said = (number: number, more = ''): string => `?CMCD=sid%3D%221%22%2Csn%3D${number}${more}`;
    const first = requestFor(0, low, {}, said(0));
    const [reliable, unreliable] = await requests(2);
    answer(reliable!);
    sendDatagrams(unreliable!, 0, 80);
    const early = (await requests(4)).slice(2) as [FakeRequest, FakeRequest];
    sendDatagrams(unreliable!, 80, 90);
    await vi.waitFor(() => expect(first.customData.onloadend).toHaveBeenCalledOnce());
    next = undefined;
    const second = requestFor(1, low, {}, said(1, '%2Ccom.voxel-dash-startup%3D%22312.5%22'));
    complete(early);
    await vi.waitFor(() => expect(second.customData.onloadend).toHaveBeenCalledOnce());
    requestFor(2, low, {}, said(2));
    const third = (await requests(6)).slice(4) as [FakeRequest, FakeRequest];
    // Custom keys may be in a field as well.
    expect(third[0].head.toLowerCase()).toContain('cmcd-request: bl=1,com.voxel-dash-startup="312.5"');
    expect(third[0].head).toContain(`GET /q00.mp4${said(2)} HTTP`);
  });
});
