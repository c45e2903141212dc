import type { RangeRequest } from '../network/range-stream.js';
import type { Loader, RequestContext } from './hls-types.js';

/**
 * A request as that loader of hls.js would send it: the page's `xhrSetup` or `fetchSetup` has its way with one that is never sent. Rejects
 * where the page's function does.
 */
export async function asThePageHasIt(loader: Loader, context: RequestContext): Promise<RangeRequest> {
  const { url, headers = {} } = context;
  if (loader.xhrSetup) return setUpXhr(loader, context);
  if (!loader.fetchSetup) return { url, headers };
  const init = { method: 'GET', mode: 'cors', credentials: 'same-origin', headers: new Headers(headers) } as const;
  const request = await loader.fetchSetup(context, init);
  return { url: request.url, headers: Object.fromEntries(request.headers), credentials: request.credentials };
}

async function setUpXhr(loader: Loader, context: RequestContext): Promise<RangeRequest> {
  const xhr = new XMLHttpRequest();
  let { url } = context;
  let headers: Record<string, string> = {};
  const open = xhr.open.bind(xhr) as (...of: unknown[]) => void;
  const setRequestHeader = xhr.setRequestHeader.bind(xhr);
  xhr.open = (...of: unknown[]): void => {
    open(...of);
    [url, headers] = [new URL(String(of[1]), location.href).href, {}];
  };
  xhr.setRequestHeader = (name, value): void => {
    setRequestHeader(name, value);
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  };
  const setUp = (): unknown => loader.xhrSetup!(xhr, context.url, context);
  try {
    await setUp();
  } catch {
    // As hls.js does: most of what a page calls needs an open one.
    xhr.open('GET', context.url, true);
    await setUp();
  }
  return {
    url,
    headers: { ...headers, ...context.headers },
    credentials: xhr.withCredentials ? 'include' : 'same-origin',
  };
}
