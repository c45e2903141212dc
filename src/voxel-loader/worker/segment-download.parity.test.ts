import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answer,
  expectSound,
  isSettled,
  map,
  RTT,
  settle,
  start,
  type Scene,
} from '../../../test/unit/download-scene.js';
import { segmentOf } from '../../../test/unit/segment-content.js';
import { datagram, responses } from '../../../test/unit/fake-voxel-server.js';
import { datagramsOf } from '../../../test/unit/parity-flow.js';
import type { Parity } from '../../coding/symbols.js';
import type { DownloadRequest } from './types.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Two blocks of 40 bytes, each of four symbols, and two parity symbols for each: places 0 … 70 and 80 … 110. */
const parity: Parity = { amounts: [2], block: 4, symbol: 10 };
const header = '(2);block=4;symbol=10';

const startCoded = (change: Partial<DownloadRequest> = {}) => start({ parity, ...change });

/** In the order of sending: data 0 … 3, parity 80 and 90, data 4 … 7, parity 100 and 110. */
const flowOf = ({ unreliable }: Scene) => datagramsOf(unreliable.body, [80], parity);

/** Sends all datagrams but those at these places. */
function sendWithout(scene: Scene, ...lost: readonly number[]): void {
  for (const { offset, payload } of flowOf(scene)) {
    if (!lost.includes(offset)) scene.server.sendDatagram(datagram(scene.unreliable.flow!, offset, payload));
  }
}

function sendHead({ unreliable }: Scene, echo: string | undefined = header): void {
  unreliable.send(responses.unreliable(80, unreliable.flow!, echo));
}

/** The third request is for these bytes of the body. */
function expectRepeat({ server, unreliable }: Scene, start: number, end: number): void {
  expect(server.requests[2]!.body).toEqual(unreliable.body.subarray(start, end));
}

/** What timers may be late by. */
const WINDOW_MS = 10;

