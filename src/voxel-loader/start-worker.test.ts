import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { startWorker } from './start-worker.js';

/** What each worker was made with. */
let started: unknown[];
let start: typeof startWorker;

function stubWorker(outcome: 'onmessage' | 'onerror'): void {
  vi.stubGlobal(
    'Worker',
    class {
      onmessage = (): void => undefined;
      onerror = (): void => undefined;
      constructor(url: unknown) {
        started.push(url);
        queueMicrotask(() => this[outcome]());
      }
      terminate(): void {}
    },
  );
}

beforeEach(async () => {
  started = [];
  vi.stubGlobal('VOXEL_WORKER_SOURCE', '');
  vi.resetModules();
  ({ startWorker: start } = await import('./start-worker.js'));
});

afterEach(() => vi.unstubAllGlobals());

it('starts the worker from its file, or else from a Blob URL', async () => {
  stubWorker('onmessage');
  await start('/voxel-worker.js');
  await start();
  expect(started).toEqual(['/voxel-worker.js', expect.stringMatching(/^blob:/)]);
});

it('says which file did not load, and does not try it again', async () => {
  stubWorker('onerror');
  for (let attempt = 0; attempt < 2; attempt++) {
    const starting = start('/missing.js');
    await expect(starting).rejects.toMatchObject({ code: 'unsupported' });
    await expect(starting).rejects.toThrow('/missing.js');
  }
  expect(started).toEqual(['/missing.js']);
});

it('makes one policy for pages with Trusted Types', async () => {
  stubWorker('onmessage');
  const createScriptURL = vi.fn((url: string) => `trusted ${url}`);
  const createPolicy = vi.fn(() => ({ createScriptURL }));
  vi.stubGlobal('trustedTypes', { createPolicy });
  await start('/a.js');
  await start('/b.js');
  expect(started).toEqual(['trusted /a.js', 'trusted /b.js']);
  expect(createPolicy.mock.calls).toEqual([['voxel-dash', expect.anything()]]);
});

it('leaves it to the browser where the page does not allow that policy', async () => {
  stubWorker('onmessage');
  vi.stubGlobal('trustedTypes', {
    createPolicy: () => {
      throw new TypeError('Policy "voxel-dash" disallowed');
    },
  });
  await start('/a.js');
  expect(started).toEqual(['/a.js']);
});
