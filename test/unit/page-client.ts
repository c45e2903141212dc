import { WorkerClient } from '../../src/voxel-loader/worker-client.js';
import { createRepairer } from '../../src/repair/index.js';
import { runOnPage } from '../../src/voxel-loader/worker/run-on-page.js';
import { openSession } from '../../src/voxel-loader/worker/session.js';
import type { VoxelSession } from '../../src/voxel-loader/types.js';
import type { FakeVoxelServer } from './fake-voxel-server.js';

/** The page's end of a worker's program that runs in this thread and reaches that server. */
export function createPageClient(server: FakeVoxelServer): WorkerClient {
  return new WorkerClient({
    worker: runOnPage({
      repair: { create: createRepairer },
      open: (endpoint) => openSession(endpoint, server.WebTransport),
    }),
    thread: 'page',
    onInitialized: () => {},
    onFailed: () => {},
  });
}

export function openPageSession(server: FakeVoxelServer, url = 'https://media.example/voxel'): Promise<VoxelSession> {
  return createPageClient(server).open({ url, certificateHashes: [] });
}
