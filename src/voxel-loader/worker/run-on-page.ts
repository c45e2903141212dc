import type { WorkerMessage } from '../messages.js';
import type { WorkerLike } from '../start-worker.js';
import { LiveHost } from './live/live-host.js';
import type { OpenSession } from './session.js';

/** The worker's program on the page's own thread, for pages that may have no worker. `open`: where sessions come from. */
export function runOnPage(open?: OpenSession): WorkerLike {
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (message) => host.receive(message),
    terminate: () => undefined,
  };
  const host = new LiveHost({
    post: (data) => worker.onmessage?.({ data } as MessageEvent<WorkerMessage>),
    exit: () => undefined,
    ...(open && { open }),
  });
  return worker;
}
