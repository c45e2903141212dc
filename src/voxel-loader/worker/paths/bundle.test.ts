import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLabPaths } from '../../../../lab/strategies/open-lab-paths.js';
import type { ScheduleName } from '../../../../lab/strategies/schedules.js';
import { expectSound, knownVersion, settle } from '../../../../test/unit/download-scene.js';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from '../../../../test/unit/fake-voxel-server.js';
import { segmentOf } from '../../../../test/unit/segment-content.js';
import type { PathReport } from '../../types.js';
import { downloadSegment } from '../segment-download.js';
import type { WebTransportConstructor } from '../session.js';
import type { DownloadRequest, Session } from '../types.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** 40 kB of reliable bytes, 140 kB of others. */
const map = segmentOf(1000, [40_000, 140_000]);
const ROUTES = ['a', 'b'];

/** A server behind each address, which is sent bytes at this rate: bytes per millisecond. */
class Route {
  server = new FakeVoxelServer();
  /** Sessions that were asked for. */
  attempts = 0;
  rate = 250;
  isUp = true;
  /** Milliseconds. */
  opensIn = 0;
  /** Request heads of all sessions. */
  readonly heads: string[] = [];
  #queue: { readonly request: FakeRequest; readonly server: FakeVoxelServer; sent: number }[] = [];

  connect(): FakeVoxelServer {
    this.attempts++;
    this.#queue = [];
    const ready = this.isUp
      ? new Promise((resolve) => setTimeout(resolve, this.opensIn))
      : Promise.reject(new Error('refused'));
    const server: FakeVoxelServer = new FakeVoxelServer((request) => {
      this.heads.push(request.head);
      this.onRequest(request, server);
    }, ready);
    this.server = server;
    return server;
  }

  onRequest = (request: FakeRequest, server: FakeVoxelServer): void => {
    this.#queue.push({ request, server, sent: 0 });
    const { body, flow } = request;
    request.send(flow === undefined ? responses.reliable(body.length) : responses.unreliable(body.length, flow));
  };

  /** Sends what it can in a millisecond. */
  tick(): void {
    let budget = this.isUp ? this.rate : 0;
    while (budget > 0 && this.#queue[0]) {
      const next = this.#queue[0];
      const { request, server } = next;
      const part = request.body.subarray(next.sent, next.sent + Math.min(budget, 1000));
      if (request.flow === undefined) request.send(part);
      else if (!request.cancelled) server.sendDatagram(datagram(request.flow, next.sent, part));
      next.sent += part.length;
      budget -= part.length;
      if (next.sent < request.body.length) continue;
      this.#queue.shift();
      if (request.flow !== undefined) request.send(responses.trailer(request.body.length, 20));
      request.finish();
    }
  }
}

interface Scene {
  readonly routes: readonly [Route, Route];
  readonly session: Session;
  readonly reports: () => readonly PathReport[];
}

async function open({
  schedule,
  costs = [0, 0],
  opensIn = 0,
}: { schedule?: ScheduleName; costs?: number[]; opensIn?: number } = {}): Promise<Scene> {
  const routes = [new Route(), new Route()] as const;
  routes[1].opensIn = opensIn;
  const WebTransport = function (url: string, options: WebTransportOptions) {
    const route = routes[ROUTES.indexOf(new URL(url).hostname)]!;
    return new (route.connect().WebTransport)(url, options);
  } as unknown as WebTransportConstructor;
  const paths = ROUTES.map((host, index) => ({
    url: `https://${host}/voxel`,
    certificateHashes: [],
    cost: costs[index]!,
  }));
  let reports: readonly PathReport[] = [];
  const opening = openLabPaths({ ...paths[0]!, paths, schedule }, WebTransport, (now) => (reports = now));
  await settle();
  return { routes, session: await opening, reports: () => reports };
}

function download({ session }: Scene, change: Partial<DownloadRequest> = {}) {
  const file = knownVersion();
  const running = downloadSegment(session, {
    ...{ target: '/q.mp4', map, file, unreliableBytes: 140_000, delivery: 'datagrams', recovery: true, headers: {} },
    buffer: 2000,
    ...change,
  });
  running.result.catch(() => {});
  return running;
}

/** Lets both servers send until that is settled, 20 s at most. */
async function run<Result>(
  { routes }: Scene,
  result: Promise<Result>,
  onTick: (ms: number) => void = () => {},
): Promise<Result> {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  result.then(settle, settle);
  for (let ms = 0; ms < 20_000 && !state.isSettled; ms++) {
    onTick(ms);
    for (const route of routes) route.tick();
    await pass(1);
  }
  return result;
}

