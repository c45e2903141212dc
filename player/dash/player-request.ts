import type { ArrivingBody } from '../port/arriving-body.js';
import type { PlayerRequest } from '../port/player-request.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';

/** HTTP status of a part of a file. */
export const PARTIAL_CONTENT = 206;

/** Answers dash.js as a server would have. */
export function answer({ url, customData }: LoaderRequest, response: LoaderResponse, data: ArrayBuffer): void {
  Object.assign(response, { status: PARTIAL_CONTENT, statusText: 'Partial Content', headers: {}, url, data });
  customData.onloadend?.();
}

/** Gives dash.js a part of a segment, which it appends; the answer has the rest. It says nothing of the throughput. */
export function handOver({ customData }: LoaderRequest, bytes: Uint8Array<ArrayBuffer>): void {
  customData.onprogress?.({ data: bufferOf(bytes), lengthComputable: false, noTrace: true });
}

/** Answers dash.js as if the network had failed: it tries again. */
export function fail({ customData }: LoaderRequest, response: LoaderResponse): void {
  response.status = 0;
  customData.onloadend?.();
}

/** A buffer with those bytes and nothing else. */
function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return bytes.length === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
}

/** Calls `abort`, and no other any more, when dash.js does not want the answer. */
export function onAbort({ customData }: LoaderRequest, abort: () => void): void {
  customData.abort = () => {
    abort();
    customData.onabort?.();
  };
}

/** What dash.js' own loader has of a request: it keeps the handlers that it finds when it is asked. */
interface OwnLoad {
  loaded: number;
  readonly handlers: Pick<LoaderRequest['customData'], 'onloadend' | 'onprogress' | 'onabort'>;
}

/** What was asked for ahead of dash.js. */
interface AskedEarly {
  startedAt(request: LoaderRequest): number | undefined;
  take(request: LoaderRequest): ArrivingBody | undefined;
}

/** dash.js' request of its loader, as the parts that work with any player know it. */
export function playerRequest(
  request: LoaderRequest,
  response: LoaderResponse,
  parentLoad: Load,
  early?: AskedEarly,
): PlayerRequest {
  const { customData } = request;
  /** Undefined: dash.js' own loader is not at work. */
  let own: OwnLoad | undefined;
  return {
    timeout: request.timeout,
    get earlyAt() {
      return early?.startedAt(request);
    },
    takeEarly: () => early?.take(request),
    onAbort: (abort) => onAbort(request, abort),
    progress: (loaded, total) => customData.onprogress?.({ loaded, total, lengthComputable: true }),
    piece: (bytes) => handOver(request, bytes),
    deliver: (bytes) => answer(request, response, bufferOf(bytes)),
    fail: () => fail(request, response),
    loadOwn(onLoaded) {
      const { onloadend, onprogress, onabort } = customData;
      const started = (own = { loaded: 0, handlers: { onloadend, onprogress, onabort } });
      const isCurrent = (): boolean => own === started;
      customData.onprogress = (progress) => {
        if (!isCurrent()) return;
        if ('loaded' in progress) started.loaded = progress.loaded;
        onprogress?.(progress);
      };
      customData.onloadend = () => {
        if (!isCurrent()) return;
        own = undefined;
        onLoaded?.(response.data);
        onloadend?.();
      };
      customData.onabort = () => {
        if (!isCurrent()) return;
        own = undefined;
        onabort?.();
      };
      parentLoad(request, response);
    },
    ownLoaded: () => own?.loaded,
    takeBack() {
      const handlers = own?.handlers;
      own = undefined;
      customData.abort?.();
      Object.assign(customData, handlers);
    },
  };
}
