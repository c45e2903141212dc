import { PathEstimate, voxel } from '../../src/delivery/index.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../src/abr-star/index.js';
import { VoxelError, type VoxelSession } from '../../src/voxel-loader/index.js';
import { FakeVoxelServer, responses, type FakeRequest } from '../../test/unit/fake-voxel-server.js';
import { openPageSession } from '../../test/unit/page-client.js';
import { fileBytes, segmentOf } from '../../test/unit/segment-content.js';
import type { LoaderRequest, LoaderResponse } from '../dash/dash-types.js';
import { playerRequest } from '../dash/player-request.js';
import { DeliveryRecorder } from './record/delivery-recorder.js';
import type { Content } from './choose/content.js';
import { Attempt } from './fetch/attempt.js';
import type { Pipeline } from './fetch/pipeline.js';
import { SegmentLoader } from './fetch/segment-loader.js';
import { SegmentRequests } from './fetch/segment-requests.js';
import { EventEmitter } from '../api/events.js';
import { Journal } from './record/journal.js';
import { SessionManager, type SessionSource } from '../network/session-manager.js';
import type { SessionEvent, LivePluginEventMap } from '../api/types.js';

/** What a failing service may be asked in one second: for an index, a manifest with its discovery, or a segment. */
const MOST_A_SECOND = 5;
const SECONDS = 40;
const ORIGIN = 'https://media.example';

/** dash.js' own pauses between two attempts, in milliseconds (`streaming.retryIntervals`). */
const RETRY = { mpd: 500, segment: 1_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const tick = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
/** An answer as fast as from a server next door. */
const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** Says what comes next of a list that is gone through again and again. */
function inTurn<T>(list: readonly T[]): () => T {
  let turn = 0;
  return () => list[turn++ % list.length]!;
}

function expectRare(times: readonly number[]): void {
  const tooSoon = times.filter((time, index) => time - (times[index - MOST_A_SECOND] ?? -Infinity) < 1000);
  expect(tooSoon).toEqual([]);
}

/** What becomes of an attempt to open a session. */
const anyAttempt = fc.oneof(
  fc.constantFrom('not-there', 'no-discovery', 'refused', 'unsupported'),
  fc.record({ lives: fc.integer({ min: 0, max: 12_000 }) }),
);
type Opening = 'not-there' | 'no-discovery' | 'refused' | 'unsupported' | { readonly lives: number };

const permanent: readonly Opening[] = ['not-there', 'unsupported'];

describe('whatever fails, and however often', () => {
  it('a manifest is followed by few requests for the discovery file, and none after a permanent failure', async () => {
    const script = fc.array(anyAttempt, { minLength: 1, maxLength: 4 });
    const urgency = fc.constantFrom<'now' | 'soon'>('now', 'soon');
    await fc.assert(
      fc.asyncProperty(script, urgency, fc.boolean(), async (script, urgency, isAbandoned) => {
        const next = inTurn(script);
        const asked: number[] = [];
        let attempt: Opening = 'refused';
        let lastPermanent = Infinity;
        const source: SessionSource = {
          async locate() {
            asked.push(performance.now());
            attempt = next();
            await answered();
            if (attempt === 'not-there') throw new VoxelError('discovery-failed', 'no such file', { status: 404 });
            if (attempt === 'no-discovery') throw new VoxelError('discovery-failed', 'no answer', { status: 503 });
            return { url: `${ORIGIN}/voxel`, certificateHashes: [] };
          },
          async open(located) {
            await located;
            if (attempt === 'refused') throw new VoxelError('session-failed', 'refused');
            if (typeof attempt === 'string') throw new VoxelError('unsupported', 'no WebTransport');
            const { lives } = attempt;
            return sessionThatLives(lives);
          },
          probe: () => Promise.resolve(),
        };
        const events: SessionEvent[] = [];
        const manager = new SessionManager(source, (event) => events.push(event));
        for (let time = 0; time < SECONDS * 1000; time += 50) {
          // dash.js asks for the manifest, again and again where it fails, and for segments.
          if (time % RETRY.mpd === 0) manager.start(ORIGIN);
          void manager.ready(urgency).catch(() => undefined);
          if (isAbandoned && manager.session) manager.abandon(manager.session, new VoxelError('timeout', 'silent'));
          await tick(50);
          if (permanent.includes(attempt)) lastPermanent = Math.min(lastPermanent, asked.at(-1)!);
        }
        manager.stop();
        expectRare(asked);
        expect(asked.filter((time) => time > lastPermanent)).toEqual([]);
        // Each attempt is one event, and each session that ends.
        const failed = events.filter(({ state }) => state === 'failed').length;
        const opened = events.filter(({ state }) => state === 'opened').length;
        expect(failed + opened).toBeLessThanOrEqual(asked.length);
        expect(events.filter(({ state }) => state === 'closed').length).toBeLessThanOrEqual(opened);
      }),
      { numRuns: 60 },
    );
  });

  it('a segment is asked for a few times a second, over the session and over HTTP together', async () => {
    const overSession = fc.constantFrom('reset', 404, 412, 503, 'garbage', 'cut', 'silence', 'lost', 'closed');
    const overHttp = fc.constantFrom('fails', 'fails', 'comes');
    const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(list(overSession), list(overHttp), fc.boolean(), async (answers, loads, probeFails) => {
        const scene = createSegmentScene(inTurn(answers), inTurn(loads), probeFails);
        await scene.play();
        expectRare(scene.asked.segment);
        expectRare(scene.asked.probe);
        expectRare(scene.asked.discovery);
        expect(scene.asked.segment.length).toBeGreaterThan(0);
      }),
      { numRuns: 25 },
    );
  });
});

