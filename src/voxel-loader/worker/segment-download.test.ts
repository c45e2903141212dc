import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answer,
  expectSound,
  isSettled,
  map,
  RTT,
  sendDatagram,
  settle,
  start,
  startAfter,
  type Scene,
} from '../../../test/unit/download-scene.js';
import { datagram, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { segmentOf } from '../../../test/unit/segment-content.js';
import type { ByteRange } from '../../manifest/byte-range.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('downloadSegment', () => {
  it('asks for both parts before anything is answered', async () => {
    const { server, reliable, unreliable } = await start({ headers: { 'cmcd-request': 'su' }, deadline: 3000 });
    expect(server.requests).toHaveLength(2);
    expect(reliable.head).toBe(
      'GET /q03.mp4 HTTP/1.1\r\nhost: a\r\nrange: bytes=1000-1009,1060-1064\r\nif-match: "1"\r\ncmcd-request: su\r\n\r\n',
    );
    expect(unreliable.head).toContain(
      'range: bytes=1065-1094,1010-1059\r\nif-match: "1"\r\nx-voxel-unreliable: ?1;flow=',
    );
    expect(unreliable.head).toContain('x-voxel-deadline: 3000\r\ncmcd-request: su\r\n');
  });

  it('sends what is shown later behind the datagrams of what is shown first', async () => {
    const timed = { time: { start: 4, duration: 2 }, byTimeUntil: 4.5 };
    const { server, session } = await start({ map: segmentOf(1000, [10, 50, 5, 30, 5]), ...timed });
    const after = server.requests.map(({ head }) => /x-voxel-after: (\d+)/.exec(head)?.[1]);
    const [, first, , last] = server.requests.map(({ flow }) => flow);
    expect(server.requests.map(({ ranges }) => ranges.map(({ start }) => start))).toEqual([
      [1000, 1060],
      [1010],
      [1095],
      [1065],
    ]);
    expect(after).toEqual([undefined, undefined, `${first}`, `${first}`]);
    expect(last).not.toBe(first);
    session.close();
  });

  it('delivers a whole segment at once when its last byte is here, whatever came first', async () => {
    const scene = await start();
    await vi.advanceTimersByTimeAsync(100);
    sendDatagram(scene, 40, 80);
    await vi.advanceTimersByTimeAsync(100);
    answer(scene.reliable);
    await settle();
    expect(scene.download.progress()).toEqual({
      phase: 'unreliable',
      bytesReliable: 15,
      bytesUnreliable: 40,
      bytesRequested: 95,
      elapsed: 0.2,
    });
    sendDatagram(scene, 0, 40);
    sendDatagram(scene, 0, 40);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 80, bytesLost: 0, seconds: 0.2, timeToFirstByte: 0.1 });
    expect(delivered.failure).toBeUndefined();
  });

  it('asks for the chosen prefix only', async () => {
    const scene = await start({ unreliableBytes: 30 });
    answer(scene.reliable);
    sendDatagram(scene, 0, 30);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 30);
    expect(delivered.received.contains(10, 11)).toBe(false);
  });

  it('tells what was not sent after a deadline from what was lost, and waits for no more than was sent', async () => {
    const scene = await start();
    answer(scene.reliable);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + responses.trailer(45, RTT));
    sendDatagram(scene, 0, 45);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 45, bytesLost: 0, bytesUnsent: 35 });
  });

  it('ignores datagrams that reach beyond the body', async () => {
    const scene = await start({ unreliableBytes: 30 });
    answer(scene.reliable);
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, 25, new Uint8Array(6).fill(9)));
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, 2 ** 40, new Uint8Array(6).fill(9)));
    await settle();
    expect(scene.download.progress().bytesUnreliable).toBe(0);
    sendDatagram(scene, 0, 30);
    expectSound(await scene.download.result, map, 30);
  });

  it('takes the body from the stream when the server knows no datagrams', async () => {
    const scene = await start();
    answer(scene.reliable);
    answer(scene.unreliable);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered.bytesUnreliable).toBe(80);
  });

  it('lets finished streams end of themselves, and resets one that does not', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 80);
    await scene.download.result;
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + responses.trailer(80, RTT));
    scene.unreliable.finish();
    await settle();
    expect([scene.reliable.cancelled, scene.unreliable.cancelled]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([scene.reliable.cancelled, scene.unreliable.cancelled]).toEqual([true, false]);
  });
});

/** An eighth of the round trip would be shorter than timers are late. */
const REORDERING_MS = 10;

