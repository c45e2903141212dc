import { VoxelError } from './errors.js';
import type { PageMessage, WorkerMessage } from './messages.js';

/** The program of the worker; the package's build puts it in. Without it, as in tests, there is no worker. */
declare const VOXEL_WORKER_SOURCE: string | undefined;

/** URLs of the files with those parts of the worker's program that are loaded when they are needed; the package's build puts it in. */
declare const VOXEL_PART_URLS: (() => Readonly<Record<string, string>>) | undefined;

/** What of a `Worker` is used. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<WorkerMessage>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: PageMessage, transfer?: Transferable[]): void;
  terminate(): void;
}

/** Milliseconds for a worker to start. */
const START_TIMEOUT = 2_000;

/** What could not be started: the page's policy does not change while it lives, and a missing file stays away. */
const refused = new Set<string | undefined>();

/**
 * Starts the worker from the URL of its file, or else from a Blob URL. Rejects with `VoxelError`: `unsupported` where the page's
 * content security policy forbids it, the file does not load or there are no workers, `session-failed` when it does not start in time.
 */
export async function startWorker(workerUrl?: string): Promise<WorkerLike> {
  if (refused.has(workerUrl) || typeof VOXEL_WORKER_SOURCE !== 'string' || typeof Worker === 'undefined')
    throw refusal(workerUrl);
  if (workerUrl !== undefined) return waitForStart(workerUrl, workerUrl);
  const url = URL.createObjectURL(new Blob([partsOf(), VOXEL_WORKER_SOURCE], { type: 'text/javascript' }));
  try {
    return await waitForStart(url, undefined);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Tells the program where its parts are: a script from a Blob URL has no place that they could be beside. */
const partsOf = (): string =>
  typeof VOXEL_PART_URLS === 'function' ? `self.VOXEL_PARTS=${JSON.stringify(VOXEL_PART_URLS())};` : '';

/** Starts a worker as `startWorker` does; where that fails, `withoutWorker` runs the worker's program on the page. */
export async function startWorkerOr(
  withoutWorker: (() => WorkerLike) | undefined,
  workerUrl?: string,
): Promise<{ readonly worker: WorkerLike; readonly thread: 'worker' | 'page' }> {
  try {
    return { worker: await startWorker(workerUrl), thread: 'worker' };
  } catch (error) {
    if (!withoutWorker) throw error;
    return { worker: withoutWorker(), thread: 'page' };
  }
}

/** A worker that is not allowed throws, or says so with an error event. The first message of one that runs is `started`. */
function waitForStart(url: string, workerUrl: string | undefined): Promise<WorkerLike> {
  return new Promise<WorkerLike>((resolve, reject) => {
    const worker = new Worker(trusted(url));
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
      fail(refusal(workerUrl));
    };
  }).catch((error: unknown) => {
    throw error instanceof VoxelError ? error : refusal(workerUrl, error);
  });
}

/** What of the Trusted Types API is used; TypeScript has no types for it. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** The URL as a page with `require-trusted-types-for 'script'` wants it; as it is where the page has no such policy, or allows none. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    policy ??= trustedTypes?.createPolicy('voxel-dash', { createScriptURL: (url) => url });
  } catch {
    // A page that requires trusted URLs refuses this one.
  }
  return policy?.createScriptURL(url) ?? url;
}

function refusal(workerUrl: string | undefined, cause?: unknown): VoxelError {
  refused.add(workerUrl);
  return new VoxelError(
    'unsupported',
    workerUrl === undefined
      ? "the page's content security policy must allow a worker from a blob: URL (worker-src blob:; trusted-types voxel-dash), or workerUrl must name its file"
      : `the worker cannot be loaded from ${workerUrl}, which must be a file of the page's origin that its content security policy allows`,
    { cause },
  );
}