function sessionThatLives(milliseconds: number): VoxelSession {
  let end!: (reason: VoxelError) => void;
  const closed = new Promise<VoxelError>((resolve) => (end = resolve));
  setTimeout(() => end(new VoxelError('session-closed', 'over')), milliseconds);
  const unused = { download: vi.fn(), fetchInto: vi.fn(), follow: vi.fn(), play: vi.fn() };
  return { thread: 'page', closed, close: () => undefined, ...unused };
}

function answer(request: FakeRequest, how: string | number, server: FakeVoxelServer): void {
  if (typeof how === 'number') request.send(responses.error(how));
  if (how === 'garbage') request.send('SSH-2.0\r\n\r\n');
  if (how === 'cut') request.send(responses.reliable(request.body.length));
  if (how === 'lost' && request.flow !== undefined) {
    request.send(responses.unreliable(request.body.length, request.flow) + responses.trailer(0, 1));
  }
  if (how === 'closed') server.breakSession();
  if (how === 'reset' || how === 'lost') request.reset();
  if (how !== 'silence') request.finish();
}

/** A player of segments whose services answer as they are told, and the times of the requests. */
function createSegmentScene(nextAnswer: () => string | number, nextLoad: () => string, probeFails: boolean) {
  const asked: Record<'segment' | 'probe' | 'discovery', number[]> = { segment: [], probe: [], discovery: [] };
  const count = (kind: keyof typeof asked): number => asked[kind].push(performance.now());
  const map = segmentOf(1000, [40, 60, 10, 30]);
  const source: SessionSource = {
    async locate() {
      count('discovery');
      await answered();
      return { url: `${ORIGIN}/voxel`, certificateHashes: [] };
    },
    async open(located) {
      await located;
      const server: FakeVoxelServer = new FakeVoxelServer((request) => {
        count('segment');
        void answered().then(() => answer(request, nextAnswer(), server));
      });
      return openPageSession(server);
    },
    async probe() {
      count('probe');
      await answered();
      if (probeFails) throw new Error('no answer');
    },
  };
  const sessions = new SessionManager(source, () => undefined);
  // The one that has the browser forget the former version.
  vi.stubGlobal('fetch', async () => {
    count('segment');
    await answered();
    throw new Error('no answer');
  });
  const rateControl = { delivered: vi.fn() };
  const link = { throughput: new ThroughputEstimator(), loss: new LossEstimator(), path: new PathEstimate() };
  const receiver = {
    canRepair: () => Promise.resolve(true),
    assemble: vi.fn(),
    initialization: () => undefined,
    inspect: () => Promise.resolve({ states: [], repairedFrames: 0, repairedSlices: 0, removed: [] }),
  };
  const retransmission = { suspend: vi.fn(), resume: vi.fn(), hold: vi.fn() };
  const journal = new Journal(new EventEmitter<LivePluginEventMap>());
  const recorder = new DeliveryRecorder({ journal, link, receiver, rateControl, retransmission });
  const preferences = {
    delivery: 'datagrams',
    ruleChooses: true,
    withDeadlines: true,
    strategy: voxel,
    headerHosts: [],
  } as const;
  const video = { bufferLevel: 8, playbackRate: 1, element: undefined, takesPieces: false };
  const requests = new SegmentRequests(preferences, { sessions, receiver, link, video });
  const chooser = { review: () => ({ action: 'continue' as const }), chooseLevel: vi.fn() };
  const pipeline = { adopt() {}, look() {}, delivered() {}, cancel() {} } as unknown as Pipeline;
  const content = { reload: vi.fn(), indexes: { release: vi.fn() } } as unknown as Content;
  const owner = new SegmentLoader({
    ask: (...of) => fetch(...of),
    content,
    chooser,
    pipeline,
    recorder,
    createAttempt: vi.fn(),
  });

  /** Loads one segment once, as dash.js has its loader do. */
  const load = (index: number): Promise<boolean> =>
    new Promise((resolve) => {
      const fragment = { type: 'MediaSegment', mediaType: 'video', index, startTime: 2 * index, duration: 2 };
      const representation = { id: 'q00', bandwidth: 1000 };
      const customData = { request: { ...fragment, representation } as never, onloadend: () => resolve(true) };
      const request: LoaderRequest = { url: `${ORIGIN}/q00.mp4`, headers: {}, timeout: 20_000, customData };
      const response: LoaderResponse = { request };
      const parentLoad = (): void => {
        count('segment');
        void answered().then(() => {
          if (nextLoad() === 'fails') {
            resolve(false);
            return;
          }
          response.data = fileBytes([map.range]).buffer;
          request.customData.onloadend?.();
        });
      };
      const segment = {
        request,
        fragment: request.customData.request,
        answer: playerRequest(request, response, parentLoad),
        key: '0/q00',
        map,
        time: undefined,
        edition: 0,
        decision: undefined,
        origin: ORIGIN,
      };
      void new Attempt(segment, { sessions, requests, chooser, recorder, owner }).start();
    });

  const play = async (): Promise<void> => {
    let ended = false as boolean;
    const playing = (async () => {
      for (let index = 0; !ended;) {
        const isHere = await load(index);
        await new Promise((resolve) => setTimeout(resolve, isHere ? 2_000 : RETRY.segment));
        if (isHere) index++;
      }
    })();
    sessions.start(ORIGIN);
    await tick(SECONDS * 1000);
    ended = true;
    await Promise.all([playing, tick(30_000)]);
    sessions.stop();
  };
  return { asked, play };
}
