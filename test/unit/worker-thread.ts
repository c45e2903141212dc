import { vi } from 'vitest';
import type { PageMessage, WorkerMessage } from '../../src/voxel-loader/messages.js';
import type { WorkerLike } from '../../src/voxel-loader/start-worker.js';
import { createRepairer } from '../../src/repair/index.js';
import { Host } from '../../src/voxel-loader/worker/host.js';
import type { Repairing } from '../../src/voxel-loader/worker/repairers.js';
import { openSession } from '../../src/voxel-loader/worker/session.js';
import type { FakeVoxelServer } from './fake-voxel-server.js';

/** A worker in this thread that reaches that server: messages are cloned and come later, as between threads. */
export function createThread(server: FakeVoxelServer, repair: Repairing = { create: createRepairer }) {
  const exit = vi.fn();
  const terminate = vi.fn();
  const received = vi.fn<(message: PageMessage) => void>();
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    terminate,
    postMessage(message) {
      const copy = structuredClone(message);
      queueMicrotask(() => {
        received(copy);
        host.receive(copy);
      });
    },
  };
  const host = new Host({
    post(message: WorkerMessage, transfer) {
      const event = { data: structuredClone(message, { transfer }) } as MessageEvent<WorkerMessage>;
      queueMicrotask(() => worker.onmessage?.(event));
    },
    exit,
    repair,
    open: (endpoint) => openSession(endpoint, server.WebTransport),
  });
  /** Until every message has arrived. */
  const pending = () => new Promise((resolve) => setTimeout(resolve));
  return { worker, exit, terminate, received, pending };
}
