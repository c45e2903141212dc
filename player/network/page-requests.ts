import { withCmcdOfSession, withoutCmcdOfRequest } from './cmcd.js';
import type { RangeRequest } from './range-stream.js';

/**
 * Gives the plugin's own requests what the page gives the player's: header fields, cookies, and parameters of the address, such as a
 * token; of CMCD what speaks of the session. They go to the origins of the player's own requests, and to the hosts that the page names.
 */
export class PageRequests {
  /** The last of the player's to each origin. */
  readonly #learned = new Map<string, RangeRequest>();
  #lastForMedia: RangeRequest | undefined;

  /** `headerHosts`: hosts that get what the last request for media had. */
  constructor(private readonly headerHosts: readonly string[]) {}

  /** The player has sent that, as the page has it. */
  learn(request: RangeRequest, what: 'manifest' | 'media'): void {
    if (what === 'media') this.#lastForMedia = request;
    this.#learned.set(new URL(request.url, location.href).origin, request);
  }

  /** The browser's `fetch`, for an absolute URL; fields of `init` go before those of the page. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => {
    const { origin, hostname } = new URL(url);
    const known = this.#learned.get(origin) ?? (this.headerHosts.includes(hostname) ? this.#lastForMedia : undefined);
    if (!known) return fetch(url, init);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(withoutCmcdOfRequest(known.headers))) {
      if (!/^range$/i.test(name)) headers.set(name, value);
    }
    const credentials = known.credentials === 'include' ? known.credentials : 'same-origin';
    return fetch(withQueryOf(url, withCmcdOfSession(known.url)), { ...init, headers, credentials });
  };
}

/** That URL with those parameters of the other that it has none of. */
function withQueryOf(url: string, other: string): string {
  const named = new Set(parametersOf(url).map(nameOf));
  const more = parametersOf(other).filter((parameter) => !named.has(nameOf(parameter)));
  return more.reduce((longer, parameter) => `${longer}${longer.includes('?') ? '&' : '?'}${parameter}`, url);
}

function parametersOf(url: string): string[] {
  const { search } = new URL(url, location.href);
  return search ? search.slice(1).split('&') : [];
}

const nameOf = (parameter: string): string => parameter.split('=', 1)[0]!;
