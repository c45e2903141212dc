import type { WorkerMessage } from '../messages.js';
import type { WorkerLike } from '../start-worker.js';
import { Host, type Abilities } from './host.js';

/** The worker's program on the page's own thread, for pages that may have no worker. */
export function runOnPage(abilities: Abilities): WorkerLike {
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (message) => host.receive(message),
    terminate: () => undefined,
  };
  const host = new Host({
    ...abilities,
    post: (data) => worker.onmessage?.({ data } as MessageEvent<WorkerMessage>),
    exit: () => undefined,
  });
  return worker;
}