describe('several connections to one address', () => {
  /** The server behind it: each connection has this rate, and sends to itself alone. */
  async function openFlows(): Promise<{ connections: Route[]; scene: Scene }> {
    const connections: Route[] = [];
    const WebTransport = function (url: string, options: WebTransportOptions) {
      const route = new Route();
      connections.push(route);
      return new (route.connect().WebTransport)(url, options);
    } as unknown as WebTransportConstructor;
    let reports: readonly PathReport[] = [];
    const endpoint = {
      url: 'https://a/voxel',
      certificateHashes: [],
      hasConnections: true,
      schedule: 'whoever-is-free',
    } as const;
    const opening = openLabPaths(endpoint, WebTransport, (now) => (reports = now));
    await settle();
    return {
      connections,
      scene: { routes: connections as unknown as Scene['routes'], session: await opening, reports: () => reports },
    };
  }

  const brought = ({ reports }: Scene) => reports().map(({ bytes }) => bytes);

  it('are as many as each request says, and share what it asks for', async () => {
    const { connections, scene } = await openFlows();
    expect(connections.length).toBe(1);
    await run(scene, download(scene, { connections: 3 }).result);
    expect(connections.length).toBe(3);
    const before = brought(scene);
    expectSound(await run(scene, download(scene, { connections: 3 }).result), map, 140_000);
    const parts = brought(scene).map((bytes, index) => bytes - before[index]!);
    expect(Math.min(...parts)).toBeGreaterThan(30_000);
  });

  it('bring nothing of what is asked for over fewer, and are closed when they are not needed for ten seconds', async () => {
    const { connections, scene } = await openFlows();
    await run(scene, download(scene, { connections: 3 }).result);
    const [, ...before] = brought(scene);
    await run(scene, download(scene, { connections: 1 }).result);
    expect(brought(scene).slice(1)).toEqual(before);
    await pass(10_000);
    await run(scene, download(scene, { connections: 1 }).result);
    expect(scene.reports().length).toBe(1);
    expect(connections.map(({ server }) => server.closedByClient)).toEqual([false, true, true]);
    expectSound(await run(scene, download(scene, { connections: 2 }).result), map, 140_000);
    expect(connections.length).toBe(4);
  });
});

