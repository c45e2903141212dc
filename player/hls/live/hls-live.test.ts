import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deferred, type Deferred } from '../../../src/voxel-loader/deferred.js';
import { VoxelError } from '../../../src/voxel-loader/errors.js';
import type { DeliveredChunk, FollowRequest } from '../../../src/voxel-loader/types.js';
import type { FragmentAnswer } from '../fragment-loader.js';
import type { HlsFragment, HlsLevel, HlsPlayer } from '../hls-types.js';
import { HlsLive } from './hls-live.js';

const FOLDER = 'https://media.example/live';
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Segments last a second, of five chunks of ten bytes each. */
function chunk(segment: number, number: number): DeliveredChunk {
  return {
    number,
    range: { start: 10 * number, end: 10 * number + 10 },
    ...{ startTime: 100 + segment + number / 5, duration: 0.2, capturedAt: 0, wholeScore: 0.95, reliableScore: 0.7 },
    ...{ score: 0.9, bytesReliable: 4, bytesUnreliable: 6, bytesUnsent: 0, bytesLost: 0, bytesRepeated: 0 },
    ...{ dispersion: undefined, slack: 100, roundTrip: 20, window: 100_000 },
    bytes: new Uint8Array(10).fill(10 * segment + number),
    frames: { states: ['complete'], repairedFrames: 0, repairedSlices: 0, removed: [] },
  } as unknown as DeliveredChunk;
}

interface Followed {
  readonly request: FollowRequest;
  readonly send: (chunk: DeliveredChunk) => void;
  readonly result: Deferred<void>;
  readonly abort: ReturnType<typeof vi.fn>;
}

let followed: Followed[];
let live: HlsLive;
const initialized = new Set<string>();
const journal = { fallback: vi.fn(), chunk: vi.fn(), score: undefined, fallbacks: 0, errors: [] };
const sessions = { session: undefined as object | undefined, ready: vi.fn(), abandon: vi.fn(), isOpen: true };

const levels = [0.2e6, 0.4e6].map((averageBitrate, index) => ({
  ...{ uri: `${FOLDER}/v${index}/media.m3u8`, attrs: { 'STABLE-VARIANT-ID': `v${index}` }, codecSet: 'avc1' },
  ...{ averageBitrate, loadError: 0 },
  details: { live: true, targetduration: 1, startSN: 0, edge: 1000, fragments: [{ start: 0, duration: 1 }] },
})) as unknown as HlsLevel[];

const hls = {
  ...{ levels, loadLevel: 0, media: null, config: { maxLiveSyncPlaybackRate: 1 }, mainForwardBufferInfo: null },
  ...{ latency: 0, targetLatency: 1, bandwidthEstimate: 1e6, audioTracks: [{ name: 'a0', bitrate: 96_000 }] },
};

beforeEach(() => {
  vi.resetAllMocks();
  vi.stubGlobal('location', { href: 'https://page.example/' });
  followed = [];
  initialized.clear();
  for (const id of ['v0', 'v1', 'a0']) initialized.add(`${FOLDER}/${id}/init.mp4`);
  const follow = (request: FollowRequest, send: Followed['send']) => {
    const one: Followed = { request, send, result: deferred(), abort: vi.fn() };
    followed.push(one);
    return { result: one.result.promise, abort: one.abort };
  };
  sessions.session = { follow, play: vi.fn() };
  sessions.ready.mockImplementation(() => Promise.resolve(sessions.session));
  const parts = {
    ...{ sessions, journal, page: { learn: vi.fn() }, viewing: { takeStartup: () => undefined } },
    preferences: { delivery: 'datagrams', headerHosts: [] },
    rateControl: {},
    receiver: { initialization: (key: string) => initialized.has(key), addInitialization: vi.fn() },
  };
  live = new HlsLive(hls as unknown as HlsPlayer, parts as never, 'https://media.example');
});

afterEach(() => {
  live.detach();
  vi.unstubAllGlobals();
});

