import type { DashPlayer, LoaderResponse, ResponseInterceptor } from './dash-types.js';

/** Listens to a player's events, and to what it has loaded before it looks at it, until the function that is returned is called. */
export function listen(
  player: DashPlayer,
  listeners: Readonly<Record<string, (event: unknown) => void>>,
  onResponse: (response: LoaderResponse) => void,
): () => void {
  const all = Object.entries(listeners);
  const interceptor: ResponseInterceptor = (response) => {
    onResponse(response as LoaderResponse);
    return Promise.resolve(response);
  };
  for (const [type, listener] of all) player.on(type, listener);
  player.addResponseInterceptor(interceptor);
  return () => {
    for (const [type, listener] of all) player.off(type, listener);
    player.removeResponseInterceptor(interceptor);
  };
}
