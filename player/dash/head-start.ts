import { readRange, type ByteRange } from '../../src/manifest/byte-range.js';
import { MAX_SEGMENT_BYTES } from '../../src/manifest/limits.js';
import { streamRange } from '../network/range-stream.js';
import type { SessionManager } from '../network/session-manager.js';
import { ArrivedBytes, type ArrivingBody } from '../port/arriving-body.js';
import { withCmcdOfSession, withoutCmcd, withoutCmcdOfRequest } from '../network/cmcd.js';
import type { BufferedVideo } from './buffered-video.js';
import type { FragmentRequest, Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import { onAbort } from './player-request.js';
import { keyOf } from './presentation.js';

/** Seconds: what would take longer is asked for over the session, where a first segment may end early. */
const LONGEST = 1;

interface Running extends ArrivingBody {
  readonly fragment: FragmentRequest;
  readonly url: string;
  readonly ended: Promise<Response>;
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
    const running = ask(fragment, { start, end }, initialization);
    this.#running = running;
    running.ended.catch(() => {
      if (this.#running === running) this.#running = undefined;
    });
  }

  /** What comes of that segment: dash.js has asked for it, and whoever takes it answers. Undefined: it was not asked for, or that has failed. */
  take(request: LoaderRequest): ArrivingBody | undefined {
    const running = this.startedAt(request) === undefined ? undefined : this.#running;
    if (running) this.#running = undefined;
    return running;
  }

  /** Takes the place of dash.js' loader: hands that segment over as it comes; where it does not come, that loader is asked. */
  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): void {
    const running = this.take(request) as Running | undefined;
    if (!running) return parentLoad(request, response);
    const { bytes } = running;
    const { customData } = request;
    let isAborted = false;
    onAbort(request, () => {
      isAborted = true;
      running.cancel();
    });
    running.follow(() =>
      customData.onprogress?.({ loaded: running.loaded, total: bytes.length, lengthComputable: true }),
    );
    running.ended.then(
      ({ url, status, statusText, headers }) => {
        if (isAborted) return;
        Object.assign(response, { url, status, statusText, headers: Object.fromEntries(headers), data: bytes.buffer });
        customData.onloadend?.();
      },
      () => isAborted || parentLoad(request, response),
    );
  }

  cancel(): void {
    this.#running?.cancel();
    this.#running = undefined;
  }
}

/** Asks for that range of the initialization segment's file. */
function ask(
  fragment: FragmentRequest,
  range: ByteRange,
  { url, headers, credentials, timeout }: LoaderRequest,
): Running {
  const cancel = new AbortController();
  const arrived = new ArrivedBytes(range.end - range.start);
  const signal = timeout > 0 ? AbortSignal.any([cancel.signal, AbortSignal.timeout(timeout)]) : cancel.signal;
  const request = { url: withCmcdOfSession(url), headers: withoutCmcdOfRequest(headers), credentials };
  const onBytes = (position: number, part: Uint8Array): void => arrived.add(position - range.start, part);
  const ended = streamRange(request, range, { signal, onBytes });
  return Object.assign(arrived, { fragment, url: withoutCmcd(url), ended, cancel: () => cancel.abort() });
}
