import type { PageMessage, WorkerMessage } from '../messages.js';
import { Host } from './host.js';
import type { OpenSession } from './session.js';

/** What of `DedicatedWorkerGlobalScope` is used: its types and those of a page exclude each other. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PageMessage>) => void) | null;
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
  close(): void;
}

/** Starts the worker's program. `open`: where sessions come from. */
export function startHost(open?: OpenSession): void {
  const scope = globalThis as unknown as WorkerScope;
  const host = new Host({
    post: (message, transfer) => scope.postMessage(message, transfer),
    exit: () => scope.close(),
    ...(open && { open }),
  });
  scope.onmessage = ({ data }) => host.receive(data);
}