/** The end of the flow: all 80 bytes were sent. */
function endOfFlow({ unreliable }: Scene, rtt = RTT): void {
  unreliable.send(responses.unreliable(80, unreliable.flow!) + responses.trailer(80, rtt));
  unreliable.finish();
}

describe('recovery', () => {
  it('asks on a stream for what was lost, while the rest still comes', async () => {
    const scene = await start();
    answer(scene.reliable);
    for (const at of [0, 20, 30, 40, 60]) sendDatagram(scene, at, at + 10);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    expect(scene.server.requests).toHaveLength(3);
    const recovery = scene.server.requests[2]!;
    expect(recovery.flow).toBeUndefined();
    expect(recovery.body).toEqual(
      Uint8Array.from([...scene.unreliable.body.subarray(10, 20), ...scene.unreliable.body.subarray(50, 60)]),
    );
    answer(recovery);
    sendDatagram(scene, 70, 80);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 80, bytesLost: 0, bytesRepeated: 20, bytesRecovered: 20 });
  });

  it('asks for losses in the order, and for those alone, that who hands the segment over in pieces wants', async () => {
    const scene = await start();
    const inTime = vi.fn((places: readonly ByteRange[]) => places.slice(0, 2).reverse());
    const look = vi.fn();
    scene.download.watch({ look, inTime });
    answer(scene.reliable);
    for (const at of [0, 20, 40, 60, 70]) sendDatagram(scene, at, at + 10);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    expect(inTime.mock.calls[0]![0].map(({ start }) => start)).toEqual([25, 45, 65]);
    expect(scene.server.requests[2]!.body).toEqual(
      Uint8Array.from([...scene.unreliable.body.subarray(30, 40), ...scene.unreliable.body.subarray(10, 20)]),
    );
    expect(look).toHaveBeenCalled();
    // What is not asked for again cannot come.
    expect(scene.download.mayCome([{ start: 65, end: 75 }])).toBe(false);
    expect(scene.download.mayCome([{ start: 45, end: 55 }])).toBe(true);
  });

  it('asks for what was lost at the end once the trailer tells; waiting for it is no download time', async () => {
    const scene = await start();
    answer(scene.reliable);
    await vi.advanceTimersByTimeAsync(500);
    sendDatagram(scene, 0, 50);
    endOfFlow(scene);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    const recovery = scene.server.requests[2]!;
    expect(recovery.body).toEqual(scene.unreliable.body.subarray(50));
    await vi.advanceTimersByTimeAsync(RTT);
    expect(await isSettled(scene.download.result)).toBe(false);
    answer(recovery);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesRecovered: 30, rtt: RTT, seconds: 0.5, bytesMeasured: 65 });
  });

  it.each([
    ['in an eighth of the round trip', 800, 100],
    ['in the time that timers may be late', 1, REORDERING_MS],
    ['in an eighth of a second, however long the round trip is said to be', 999_999_999, 125],
  ])('asks for nothing that still comes %s', async (_what, rtt, window) => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 50);
    endOfFlow(scene, rtt);
    await vi.advanceTimersByTimeAsync(window - 1);
    expect(scene.server.requests).toHaveLength(2);
    sendDatagram(scene, 60, 80);
    await vi.advanceTimersByTimeAsync(1);
    expect(scene.server.requests[2]!.body).toEqual(scene.unreliable.body.subarray(50, 60));
  });

  it('knows the round trip from downloads before: a first byte that waits for others says nothing of it', async () => {
    const first = await start();
    const second = await startAfter(first);
    answer(first.reliable);
    await vi.advanceTimersByTimeAsync(900);
    sendDatagram(first, 0, 80);
    first.unreliable.send(responses.unreliable(80, first.unreliable.flow!) + responses.trailer(80, RTT));
    await settle();
    sendDatagram(second, 0, 10);
    sendDatagram(second, 20, 30);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    expect(second.server.requests[4]?.body).toEqual(second.unreliable.body.subarray(10, 20));
  });

  it('counts what was late after all as repeated, not as recovered', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 60);
    endOfFlow(scene);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    answer(scene.server.requests[2]!, scene.server.requests[2]!.body.subarray(0, 15));
    await settle();
    expect((await isSettled(scene.download.result)) || scene.download.keep()).toBe(true);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesLost: 5, bytesRepeated: 20, bytesRecovered: 15 });
  });

  it('asks for nothing that cannot be in time', async () => {
    const scene = await start({ deadline: 500 });
    answer(scene.reliable);
    await vi.advanceTimersByTimeAsync(480);
    sendDatagram(scene, 0, 60);
    endOfFlow(scene);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    const delivered = await scene.download.result;
    expect(scene.server.requests).toHaveLength(2);
    expect(delivered).toMatchObject({ bytesUnreliable: 60, bytesLost: 20, bytesRepeated: 0, seconds: 0.48 });
    expect(delivered.lost).toEqual([{ start: 40, end: 60 }]);
    expect(delivered.failure).toBeUndefined();
  });

  it('ends with what is here when the repeat fails, and says why', async () => {
    const scene = await start({}, (recovery) => recovery.send(responses.error(503)));
    answer(scene.reliable);
    sendDatagram(scene, 0, 60);
    endOfFlow(scene);
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesLost: 20, failure: { code: 'status', status: 503 } });
    expect(scene.server.requests).toHaveLength(3);
  });

  it('has a bounded number of requests at a time, and forgets nothing', async () => {
    const bytes = 4000;
    const waiting: FakeRequest[] = [];
    const long = segmentOf(0, [4, bytes]);
    const scene = await start({ map: long, unreliableBytes: bytes }, (recovery) => void waiting.push(recovery));
    answer(scene.reliable);
    for (let at = 0; at < bytes; at += 20) {
      sendDatagram(scene, at, at + 10);
      await vi.advanceTimersByTimeAsync(REORDERING_MS);
    }
    expect(waiting).toHaveLength(8);
    for (let recovery = waiting.shift(); recovery; recovery = waiting.shift()) {
      answer(recovery);
      await settle();
      expect(waiting.length).toBeLessThanOrEqual(8);
    }
    scene.unreliable.send(responses.unreliable(bytes, scene.unreliable.flow!) + responses.trailer(bytes, RTT));
    await vi.advanceTimersByTimeAsync(REORDERING_MS);
    answer(waiting.shift()!);
    const delivered = await scene.download.result;
    expectSound(delivered, long, bytes);
    expect(delivered).toMatchObject({ bytesLost: 0, bytesRepeated: bytes / 2, bytesRecovered: bytes / 2 });
  });
});