describe('a download with parity', () => {
  it('asks for it with the datagrams only', async () => {
    const { reliable, unreliable } = await startCoded();
    expect(reliable.parity).toBeUndefined();
    expect(unreliable.parity).toBe(header);
    const streams = await startCoded({ delivery: 'streams' });
    expect(streams.reliable.parity).toBeUndefined();
    expect((await start()).unreliable.parity).toBeUndefined();
  });

  it('asks for frames in ranges whose symbols fit datagrams', async () => {
    const long = segmentOf(0, [10, 2500, 10, 1000]);
    const { unreliable } = await start({
      map: long,
      unreliableBytes: 3500,
      parity: { amounts: [1], block: 1, always: true },
    });
    expect(unreliable.ranges.map(({ start, end }) => end - start)).toEqual([1000, 833, 834, 833]);
    expect(unreliable.parity).toBe('(1);block=1;always');
  });

  it('fills what is lost from it, and asks for nothing again', async () => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendHead(scene);
    sendWithout(scene, 0, 30, 70, 110);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 80, bytesLost: 0, bytesRepeated: 0, bytesRecovered: 0 });
    expect(delivered).toMatchObject({ bytesDecoded: 30, bytesParity: 30 });
    expect(scene.server.requests).toHaveLength(2);
  });

  it('waits for the parity of a block that it can still fill', async () => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendHead(scene);
    const [zero, , two, three, parity0, parity1] = flowOf(scene);
    const send = ({ offset, payload }: { offset: number; payload: Uint8Array }) =>
      scene.server.sendDatagram(datagram(scene.unreliable.flow!, offset, payload));
    for (const one of [zero!, two!, three!]) send(one);
    await vi.advanceTimersByTimeAsync(1000);
    expect(scene.server.requests).toHaveLength(2);
    send(parity1!);
    await settle();
    expect(scene.download.progress().bytesUnreliable).toBe(40);
    send(parity0!);
    await settle();
    expect(scene.server.requests).toHaveLength(2);
  });

  it('asks at once for what is more than its block has parity for', async () => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendHead(scene);
    for (const { offset, payload } of flowOf(scene).filter(({ offset }) => offset === 30))
      scene.server.sendDatagram(datagram(scene.unreliable.flow!, offset, payload));
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expectRepeat(scene, 0, 30);
  });

  it('asks for the losses of a block as soon as too much of its parity is lost, too', async () => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendHead(scene);
    sendWithout(scene, 0, 10, 80, 70, 100, 110);
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expectRepeat(scene, 0, 20);
    scene.unreliable.send(responses.trailer(80, RTT));
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expect(scene.server.requests[3]!.body).toEqual(scene.unreliable.body.subarray(70));
    for (const request of scene.server.requests.slice(2)) answer(request);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesLost: 0, bytesRecovered: 30, bytesDecoded: 0, bytesParity: 10 });
  });

  it('waits for no parity that the trailer does not speak of', async () => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendHead(scene);
    sendWithout(scene, 40, 100, 110);
    await vi.advanceTimersByTimeAsync(1000);
    expect(scene.server.requests).toHaveLength(2);
    scene.unreliable.send(responses.trailer(80, RTT, 20));
    await settle();
    expectRepeat(scene, 40, 50);
  });

  it.each<[string, string | undefined]>([
    ['no', undefined],
    ['another', '(2);block=4;symbol=20'],
  ])('takes none, and waits for none, where the server repeats %s field', async (_what, echo) => {
    const scene = await startCoded();
    answer(scene.reliable);
    scene.unreliable.send(responses.unreliable(80, scene.unreliable.flow!, echo));
    await settle();
    sendWithout(scene, 10);
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expectRepeat(scene, 10, 20);
    answer(scene.server.requests[2]!);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesDecoded: 0, bytesParity: 0, bytesRecovered: 10 });
  });

  it('keeps parity that comes before the head of its response', async () => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendWithout(scene, 10, 60);
    await vi.advanceTimersByTimeAsync(1000);
    expect(scene.download.progress().bytesUnreliable).toBe(60);
    sendHead(scene);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesDecoded: 20, bytesRepeated: 0 });
  });

  it('ends without the parity of a block that a deadline cut', async () => {
    const scene = await startCoded({ recovery: false });
    answer(scene.reliable);
    sendHead(scene);
    sendWithout(scene, 20, 40, 60, 70, 80, 90, 100, 110);
    await settle();
    scene.unreliable.send(responses.trailer(60, RTT));
    expect(await isSettled(scene.download.result)).toBe(false);
    await vi.advanceTimersByTimeAsync(RTT);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 40, bytesLost: 20, bytesUnsent: 20 });
    expect(delivered.failure).toBeUndefined();
  });

  it('codes range by range where no symbol size is asked for', async () => {
    const byRange: Parity = { amounts: [1], block: 3, always: true };
    const scene = await startCoded({ parity: byRange });
    expect(scene.unreliable.parity).toBe('(1);block=3;always');
    answer(scene.reliable);
    sendHead(scene, scene.unreliable.parity);
    // Frames of 30 and 50 bytes: symbols of 10 and 17.
    for (const { offset, payload } of datagramsOf(scene.unreliable.body, [30, 50], byRange)) {
      if (offset === 10 || offset === 64) continue;
      scene.server.sendDatagram(datagram(scene.unreliable.flow!, offset, payload));
    }
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesDecoded: 26, bytesParity: 27, bytesRepeated: 0 });
  });

  it('takes several parity symbols in one datagram', async () => {
    const byRange: Parity = { amounts: [2], block: 3 };
    const scene = await startCoded({ parity: byRange, unreliableBytes: 30 });
    answer(scene.reliable);
    scene.unreliable.send(responses.unreliable(30, scene.unreliable.flow!, scene.unreliable.parity));
    const [first, , , ...rest] = datagramsOf(scene.unreliable.body, [30], byRange);
    const both = Uint8Array.from(rest.flatMap(({ payload }) => [...payload]));
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, 0, first!.payload));
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, 30, both));
    const delivered = await scene.download.result;
    expectSound(delivered, map, 30);
    expect(delivered).toMatchObject({ bytesDecoded: 20, bytesParity: 20 });
  });

  it.each([
    ['not at the start of a symbol', 81, 10],
    ['a part of a symbol', 80, 9],
    ['more than a symbol, and less than two', 80, 15],
    ['beyond the parity', 120, 10],
    ['of two blocks', 90, 20],
    ['over the end of the body', 75, 10],
    ['empty', 80, 0],
  ])('ignores a datagram that is %s', async (_what, offset, length) => {
    const scene = await startCoded();
    answer(scene.reliable);
    sendHead(scene);
    scene.server.sendDatagram(datagram(scene.unreliable.flow!, offset, new Uint8Array(length).fill(9)));
    await settle();
    sendWithout(scene, 20, 30);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesDecoded: 20, bytesRepeated: 0 });
  });
});