describe('a session over two paths', () => {
  it.each(['voxel', 'round-robin', 'min-rtt', 'victor', 'eaf', 'single'] as const)(
    'brings a segment as %s deals it',
    async (schedule) => {
      const scene = await open({ schedule });
      const delivered = await run(scene, download(scene).result);
      expectSound(delivered, map, 140_000);
      expect(delivered).toMatchObject({ bytesUnreliable: 140_000, bytesLost: 0, failure: undefined });
    },
  );

  it('uses both, at the sum of their rates, and reports what each brought', async () => {
    const scene = await open();
    await run(scene, download(scene).result);
    const { seconds, bytesMeasured } = await run(scene, download(scene).result);
    expect(bytesMeasured / seconds).toBeGreaterThan(400_000);
    const [a, b] = scene.reports();
    expect(a!.bytes + b!.bytes).toBe(360_000);
    expect(Math.min(a!.bytes, b!.bytes)).toBeGreaterThan(120_000);
    expect(scene.reports()).toMatchObject([
      { state: 'open', roundTrip: 20 },
      { state: 'open', roundTrip: 20 },
    ]);
  });

  it('gives a path headers only where its host is named', async () => {
    const scene = await open();
    await run(scene, download(scene, { headers: { authorization: 'Bearer 1' }, headerHosts: ['a'] }).result);
    expect(scene.routes.map(({ heads }) => heads.some((head) => head.includes('authorization')))).toEqual([
      true,
      false,
    ]);
    expect(scene.routes[1].heads.length).toBeGreaterThan(0);
  });

  it('goes on over the other path when the session of one breaks, and uses it again when it is back', async () => {
    const scene = await open();
    const [a, b] = scene.routes;
    const delivered = await run(scene, download(scene).result, (ms) => {
      if (ms !== 60) return;
      b.isUp = false;
      b.server.breakSession();
    });
    expectSound(delivered, map, 140_000);
    expect(delivered).toMatchObject({ bytesUnreliable: 140_000, bytesLost: 0 });
    expect(scene.reports()).toMatchObject([{ state: 'open' }, { state: 'failed' }]);
    b.isUp = true;
    await pass(2500);
    const before = scene.reports()[1]!.bytes;
    await run(scene, download(scene).result);
    expect(scene.reports()[1]).toMatchObject({ state: 'open' });
    expect(scene.reports()[1]!.bytes).toBeGreaterThan(before + 40_000);
    expect(a.attempts).toBe(1);
  });

  it('asks elsewhere for what a path owes that is silent, gives it up, and opens another session with it', async () => {
    const scene = await open();
    const [, b] = scene.routes;
    let seconds = 0;
    const delivered = await run(scene, download(scene).result, (ms) => {
      if (ms === 60) b.isUp = false;
      seconds = ms / 1000;
    });
    expectSound(delivered, map, 140_000);
    expect(delivered.bytesUnreliable).toBe(140_000);
    // What is left takes half a second; silence shows after 0.3 s.
    expect(seconds).toBeLessThan(1.2);
    await run(scene, download(scene).result);
    await pass(3000);
    expect(b.attempts).toBeGreaterThan(1);
    expect(scene.reports()[1]).toMatchObject({ state: 'failed' });
  });

  it('asks a silent path for nothing more while the download goes on, though what it owed has come over the other one', async () => {
    const scene = await open();
    const [, b] = scene.routes;
    const long = segmentOf(1000, [40_000, 700_000]);
    let askedIn = 0;
    const request = { map: long, unreliableBytes: 700_000, buffer: 3000 };
    const delivered = await run(scene, download(scene, request).result, (ms) => {
      if (ms === 300) b.isUp = false;
      // Silence shows after 0.3 s.
      if (ms === 650) askedIn = b.heads.length;
    });
    expectSound(delivered, long, 700_000);
    expect(b.heads.length).toBe(askedIn);
    expect(scene.reports()[1]).toMatchObject({ state: 'failed' });
  });

  it('tries a path that took long to open beside a fast one', async () => {
    const scene = await open({ opensIn: 900 });
    scene.routes[0].rate = 2000;
    await run(scene, download(scene).result);
    await pass(1000);
    expect(scene.reports()).toMatchObject([{ state: 'open' }, { state: 'open', bytes: 0 }]);
    await run(scene, download(scene).result);
    expect(scene.reports()[1]!.bytes).toBeGreaterThan(0);
  });

  it('lets a path be that was silent for a while, though what it brings is here already', async () => {
    const scene = await open();
    const [, b] = scene.routes;
    const delivered = await run(scene, download(scene, { unreliableBytes: 140_000, buffer: 1000 }).result, (ms) => {
      b.isUp = ms < 60 || ms > 420;
    });
    expect(delivered).toMatchObject({ bytesUnreliable: 140_000, failure: undefined });
    expect(delivered.bytesRepeated).toBeGreaterThan(0);
    expect(scene.reports()).toMatchObject([{ state: 'open' }, { state: 'open' }]);
  });

  it('ends when no path is left', async () => {
    const scene = await open();
    download(scene);
    await pass(20);
    for (const { server } of scene.routes) server.breakSession();
    expect((await scene.session.closed).code).toBe('session-closed');
  });

  it('leaves a path alone that has another version of the file, and fails when none has it', async () => {
    const scene = await open();
    const [a, b] = scene.routes;
    const refuse = (request: FakeRequest): void => {
      request.send('HTTP/1.1 412 Precondition Failed\r\netag: "2"\r\ncontent-length: 0\r\n\r\n');
      request.finish();
    };
    b.onRequest = refuse;
    const delivered = await run(scene, download(scene).result);
    expectSound(delivered, map, 140_000);
    expect(scene.reports()[1]).toMatchObject({ state: 'failed', error: { code: 'file-changed' } });
    a.onRequest = refuse;
    await expect(run(scene, download(scene).result)).rejects.toMatchObject({ code: 'file-changed' });
  });

  it('does not use a metered path while the other one is in time', async () => {
    const scene = await open({ costs: [0, 1] });
    await run(scene, download(scene, { buffer: 10_000 }).result);
    expect(scene.routes[1].heads).toEqual([]);
    scene.routes[0].rate = 10;
    await run(scene, download(scene, { buffer: 1000 }).result);
    expect(scene.routes[1].heads).not.toEqual([]);
  });

  it('asks for the bytes of the next segment after those of this one', async () => {
    const scene = await open();
    const first = download(scene);
    await pass(30);
    const next = download(scene, { after: first });
    const order: string[] = [];
    void first.result.then(() => order.push('first'));
    void next.result.then(() => order.push('next'));
    await run(scene, next.result);
    expect(order).toEqual(['first', 'next']);
    expect(scene.routes.some(({ heads }) => heads.some((head) => head.includes('x-voxel-after')))).toBe(true);
  });

  it('asks for nothing more once the download is aborted or kept', async () => {
    const scene = await open();
    const [a, b] = scene.routes;
    const running = download(scene);
    const ticks = async (count: number): Promise<void> => {
      for (let ms = 0; ms < count; ms++) {
        for (const route of scene.routes) route.tick();
        await pass(1);
      }
    };
    await ticks(150);
    expect(running.keep()).toBe(true);
    expect(await running.result).toMatchObject({ bytesReliable: 40_000 });
    const asked = a.heads.length + b.heads.length;
    await ticks(200);
    expect(a.heads.length + b.heads.length).toBe(asked);
  });

  it('rejects when no path can be opened, and closes all of them when it is closed', async () => {
    const scene = await open();
    scene.session.close();
    await settle();
    expect(scene.routes.map(({ server }) => server.closedByClient)).toEqual([true, true]);
    const refused = function () {
      return new new FakeVoxelServer(() => {}, Promise.reject(new Error('refused'))).WebTransport(
        'https://a/voxel',
        {},
      );
    } as unknown as WebTransportConstructor;
    const paths = ROUTES.map((host) => ({ url: `https://${host}/voxel`, certificateHashes: [], cost: 0 }));
    await expect(openLabPaths({ ...paths[0]!, paths }, refused)).rejects.toMatchObject({ code: 'session-failed' });
    expect(vi.getTimerCount()).toBe(0);
  });
});
