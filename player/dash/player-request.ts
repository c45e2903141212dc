import type { PlayerRequest } from '../segments/requested-segment.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';

/** As a server would have answered. */
export const PARTIAL = { status: 206, statusText: 'Partial Content', headers: {} } as const;

/** dash.js' request of its loader, as the parts that work with any player know it. `earlyAt`: when it was asked for ahead of dash.js. */
export function playerRequest(
  request: LoaderRequest,
  response: LoaderResponse,
  parentLoad: Load,
  earlyAt?: () => number | undefined,
): PlayerRequest {
  const { customData } = request;
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
      const { onloadend } = customData;
      if (onLoaded) {
        customData.onloadend = () => {
          onLoaded(response.data);
          onloadend?.();
        };
      }
      return parentLoad(request, response);
    },
  };
}
