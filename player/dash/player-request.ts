import type { PlayerRequest } from '../port/player-request.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';

/** The answer that a server would have given. */
export const PARTIAL = { status: 206, statusText: 'Partial Content', headers: {} } as const;

/** What dash.js' own loader has of a request: it keeps the handlers that it finds when it is asked. */
interface OwnLoad {
  loaded: number;
  readonly handlers: Pick<LoaderRequest['customData'], 'onloadend' | 'onprogress' | 'onabort'>;
}

/** dash.js' request of its loader, as the parts that work with any player know it. `earlyAt`: when it was asked for ahead of dash.js. */
export function playerRequest(
  request: LoaderRequest,
  response: LoaderResponse,
  parentLoad: Load,
  earlyAt?: () => number | undefined,
): PlayerRequest {
  const { customData } = request;
  /** Undefined: dash.js' own loader is not at work. */
  let own: OwnLoad | undefined;
  return {
    timeout: request.timeout,
    get earlyAt() {
      return earlyAt?.();
    },
    onAbort(abort) {
      customData.abort = () => {
        abort();
        customData.onabort?.();
      };
    },
    progress: (loaded, total) => customData.onprogress?.({ loaded, total, lengthComputable: true }),
    deliver(bytes) {
      Object.assign(response, { ...PARTIAL, url: request.url, data: bytes.buffer });
      customData.onloadend?.();
    },
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