describe('a download over streams', () => {
  it('asks for everything on one stream, reliable bytes first', async () => {
    const { server, download, reliable } = await start({ delivery: 'streams', deadline: 3000 });
    expect(server.requests).toHaveLength(1);
    expect(reliable.head).toContain('range: bytes=1000-1009,1060-1064,1065-1094,1010-1059\r\n');
    expect(reliable.head).not.toContain('x-voxel');
    answer(reliable);
    const delivered = await download.result;
    expectSound(delivered, map, 80);
    expect(delivered.bytesUnreliable).toBe(80);
  });

  it('can be kept once the reliable bytes are here', async () => {
    const { download, reliable } = await start({ delivery: 'streams' });
    answer(reliable, reliable.body.subarray(0, 14));
    await settle();
    expect(download.keep()).toBe(false);
    reliable.send(reliable.body.subarray(14, 40));
    await settle();
    expect(download.keep()).toBe(true);
    const delivered = await download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 25, bytesLost: 0, bytesUnsent: 55 });
    await settle();
    expect(reliable.cancelled).toBe(true);
  });
});

describe('keep', () => {
  it('is refused while reliable bytes are missing', async () => {
    const scene = await start();
    sendDatagram(scene, 0, 80);
    await settle();
    expect(scene.download.keep()).toBe(false);
    expect(await isSettled(scene.download.result)).toBe(false);
  });

  it('stops the server; above the furthest byte seen nothing counts as lost', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 10);
    sendDatagram(scene, 20, 50);
    await vi.advanceTimersByTimeAsync(300);
    expect(scene.download.keep()).toBe(true);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 40, bytesLost: 10, bytesUnsent: 30, seconds: 0.3 });
    sendDatagram(scene, 50, 80);
    await settle();
    expect(scene.unreliable.cancelled).toBe(true);
    expectSound(delivered, map, 80);
    expect(scene.download.keep()).toBe(false);
  });
});

describe('abort', () => {
  it('rejects and stops the server on both streams', async () => {
    const scene = await start();
    scene.download.abort();
    await expect(scene.download.result).rejects.toMatchObject({ code: 'aborted' });
    await settle();
    expect([scene.reliable.cancelled, scene.unreliable.cancelled]).toEqual([true, true]);
  });

  it('changes nothing after the delivery', async () => {
    const scene = await start({ unreliableBytes: 0 });
    answer(scene.reliable);
    await scene.download.result;
    scene.download.abort();
    expectSound(await scene.download.result, map, 0);
  });
});
