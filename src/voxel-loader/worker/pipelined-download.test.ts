import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answer, map, sendDatagram, settle, start, startAfter, type Scene } from '../../../test/unit/download-scene.js';
import { responses } from '../../../test/unit/fake-voxel-server.js';
import { STALL_TIMEOUT_MS } from './segment-download.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** All of it comes now. */
async function complete(scene: Scene): Promise<void> {
  answer(scene.reliable);
  sendDatagram(scene, 0, 80);
  await settle();
}

it('names the flow that goes first in every request; one on streams alone has none', async () => {
  const first = await start();
  const next = await startAfter(first);
  const field = `x-voxel-after: ${first.unreliable.flow}\r\n`;
  expect([next.reliable.head.includes(field), next.unreliable.head.includes(field)]).toEqual([true, true]);
  expect(first.unreliable.head).not.toContain('x-voxel-after');

  const onStreams = await start({ delivery: 'streams' });
  expect((await startAfter(onStreams)).unreliable.head).not.toContain('x-voxel-after');
});

it('measures the link from the last byte of what went first', async () => {
  const first = await start();
  await pass(900);
  const next = await startAfter(first);
  next.reliable.send(responses.reliable(15));
  await pass(100);
  expect(next.download.progress().elapsed).toBe(0.1);
  await complete(first);
  await pass(50);
  expect(next.download.progress().elapsed).toBe(0.05);
  next.reliable.send(next.reliable.body);
  await pass(350);
  sendDatagram(next, 0, 80);
  expect(await first.download.result).toMatchObject({ seconds: 1, bytesMeasured: 95 });
  expect(await next.download.result).toMatchObject({ seconds: 0.4, bytesMeasured: 95, timeToFirstByte: 0 });
});

it('leaves out what came before that, from a server that does not wait', async () => {
  const first = await start();
  const next = await startAfter(first);
  await pass(100);
  answer(next.reliable);
  await pass(100);
  await complete(first);
  await pass(200);
  sendDatagram(next, 0, 80);
  expect(await next.download.result).toMatchObject({ seconds: 0.2, bytesMeasured: 80, bytesReliable: 15 });
});

it('is measured from its request while nothing of the other one has come', async () => {
  const first = await start();
  const next = await startAfter(first);
  await pass(100);
  await complete(next);
  expect(await next.download.result).toMatchObject({ seconds: 0.1, bytesMeasured: 95 });
  await pass(100);
  await complete(first);
  expect(await first.download.result).toMatchObject({ seconds: 0.2 });
});

it('measures from its request where the other one was here before', async () => {
  const first = await start();
  await complete(first);
  await pass(500);
  const next = await startAfter(first);
  await pass(300);
  await complete(next);
  expect(await next.download.result).toMatchObject({ seconds: 0.3, timeToFirstByte: 0.3, bytesMeasured: 95 });
});

it('is not stalled while it waits for what goes first', async () => {
  const first = await start();
  const next = await startAfter(first);
  for (let at = 0; at < 80; at += 20) {
    await pass(STALL_TIMEOUT_MS / 2);
    sendDatagram(first, at, at + 20);
  }
  answer(first.reliable);
  await pass(STALL_TIMEOUT_MS - 1);
  await complete(next);
  expect((await next.download.result).bytes).toHaveLength(map.range.end - map.range.start);
});

it('is aborted alone: what went first goes on', async () => {
  const first = await start();
  const next = await startAfter(first);
  next.download.abort();
  await expect(next.download.result).rejects.toMatchObject({ code: 'aborted' });
  await settle();
  expect([next.reliable.cancelled, next.unreliable.cancelled]).toEqual([true, true]);
  await complete(first);
  expect(await first.download.result).toMatchObject({ bytesUnreliable: 80 });
});

it('says the round trip that the server said last, where its own word comes too late', async () => {
  const first = await start();
  first.unreliable.send(responses.unreliable(80, first.unreliable.flow!) + responses.trailer(80, 70));
  await settle();
  await complete(first);
  const next = await startAfter(first);
  await complete(next);
  expect([await first.download.result, await next.download.result]).toMatchObject([{ rtt: 70 }, { rtt: 70 }]);
});