interface Ask {
  readonly sn: number;
  /** Place of its chunk in the segment; undefined: the whole segment. */
  readonly part?: number;
  readonly id?: string;
}

/** hls.js asks for a part. */
async function ask({ sn, part, id = 'v0' }: Ask) {
  const isAudio = id === 'a0';
  const frag = {
    ...{ type: isAudio ? 'audio' : 'main', sn, level: isAudio ? 0 : Number(id.slice(1)), start: sn, duration: 0.4 },
    ...{ byteRange: [], initSegment: { url: `${FOLDER}/${id}/init.mp4` } },
  } as unknown as HlsFragment;
  const url = `${FOLDER}/${id}/${sn}.m4s`;
  const place = part === undefined ? null : { byteRange: [10 * part, 10 * part + 10], start: sn + part / 5 };
  const answer = {
    ...{ deliver: vi.fn(), loadOwn: vi.fn(), onAbort: vi.fn(), took: vi.fn(), progress: vi.fn() },
    asSent: () => Promise.resolve({ url, headers: { authorization: 'me', range: 'bytes=0-9' } }),
  };
  const isTaken = live.load({ url, frag, part: place }, answer as unknown as FragmentAnswer);
  await settle();
  return { ...answer, isTaken };
}

const targets = () => followed.map(({ request }) => request.target);

describe('a part', () => {
  test('is the chunk of a file that is followed, once, with the page’s headers but for the range', async () => {
    const first = await ask({ sn: 3, part: 0 });
    expect(first.isTaken).toBe(true);
    expect(followed).toHaveLength(1);
    expect(followed[0]!.request).toMatchObject({
      ...{ representation: `${FOLDER}/v0/init.mp4`, target: '/live/v0/3.m4s', delivery: 'datagrams' },
      headers: { authorization: 'me' },
    });
    expect(first.deliver).not.toHaveBeenCalled();
    followed[0]!.send(chunk(3, 0));
    expect(first.deliver).toHaveBeenCalledWith(new Uint8Array(10).fill(30));
    followed[0]!.send(chunk(3, 1));
    const second = await ask({ sn: 3, part: 1 });
    expect(second.deliver).toHaveBeenCalledWith(new Uint8Array(10).fill(31));
    expect(second.took).toHaveBeenCalled();
    expect(followed).toHaveLength(1);
  });

  test('is told as a chunk, with times of the element, once hls.js has it', async () => {
    const part = await ask({ sn: 3, part: 1 });
    followed[0]!.send(chunk(3, 0));
    expect(journal.chunk).not.toHaveBeenCalled();
    followed[0]!.send(chunk(3, 1));
    expect(part.deliver).toHaveBeenCalledBefore(journal.chunk);
    const told = { mediaType: 'video', index: 3, representation: 'v0', bandwidth: 0.2e6, number: 1 };
    expect(journal.chunk.mock.calls).toMatchObject([[{ ...told, startTime: expect.closeTo(3.2) as number }]]);
    expect(live.live).toMatchObject({ delivery: 'datagrams', live: { chunks: 1, chunksRepaired: 0 } });
  });

  test('of sound comes the same way', async () => {
    const part = await ask({ sn: 3, part: 0, id: 'a0' });
    followed[0]!.send(chunk(3, 0));
    expect(part.deliver).toHaveBeenCalled();
    expect(journal.chunk.mock.calls).toMatchObject([[{ mediaType: 'audio', representation: 'a0' }]]);
  });

  test('whose initialization segment is not known is left to hls.js', async () => {
    initialized.clear();
    expect((await ask({ sn: 3, part: 0 })).isTaken).toBe(false);
    expect(followed).toEqual([]);
  });
});

test('a whole segment is all of its chunks', async () => {
  const segment = await ask({ sn: 3 });
  followed[0]!.send(chunk(3, 0));
  followed[0]!.send(chunk(3, 1));
  followed[0]!.result.resolve();
  await settle();
  expect((segment.deliver.mock.calls as [Uint8Array][])[0]![0]).toHaveLength(20);
});

