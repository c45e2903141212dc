import { readRange } from '../../src/manifest/byte-range.js';
import { MAX_SEGMENT_BYTES } from '../../src/manifest/limits.js';
import { piecesOf } from '../../src/voxel-loader/index.js';
import { withoutCmcd, withoutCmcdOfRequest } from '../segments/fetch/cmcd.js';
import type { SessionManager } from '../network/session-manager.js';
import type { BufferedVideo } from './buffered-video.js';
import type { FragmentRequest, Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import { onAbort } from './player-request.js';
import { keyOf } from './presentation.js';

/** Seconds: what would take longer is asked for over the session, where a first segment may end early. */
const LONGEST = 1;

interface Running {
  readonly fragment: FragmentRequest;
  readonly url: string;
  /** Milliseconds on the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly cancel: AbortController;
  readonly bytes: Uint8Array<ArrayBuffer>;
  onProgress: (loaded: number) => void;
  /** Undefined: it has failed. */
  result: Promise<Response | undefined>;
}

/**
 * Asks for the first segment beside its initialization segment, as dash.js would ask a round trip later. Over HTTP: where that
 * is of use the session is not open yet, as to find the server and shake hands takes two round trips more than the manifest.
 * Only of files of many segments: the name of another file dash.js alone can tell.
 */
export class HeadStart {
  #running: Running | undefined;

  /** `rate`: bits/s that the link has shown so far; infinite: not known, or the segment is wanted whole anyway. */
  constructor(
    private readonly sessions: Pick<SessionManager, 'isOpening'>,
    private readonly video: Pick<BufferedVideo, 'nextRequest' | 'startsIn'>,
    private readonly rate: () => number,
  ) {}

  /** True until dash.js has asked for that segment. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** When that segment was asked for; undefined: it was not, or that has failed. */
  startedAt({ url, customData: { request } }: LoaderRequest): number | undefined {
    const { fragment, url: own, startedAt } = this.#running ?? {};
    const isSame = fragment?.index === request.index && fragment.range === request.range && own === withoutCmcd(url);
    return isSame && keyOf(fragment.representation!) === keyOf(request.representation!) ? startedAt : undefined;
  }

  /** dash.js has asked for that segment: any other is not wanted any more. */
  keepFor(request: LoaderRequest): void {
    if (this.startedAt(request) === undefined) this.cancel();
  }

  /** dash.js has asked for that initialization segment. */
  begin(initialization: LoaderRequest): void {
    const { representation, url: fragmentUrl } = initialization.customData.request;
    const fragment = this.video.nextRequest;
    this.cancel();
    if (!this.sessions.isOpening || !fragment?.range || !this.video.startsIn(fragment)) return;
    if (fragment.url !== fragmentUrl || keyOf(fragment.representation!) !== keyOf(representation!)) return;
    const { start, end } = readRange(fragment.range);
    const length = end - start;
    if (!(length > 0 && length <= MAX_SEGMENT_BYTES) || 8 * length > LONGEST * this.rate()) return;
    const running: Running = {
      fragment,
      url: withoutCmcd(initialization.url),
      startedAt: performance.now(),
      cancel: new AbortController(),
      bytes: new Uint8Array(length),
      onProgress: () => undefined,
      result: Promise.resolve(undefined),
    };
    this.#running = running;
    running.result = receive(running, initialization).catch(() => {
      if (this.#running === running) this.#running = undefined;
      return undefined;
    });
  }

  /** Takes the place of dash.js' loader: hands that segment over as it comes; where it does not come, that loader is asked. */
  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): void {
    if (this.startedAt(request) === undefined) return parentLoad(request, response);
    const running = this.#running!;
    const { bytes, cancel } = running;
    const { customData } = request;
    this.#running = undefined;
    onAbort(request, () => cancel.abort());
    running.onProgress = (loaded) => customData.onprogress?.({ loaded, total: bytes.length, lengthComputable: true });
    void running.result.then((sent) => {
      if (cancel.signal.aborted) return;
      if (!sent) return parentLoad(request, response);
      const { url, status, statusText, headers } = sent;
      Object.assign(response, { url, status, statusText, headers: Object.fromEntries(headers), data: bytes.buffer });
      customData.onloadend?.();
    });
  }

  cancel(): void {
    this.#running?.cancel.abort();
    this.#running = undefined;
  }
}

/** Rejects unless all of the range comes, and nothing else. */
async function receive(running: Running, { headers, credentials, timeout }: LoaderRequest): Promise<Response> {
  const { fragment, url, cancel, bytes } = running;
  const sent = await fetch(url, {
    headers: { ...withoutCmcdOfRequest(headers), Range: `bytes=${fragment.range}` },
    credentials: credentials === 'include' ? 'include' : 'same-origin',
    // Chromium's cache has one request for a file wait for the answer to another: that for the initialization segment.
    cache: 'no-store',
    signal: timeout > 0 ? AbortSignal.any([cancel.signal, AbortSignal.timeout(timeout)]) : cancel.signal,
  });
  const reader = sent.body!.getReader();
  // Other origins have to let pages read it.
  const range = sent.headers.get('content-range') ?? `bytes ${fragment.range}/`;
  const isAsked = sent.status === 206 && range.startsWith(`bytes ${fragment.range}/`);
  let loaded = 0;
  try {
    for await (const piece of piecesOf(reader)) {
      if (!isAsked) break;
      // Throws where there is more than was asked for.
      bytes.set(piece, loaded);
      loaded += piece.length;
      running.onProgress(loaded);
    }
    if (loaded === bytes.length) return sent;
    throw new RangeError('not the range that was asked for');
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}
