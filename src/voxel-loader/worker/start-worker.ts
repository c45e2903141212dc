/** The program of the worker; the package's build puts it in. Without it, as in tests, there is no worker. */
declare const VOXEL_WORKER_SOURCE: string | undefined;

/** What of a `Worker` is used. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onerror' | 'onmessageerror'>;

/** Milliseconds for a worker to start. */
const START_TIMEOUT = 2_000;

/** The page's policy does not change while it lives. */
let isForbidden = false;

/**
 * Starts the session's worker from a Blob URL. Resolves with undefined where that cannot be: the page's content security
 * policy forbids it (`worker-src blob:`), or there are no workers.
 */
export async function startWorker(): Promise<WorkerLike | undefined> {
  if (isForbidden || typeof VOXEL_WORKER_SOURCE !== 'string' || typeof Worker === 'undefined') return undefined;
  const url = URL.createObjectURL(new Blob([VOXEL_WORKER_SOURCE], { type: 'text/javascript' }));
  const worker = await waitForStart(url);
  URL.revokeObjectURL(url);
  isForbidden = worker === undefined;
  return worker;
}

/** A worker that is not allowed throws, or says so with an error event. The first message of one that runs is `started`. */
function waitForStart(url: string): Promise<WorkerLike | undefined> {
  return new Promise((resolve) => {
    let worker: WorkerLike;
    try {
      worker = new Worker(url);
    } catch {
      resolve(undefined);
      return;
    }
    const give = (started: WorkerLike | undefined): void => {
      clearTimeout(timer);
      if (!started) worker.terminate();
      resolve(started);
    };
    const timer = setTimeout(() => give(undefined), START_TIMEOUT);
    worker.onmessage = () => give(worker);
    worker.onerror = () => give(undefined);
  });
}