describe('the next file', () => {
  const nearEnd = async () => {
    const parts = [await ask({ sn: 3, part: 0 })];
    for (let number = 0; number < 4; number++) followed[0]!.send(chunk(3, number));
    await settle();
    return parts;
  };

  test('is followed when a quarter of a second of one is missing, and taken over when hls.js asks for it', async () => {
    await nearEnd();
    expect(targets()).toEqual(['/live/v0/3.m4s', '/live/v0/4.m4s']);
    followed[1]!.send(chunk(4, 0));
    expect((await ask({ sn: 4, part: 0 })).deliver).toHaveBeenCalled();
    expect(followed).toHaveLength(2);
    expect(followed[0]!.abort).toHaveBeenCalled();
  });

  test('is none after that one until hls.js asks for it', async () => {
    await nearEnd();
    for (let number = 0; number < 5; number++) followed[1]!.send(chunk(4, number));
    await settle();
    expect(followed).toHaveLength(2);
  });

  test('is given up where hls.js asks for something else', async () => {
    await nearEnd();
    await ask({ sn: 4, part: 0, id: 'v1' });
    expect(followed[1]!.abort).toHaveBeenCalled();
    expect(targets()[2]).toBe('/live/v1/4.m4s');
  });

  test('is of the level that the rule chooses, which hls.js loads then', async () => {
    expect(live.chooseLevel(levels)).toBeUndefined();
    const [first] = await nearEnd();
    expect(first!.progress).toHaveBeenCalled();
    // The link carries 40 Mbit/s, but it may be too early to go up.
    const { target } = followed[1]!.request;
    expect(live.chooseLevel(levels)).toBe(0);
    for (let number = 1; number < 5; number++) {
      followed[0]!.send(chunk(3, number));
      await ask({ sn: 3, part: number });
    }
    followed[0]!.result.resolve();
    await settle();
    expect(`/live/v${live.chooseLevel(levels)}/4.m4s`).toBe(target);
  });
});

describe('over HTTP comes', () => {
  test('what is left of a segment whose session fails, with one event', async () => {
    const first = await ask({ sn: 3, part: 0 });
    followed[0]!.result.reject(new VoxelError('session-closed', 'the session is closed'));
    await settle();
    expect(first.loadOwn).toHaveBeenCalledOnce();
    expect((await ask({ sn: 3, part: 1 })).loadOwn).toHaveBeenCalledOnce();
    expect(journal.fallback).toHaveBeenCalledOnce();
    expect(journal.fallback.mock.calls[0]!.slice(1)).toEqual([`${FOLDER}/v0/3.m4s`, 3]);
    expect(live.chooseLevel(levels)).toBeUndefined();
    await ask({ sn: 4, part: 0 });
    expect(followed).toHaveLength(2);
  });

  test('what there is no session for', async () => {
    sessions.ready.mockRejectedValue(new VoxelError('session-failed', 'there is none'));
    expect((await ask({ sn: 3, part: 0 })).loadOwn).toHaveBeenCalledOnce();
  });

  test('what is under way when the plugin is detached', async () => {
    const parts = await ask({ sn: 3, part: 0 });
    live.detach();
    expect(parts.loadOwn).toHaveBeenCalledOnce();
  });

  test('what a session is silent about, which is then given up', async () => {
    await ask({ sn: 3, part: 0 });
    const error = new VoxelError('timeout', 'the next chunk does not come in time');
    followed[0]!.result.reject(error);
    await settle();
    expect(sessions.abandon.mock.calls).toEqual([[sessions.session, error]]);
  });
});

test('nothing is delivered that hls.js does not want any more', async () => {
  const part = await ask({ sn: 3, part: 0 });
  (part.onAbort.mock.calls as [() => void][])[0]![0]();
  followed[0]!.send(chunk(3, 0));
  expect(part.deliver).not.toHaveBeenCalled();
});
