import type { PageMessage } from '../messages.js';

/** What of `DedicatedWorkerGlobalScope` is used: its types and those of a page exclude each other. */
interface WorkerScope<Out> {
  onmessage: ((event: MessageEvent<PageMessage>) => void) | null;
  postMessage(message: Out, transfer: Transferable[]): void;
  close(): void;
}

/** What a worker's program is started with. */
interface Surroundings<Out> {
  readonly post: (message: Out, transfer: Transferable[]) => void;
  /** Ends the worker. */
  readonly exit: () => void;
}

/** Starts the worker's program, which may take and send other messages besides. */
export function startHost<Out>(
  create: (surroundings: Surroundings<Out>) => { receive(message: PageMessage): void },
): void {
  const scope = globalThis as unknown as WorkerScope<Out>;
  const host = create({
    post: (message, transfer) => scope.postMessage(message, transfer),
    exit: () => scope.close(),
  });
  scope.onmessage = ({ data }) => host.receive(data);
}
