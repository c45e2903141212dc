import type { DashPlayer, LoaderResponse, ResponseInterceptor } from './dash-types.js';

/** Calls these listeners for a player's events, by type, and `onResponse` for its responses; the function returned ends that. */
export function listen(
  player: DashPlayer,
  listeners: Readonly<Record<string, (event: never) => void>>,
  onResponse: (response: LoaderResponse) => void,
): () => void {
  const each = (act: 'on' | 'off'): void => {
    for (const [type, listener] of Object.entries(listeners)) player[act](type, listener as (event: unknown) => void);
  };
  const interceptor: ResponseInterceptor = (response) => {
    onResponse(response as LoaderResponse);
    return Promise.resolve(response);
  };
  each('on');
  player.addResponseInterceptor(interceptor);
  return () => {
    each('off');
    player.removeResponseInterceptor(interceptor);
  };
}
