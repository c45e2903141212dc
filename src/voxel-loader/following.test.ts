import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { datagram, FakeVoxelServer } from '../../test/unit/fake-voxel-server.js';
import { concatenate } from '../concatenate.js';
import { chunkContent, HEAD, numbers, record } from '../../test/unit/live-chunks.js';
import { fileByte, fileBytes, positions } from '../../test/unit/segment-content.js';
import type { DeliveredChunk, FollowRequest, VoxelSession } from './types.js';
import { Receiver } from './receiver.js';
import { createRepairer } from '../repair/index.js';
import { liveAbilities } from './worker/live/abilities.js';
import { loadFollowing } from './worker/parts/load-following.js';
import { openSession } from './worker/session.js';
import { runOnPage } from './worker/run-on-page.js';

beforeEach(() => {
  vi.stubGlobal('navigator', { vendor: 'Google Inc.' });
  vi.stubGlobal('WebTransport', vi.fn());
});

afterEach(() => vi.unstubAllGlobals());

const request: FollowRequest = {
  ...{
    representation: '0/v0',
    target: '/v0/1.m4s',
    delivery: 'datagrams',
    startTime: 0,
    deadline: 400,
    isGroup: false,
  },
  ...{ headers: {}, headerHosts: [] },
};

/** A chunk of 20 reliable bytes and a frame of 40. */
const CHUNK = record(1, chunkContent({ lengths: [20, 40], decodeTime: 0, duration: 100 }, 0));
const RELIABLE = record(16, fileBytes([{ start: 0, end: 20 }]));
const END = concatenate([record(17, numbers(0, 40, 1, 40, 14_000)), record(2, numbers(60))]);

/** A receiver whose worker runs in this thread. */
async function open(
  abilities = liveAbilities,
): Promise<{ server: FakeVoxelServer; receiver: Receiver; session: VoxelSession }> {
  const server = new FakeVoxelServer((stream) =>
    stream.send(`HTTP/1.1 200 OK\r\nx-voxel-follow: ?1\r\nx-voxel-unreliable: ?1;flow=${stream.flow}\r\n\r\n`),
  );
  const receiver = new Receiver({
    withoutWorker: () =>
      runOnPage({
        ...abilities,
        repair: { create: createRepairer },
        open: (endpoint) => openSession(endpoint, server.WebTransport),
      }),
  });
  const session = await receiver.open(Promise.resolve({ url: 'https://media.example/voxel', certificateHashes: [] }));
  return { server, receiver, session };
}

function follow(session: VoxelSession) {
  const chunks: DeliveredChunk[] = [];
  const following = session.follow(request, (chunk) => chunks.push(chunk));
  return { chunks, following };
}

test.each([
  ['as it is', liveAbilities],
  ['which loads what follows with the first of them', { following: loadFollowing }],
])('a live segment comes from the worker, %s, chunk by chunk', async (_, abilities) => {
  vi.stubGlobal('VOXEL_PARTS', { following: new URL('./worker/parts/following.ts', import.meta.url).href });
  const { server, session } = await open(abilities);
  const { chunks, following } = follow(session);
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  const [stream] = server.requests;
  stream!.send(concatenate([HEAD, CHUNK, RELIABLE]));
  server.sendDatagram(datagram(stream!.flow!, 0, fileBytes([{ start: 20, end: 60 }])));
  await vi.waitFor(() => expect(chunks).toHaveLength(1));
  expect([...chunks[0]!.bytes]).toEqual(positions({ start: 0, end: 60 }).map(fileByte));
  expect(chunks[0]).toMatchObject({ number: 0, range: { start: 0, end: 60 }, bytesUnreliable: 40, bytesLost: 0 });
  stream!.send(END);
  stream!.finish();
  await following.result;
});

describe('what is followed ends', () => {
  test('with a chunk that cannot be repaired', async () => {
    const { server, session } = await open();
    const { following } = follow(session);
    session.play({ mediaTime: 1, at: performance.now(), rate: 1 });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    server.requests[0]!.send(concatenate([HEAD, CHUNK, RELIABLE]));
    await expect(following.result).rejects.toMatchObject({ code: 'no-initialization' });
  });

  test('with its session', async () => {
    const { server, session } = await open();
    const { following } = follow(session);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    server.breakSession();
    await expect(following.result).rejects.toMatchObject({ code: 'session-closed' });
    expect(await session.closed).toMatchObject({ code: 'session-closed' });
  });

  test('when it is aborted, for the server, too', async () => {
    const { server, session } = await open();
    const { following } = follow(session);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    following.abort();
    await expect(following.result).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(() => expect(server.requests[0]!.cancelled).toBe(true));
  });

  test('with the receiver', async () => {
    const { receiver, session } = await open();
    const { following } = follow(session);
    receiver.stop();
    await expect(following.result).rejects.toMatchObject({ code: 'session-closed' });
  });
});

test('where what follows live streams does not load, the page hears why, each time', async () => {
  const { session } = await open({ following: loadFollowing });
  for (let time = 0; time < 2; time++)
    await expect(follow(session).following.result).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('voxel-following.js') as string,
    });
});
