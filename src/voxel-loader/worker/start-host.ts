import type { PageMessage, WorkerMessage } from '../messages.js';
import { Host, type Abilities } from './host.js';

/** What of `DedicatedWorkerGlobalScope` is used: its types and those of a page exclude each other. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PageMessage>) => void) | null;
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
  close(): void;
}

/** Starts the worker's program. */
export function startHost(abilities: Abilities): void {
  const scope = globalThis as unknown as WorkerScope;
  const host = new Host({
    ...abilities,
    post: (message, transfer) => scope.postMessage(message, transfer),
    exit: () => scope.close(),
  });
  scope.onmessage = ({ data }) => host.receive(data);
}
