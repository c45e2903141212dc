import { browserFacts, reasonAgainst } from './browser-support.js';
import { VoxelError } from './errors.js';
import { downloadSegment } from './segment-download.js';
import { openSession } from './session.js';
import type { VoxelTransport } from './transport.js';
import type { Endpoint, SegmentDownload, SegmentRequest, VoxelSession } from './types.js';
import { startWorker } from './worker/start-worker.js';
import { openWorkerSession } from './worker/worker-session.js';

/**
 * Opens a session in a worker, or on the page's thread where there can be no worker, with the server that `located` says.
 * The worker starts meanwhile. Rejects as `located` does, or with `VoxelError` code `unsupported` or `session-failed`.
 */
export async function connect(located: Promise<Endpoint>): Promise<VoxelSession> {
  const reason = reasonAgainst(browserFacts());
  if (reason !== undefined) throw new VoxelError('unsupported', reason);
  // A worker takes milliseconds to make: first goes out what else the page asks for now, such as the MPD.
  const working = Promise.resolve().then(startWorker);
  const [endpoint, worker] = await Promise.allSettled([located, working]);
  const started = worker.status === 'fulfilled' ? worker.value : undefined;
  if (endpoint.status === 'rejected') {
    started?.terminate();
    throw endpoint.reason;
  }
  return started ? openWorkerSession(started, endpoint.value) : new PageSession(await openSession(endpoint.value));
}

/** A session on the page's own thread. */
export class PageSession implements VoxelSession {
  readonly thread = 'page';
  readonly closed: Promise<VoxelError>;
  readonly #transport: VoxelTransport;

  constructor(transport: VoxelTransport) {
    this.#transport = transport;
    this.closed = transport.closed;
  }

  download(request: SegmentRequest): SegmentDownload {
    return downloadSegment(this.#transport, request);
  }

  close(): void {
    this.#transport.close();
  }
}
