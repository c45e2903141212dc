import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connect } from './connect.js';
import type { VoxelSession } from './types.js';

const endpoint = { url: 'https://media.example/voxel', certificateHashes: [] };

beforeEach(() => {
  vi.stubGlobal('navigator', { vendor: 'Google Inc.' });
  vi.stubGlobal('WebTransport', vi.fn());
});

afterEach(() => vi.unstubAllGlobals());

it('says what the page lacks where there can be no worker', async () => {
  const connecting = connect(Promise.resolve(endpoint));
  await expect(connecting).rejects.toMatchObject({ code: 'unsupported' });
  await expect(connecting).rejects.toThrow('worker-src');
});

it('takes the other way where there can be no worker', async () => {
  const session = {} as VoxelSession;
  const withoutWorker = vi.fn(() => Promise.resolve(session));
  expect(await connect(Promise.resolve(endpoint), withoutWorker)).toBe(session);
  expect(withoutWorker).toHaveBeenCalledExactlyOnceWith(endpoint);
});

it('has no session where there is no server, whatever the workers', async () => {
  const withoutWorker = vi.fn(() => Promise.reject(new Error('asked')));
  await expect(connect(Promise.reject(new Error('no server')), withoutWorker)).rejects.toThrow('no server');
  expect(withoutWorker).not.toHaveBeenCalled();
});
