import { browserFacts, reasonAgainst } from './browser-support.js';
import { VoxelError } from './errors.js';
import type { Endpoint, VoxelSession } from './types.js';
import { startWorker } from './worker/start-worker.js';
import { openWorkerSession } from './worker/worker-session.js';

/** Opens a session with that server. */
export type OpenSession = (endpoint: Endpoint) => Promise<VoxelSession>;

/**
 * Opens a session in a worker with the server that `located` says; the worker starts meanwhile. `withoutWorker` is for
 * pages that can have none. Rejects as `located` does, or with `VoxelError` code `unsupported` or `session-failed`.
 */
export async function connect(located: Promise<Endpoint>, withoutWorker?: OpenSession): Promise<VoxelSession> {
  const reason = reasonAgainst(browserFacts());
  if (reason !== undefined) throw new VoxelError('unsupported', reason);
  // A worker takes milliseconds to make: first goes out what else the page asks for now, such as the MPD.
  const working = Promise.resolve().then(startWorker);
  const [endpoint, worker] = await Promise.allSettled([located, working]);
  if (endpoint.status === 'rejected') {
    if (worker.status === 'fulfilled') worker.value.terminate();
    throw endpoint.reason;
  }
  if (worker.status === 'fulfilled') return openWorkerSession(worker.value, endpoint.value);
  if (withoutWorker) return withoutWorker(endpoint.value);
  throw worker.reason;
}
