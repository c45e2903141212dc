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
  type Scene,
} from '../../../test/unit/download-scene.js';
import { responses } from '../../../test/unit/fake-voxel-server.js';
import { STALL_TIMEOUT_MS } from './segment-download.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a failing reliable part', () => {
  it.each<[string, object, (scene: Scene) => void]>([
    ['an error status', { code: 'status', status: 404 }, ({ reliable }) => reliable.send(responses.error(404))],
    ['no access', { code: 'unauthorized', status: 401 }, ({ reliable }) => reliable.send(responses.error(401))],
    ['the whole file', { code: 'status', status: 200 }, ({ reliable }) => reliable.send(responses.error(200))],
    ['another length', { code: 'bad-response' }, ({ reliable }) => reliable.send(responses.reliable(14))],
    ['no HTTP', { code: 'bad-response' }, ({ reliable }) => reliable.send('SSH-2.0-OpenSSH\r\n')],
    [
      'a flow for a reliable request',
      { code: 'bad-response' },
      ({ reliable }) => reliable.send(responses.unreliable(15, 0)),
    ],
    [
      'a stream that ends early',
      { code: 'incomplete' },
      ({ reliable }) => {
        answer(reliable, reliable.body.subarray(0, 9));
        reliable.finish();
      },
    ],
    [
      'a body without a length that ends early',
      { code: 'incomplete' },
      ({ reliable }) => {
        reliable.send('HTTP/1.1 206 OK\r\n\r\nabc');
        reliable.finish();
      },
    ],
    [
      'too many bytes',
      { code: 'bad-response' },
      ({ reliable }) => {
        reliable.send('HTTP/1.1 206 OK\r\n\r\n');
        reliable.send(new Uint8Array(16));
      },
    ],
    ['a reset', { code: 'incomplete' }, ({ reliable }) => reliable.reset()],
    ['a closed session', { code: 'session-closed', fatal: true }, ({ server }) => server.closeSession('draining')],
    ['a broken session', { code: 'session-closed', fatal: true }, ({ server }) => server.breakSession()],
  ])('rejects, and stops the other: %s', async (_what, error, misbehave) => {
    const scene = await start();
    misbehave(scene);
    await expect(scene.download.result).rejects.toMatchObject({ name: 'VoxelError', ...error });
    await settle();
    if (!('fatal' in error)) expect(scene.unreliable.cancelled).toBe(true);
  });

  it('rejects what cannot be sent', async () => {
    const { server, download } = await start({ headers: { 'cmcd-request': 'a\r\nb: c' } });
    await expect(download.result).rejects.toMatchObject({ code: 'bad-request' });
    expect(server.requests).toHaveLength(0);
  });

  it('rejects when nothing arrives for too long, though not before', async () => {
    const { download, reliable } = await start();
    await vi.advanceTimersByTimeAsync(STALL_TIMEOUT_MS - 1);
    answer(reliable, reliable.body.subarray(0, 1));
    await vi.advanceTimersByTimeAsync(STALL_TIMEOUT_MS - 1);
    expect(await isSettled(download.result)).toBe(false);
    const failure = expect(download.result).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(1);
    await failure;
  });
});

describe('a failing unreliable part', () => {
  it.each<[string, object, (scene: Scene) => void]>([
    ['an error status', { code: 'status', status: 503 }, ({ unreliable }) => unreliable.send(responses.error(503))],
    [
      'another flow',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(responses.unreliable(80, unreliable.flow! + 1)),
    ],
    [
      'another length',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(responses.unreliable(81, unreliable.flow!)),
    ],
    [
      'a body where there is to be none',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(`${responses.unreliable(80, unreliable.flow!)}2\r\nab\r\n`),
    ],
    [
      'more sent than asked for',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(responses.unreliable(80, unreliable.flow!) + responses.trailer(81, RTT)),
    ],
    [
      'no trailer',
      { code: 'bad-response' },
      ({ unreliable }) => unreliable.send(`${responses.unreliable(80, unreliable.flow!)}0\r\n\r\n`),
    ],
    ['a reset', { code: 'incomplete' }, ({ unreliable }) => unreliable.reset()],
    ['a broken session', { code: 'session-closed' }, ({ server }) => server.breakSession()],
  ])('ends the download with what is here: %s', async (_what, error, misbehave) => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 20);
    sendDatagram(scene, 30, 40);
    await settle();
    misbehave(scene);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 30, bytesLost: 10, bytesUnsent: 40 });
    expect(delivered.failure).toMatchObject(error);
  });

  it('is no failure of the segment on a common stream either', async () => {
    const { download, reliable } = await start({ delivery: 'streams' });
    answer(reliable, reliable.body.subarray(0, 40));
    await settle();
    reliable.reset();
    const delivered = await download.result;
    expectSound(delivered, map, 80);
    expect(delivered).toMatchObject({ bytesUnreliable: 25, bytesLost: 0, bytesUnsent: 55 });
    expect(delivered.failure).toMatchObject({ code: 'incomplete' });
  });

  it('does not end the download while reliable bytes are missing', async () => {
    const scene = await start();
    scene.unreliable.send(responses.error(503));
    expect(await isSettled(scene.download.result)).toBe(false);
    answer(scene.reliable);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered.failure).toMatchObject({ code: 'status', status: 503 });
  });

  it('ends the download with what is here when nothing more arrives', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 20);
    await vi.advanceTimersByTimeAsync(STALL_TIMEOUT_MS);
    const delivered = await scene.download.result;
    expectSound(delivered, map, 80);
    expect(delivered.failure).toMatchObject({ code: 'timeout' });
  });
});
