import { VoxelError } from './errors.js';
import type { PageMessage, WorkerMessage } from './messages.js';

/** The program of the worker; the package's build puts it in. Without it, as in tests, there is no worker. */
declare const VOXEL_WORKER_SOURCE: string | undefined;

/** What of a `Worker` is used. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<WorkerMessage>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: PageMessage): void;
  terminate(): void;
}

/** Milliseconds for a worker to start. */
const START_TIMEOUT = 2_000;

/** The page's policy does not change while it lives. */
let isForbidden = false;

/**
 * Starts the worker from a Blob URL. Rejects with `VoxelError`: `unsupported` where the page's content security
 * policy forbids it (`worker-src blob:`) or there are no workers, `session-failed` when it does not start in time.
 */
export async function startWorker(): Promise<WorkerLike> {
  if (isForbidden || typeof VOXEL_WORKER_SOURCE !== 'string' || typeof Worker === 'undefined') throw forbidden();
  const url = URL.createObjectURL(new Blob([VOXEL_WORKER_SOURCE], { type: 'text/javascript' }));
  try {
    return await waitForStart(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A worker that is not allowed throws, or says so with an error event. The first message of one that runs is `started`. */
function waitForStart(url: string): Promise<WorkerLike> {
  return new Promise<WorkerLike>((resolve, reject) => {
    const worker = new Worker(url);
    const fail = (error: VoxelError): void => {
      worker.terminate();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new VoxelError('session-failed', `the worker did not start within ${START_TIMEOUT / 1000} s`)),
      START_TIMEOUT,
    );
    worker.onmessage = () => {
      clearTimeout(timer);
      resolve(worker);
    };
    worker.onerror = () => {
      clearTimeout(timer);
      fail(forbidden());
    };
  }).catch((error: unknown) => {
    throw error instanceof VoxelError ? error : forbidden();
  });
}

function forbidden(): VoxelError {
  isForbidden = true;
  return new VoxelError(
    'unsupported',
    "the page's content security policy must allow a worker from a blob: URL (worker-src blob:)",
  );
}
