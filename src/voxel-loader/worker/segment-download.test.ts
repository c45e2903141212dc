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
} from '../../../test/unit/download-scene.js';
import { datagram, responses } from '../../../test/unit/fake-voxel-server.js';

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

  it('calls a gap a loss one round trip after the trailer, which is no download time', async () => {
    const scene = await start();
    answer(scene.reliable);
    await vi.advanceTimersByTimeAsync(500);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!));
    sendDatagram(scene, 0, 20);
    sendDatagram(scene, 60, 80);
    scene.unreliable.send(responses.trailer(80, RTT));
    scene.unreliable.finish();
    await vi.advanceTimersByTimeAsync(RTT - 1);
    expect(await isSettled(scene.download.result)).toBe(false);
    sendDatagram(scene, 40, 60);
    await vi.advanceTimersByTimeAsync(1);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 60, bytesLost: 20, bytesUnsent: 0, rtt: RTT, seconds: 0.5 });
    expect(delivered.lost).toEqual([
      { start: 85, end: 95 },
      { start: 10, end: 20 },
    ]);
  });

  it('takes datagrams that are late by less than that, and no later ones', async () => {
    const scene = await start();
    answer(scene.reliable);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + responses.trailer(80, RTT));
    await vi.advanceTimersByTimeAsync(RTT - 10);
    sendDatagram(scene, 0, 30);
    await vi.advanceTimersByTimeAsync(10);
    const delivered = await scene.download.result;
    sendDatagram(scene, 30, 80);
    await settle();
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 30, bytesLost: 50, seconds: 0 });
  });

  it.each([
    ['a round trip below it', 1, 20],
    ['a server that knows of no round trip', undefined, 20],
    ['an absurd round trip', 999_999_999, 1000],
  ])('waits at least 20 ms and at most a second for late datagrams: %s', async (_what, rtt, wait) => {
    const scene = await start();
    answer(scene.reliable);
    const trailer = responses.trailer(80, rtt ?? 0).replace(rtt === undefined ? /x-voxel-rtt.*\r\n/ : '', '');
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!) + trailer);
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(await isSettled(scene.download.result)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isSettled(scene.download.result)).toBe(true);
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
