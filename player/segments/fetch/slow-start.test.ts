import { voxel } from '../../../src/delivery/index.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeVoxelServer, responses } from '../../../test/unit/fake-voxel-server.js';
import { openPageSession } from '../../../test/unit/page-client.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import type { LoaderRequest, LoaderResponse } from '../../dash/dash-types.js';
import { playerRequest } from '../../dash/player-request.js';
import { PlayerError } from '../../api/errors.js';
import type { Decision } from '../choose/rate-control.js';
import { Attempt, type AttemptCollaborators, type AttemptOwner } from './attempt.js';
import { isSlow } from './slow-start.js';
import { SegmentRequests, type SegmentRequestsCollaborators } from './segment-requests.js';

const map = segmentOf(1000, [40, 60, 10, 30]);
const decision = { option: { level: 2 }, state: {} } as Decision;

describe('Attempt, while the first segment is on its way over HTTP', () => {
  let isOpen: boolean;
  let isRefused: boolean;
  let isFirst: boolean;
  let request: LoaderRequest;
  let response: LoaderResponse;
  let handlers: Record<'onloadend' | 'onprogress' | 'onabort', ReturnType<typeof vi.fn<() => void>>>;
  /** What dash.js' own loader found when it was asked. */
  let own: { loads: number; isAborted: boolean; progress(loaded: number): void; end(): void };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    [isOpen, isRefused, isFirst] = [false, false, true];
    handlers = { onloadend: vi.fn(), onprogress: vi.fn(), onabort: vi.fn() };
    const fragment = { type: 'MediaSegment', mediaType: 'video', index: 0, startTime: 0, duration: 2 };
    request = {
      url: 'https://media.example/q00.mp4',
      headers: {},
      timeout: 0,
      customData: { request: { ...fragment, representation: { id: 'q00' } } as never, ...handlers },
    };
    response = { request };
    own = { loads: 0, isAborted: false, progress: () => undefined, end: () => undefined };
    return () => vi.useRealTimers();
  });

  /** Loads as dash.js' loader for XMLHttpRequest does: it keeps the handlers. */
  function dashLoad({ customData }: LoaderRequest, answer: LoaderResponse): void {
    const { onloadend, onprogress, onabort } = customData;
    own.loads++;
    own.progress = (loaded) => onprogress?.({ loaded, total: 140, lengthComputable: true });
    own.end = () => {
      answer.data = fileBytes([map.range]).buffer;
      onloadend?.();
    };
    customData.abort = () => {
      own.isAborted = true;
      onabort?.();
      onloadend?.();
    };
  }

  async function start(decision?: Decision): Promise<void> {
    const server = new FakeVoxelServer((incoming) => {
      incoming.send(isRefused ? responses.error(404) : responses.reliable(incoming.body.length));
      if (!isRefused) incoming.send(incoming.body);
      incoming.finish();
    });
    const session = await openPageSession(server);
    const sessions = {
      arrivals: { bytes: 0 },
      ready: () => (isOpen ? Promise.resolve(session) : Promise.reject(new PlayerError('session-opening', ''))),
      get isOpen() {
        return isOpen;
      },
    };
    const preferences = {
      ...({ delivery: 'streams', ruleChooses: true, withDeadlines: true } as const),
      ...{ headerHosts: [], strategy: voxel },
    };
    const requests = new SegmentRequests(preferences, {
      video: { bufferLevel: 0, playbackRate: 0 },
      link: { throughput: {}, path: {} },
      receiver: { canRepair: () => Promise.resolve(true), initialization: () => undefined },
    } as unknown as SegmentRequestsCollaborators);
    const owner: AttemptOwner = {
      ...{ tookSession: () => undefined, leftSession() {}, progressed() {}, came() {} },
      fileChanged: () => Promise.resolve(),
      delivered: ({ segment: { answer } }, { delivered }) => answer.deliver(delivered.bytes),
    };
    const recorder = { isFirst, loaded() {}, fellBack() {} };
    const chooser = { review: () => ({ action: 'continue' }) };
    const collaborators = { sessions, requests, chooser, recorder, owner } as unknown as AttemptCollaborators;
    const answer = playerRequest(request, response, dashLoad);
    const segment = {
      ...{ request, fragment: request.customData.request, answer, key: '0/q00', map, edition: 0, decision },
      time: undefined,
    };
    const loads = own.loads;
    void new Attempt({ ...segment, origin: 'https://media.example' }, collaborators).start();
    await until(() => own.loads > loads);
  }

  const bytes = (): Uint8Array => new Uint8Array(response.data as ArrayBuffer);

  it('takes it back once the session is open, where it is slow, and dash.js hears of nothing', async () => {
    await start(decision);
    own.progress(10);
    vi.advanceTimersByTime(1500);
    expect(own.isAborted).toBe(false);
    isOpen = true;
    vi.advanceTimersByTime(100);
    expect(own.isAborted).toBe(true);
    await until(() => handlers.onloadend.mock.calls.length > 0);
    expect(handlers.onabort).not.toHaveBeenCalled();
    expect(handlers.onloadend).toHaveBeenCalledOnce();
    expect(bytes()).toEqual(fileBytes([map.range]));
  });

  it.each([
    ['it has had less than a second', () => own.progress(10), 900],
    ['most of it is here', () => own.progress(100), 1500],
    ['dash.js has it', () => own.end(), 3000],
  ])('leaves it where %s', async (_case, happen, milliseconds) => {
    await start(decision);
    isOpen = true;
    happen();
    vi.advanceTimersByTime(milliseconds);
    expect(own).toMatchObject({ isAborted: false, loads: 1 });
  });

  it('leaves it where dash.js has aborted, which hears of that', async () => {
    await start(decision);
    isOpen = true;
    request.customData.abort?.();
    vi.advanceTimersByTime(3000);
    expect(handlers.onabort).toHaveBeenCalledOnce();
    expect(own.loads).toBe(1);
  });

  it('leaves it where all of it would be asked for again, and any segment but the first', async () => {
    await start();
    isFirst = false;
    await start(decision);
    isOpen = true;
    vi.advanceTimersByTime(3000);
    expect(own.isAborted).toBe(false);
  });

  it('goes back to HTTP for good where the session does not bring it either', async () => {
    isRefused = true;
    await start(decision);
    isOpen = true;
    vi.advanceTimersByTime(1200);
    await until(() => own.loads === 2);
    vi.advanceTimersByTime(10_000);
    expect(own.loads).toBe(2);
    own.end();
    expect(handlers.onloadend).toHaveBeenCalledOnce();
  });
});

/** Lets go on what needs no time. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it.each([
  ['has little left', 1, 60, 1, false],
  ['takes long for the rest of what is waited for', 1, 40, 1, true],
  ['has begun a moment ago', 0.9, 10, 1, false],
  ['keeps up with what is shown of it', 1, 40, 3.2, false],
  ['does not keep up with that', 1, 20, 3.2, true],
])('a download that %s', (_, elapsed, loaded, patience, slow) => {
  expect(isSlow(elapsed, { loaded, total: 100 }, patience)).toBe(slow);
});
