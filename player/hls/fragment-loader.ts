import type { RangeRequest } from '../network/range-stream.js';
import type { PlayerRequest } from '../port/player-request.js';
import type {
  HlsConfig,
  Loader,
  LoaderCallbacks,
  LoaderClass,
  LoaderConfiguration,
  LoaderContext,
  LoaderStats,
} from './hls-types.js';
import { asThePageHasIt } from './page-setup.js';

/** What loads in place of hls.js' own loader. */
export interface LoadsFragments {
  /** Whether hls.js can be given segments in pieces. */
  readonly takesPieces: boolean;
  /** False: the loader's own way is for that request, which `answer` then leaves alone. */
  load(context: LoaderContext, answer: FragmentAnswer): boolean;
}

/** What hls.js makes for each segment, as long as `current` gives anything; its own loader does the rest. */
export function fragmentLoaderClass(
  { fLoader, loader, cmcd }: Pick<HlsConfig, 'fLoader' | 'loader' | 'cmcd'>,
  current: () => LoadsFragments | undefined,
): LoaderClass {
  const Own = fLoader ?? loader;
  class OwnLoader implements Loader {
    readonly #own: Loader;
    #answer: FragmentAnswer | undefined;
    #context: LoaderContext | null = null;

    constructor(own: Loader) {
      this.#own = own;
    }

    get context(): LoaderContext | null {
      return this.#context;
    }

    /** Statistics of both ways: hls.js looks at the object that it finds first. */
    get stats(): LoaderStats {
      return this.#own.stats;
    }

    load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks): void {
      this.#context = context;
      const loads = current();
      const takesPieces = loads?.takesPieces ?? false;
      const answer = new FragmentAnswer(this.#own, { context, config, callbacks, takesPieces });
      this.#answer = answer;
      if (!loads?.load(context, answer)) answer.loadOwn();
    }

    abort(): void {
      this.#answer?.abort();
    }

    destroy(): void {
      this.#answer?.destroy();
      this.#own.destroy();
      this.#context = null;
    }

    getCacheAge(): number | null {
      return this.#own.getCacheAge?.() ?? null;
    }

    getResponseHeader(name: string): string | null {
      return this.#own.getResponseHeader?.(name) ?? null;
    }
  }
  return within(Own, cmcd, (own) => new OwnLoader(own));
}

/**
 * Such loaders with what `put` makes of them; where hls.js writes CMCD into requests, which it does in a loader around another, with what it makes of
 * that other: it has requests as they are sent.
 */
export function within(Own: LoaderClass, cmcd: object | undefined, put: (own: Loader) => Loader): LoaderClass {
  return new Proxy(Own, {
    construct(_, [config]: [object]): Loader {
      const own = new Own(config);
      if (!cmcd || !own.loader?.load) return put(own);
      own.loader = put(own.loader);
      return own;
    },
  });
}

interface FragmentRequest {
  readonly context: LoaderContext;
  readonly config: LoaderConfiguration;
  readonly callbacks: LoaderCallbacks;
  readonly takesPieces: boolean;
}

/** A request of hls.js for a segment, as the parts that work with any player know it. */
export class FragmentAnswer implements PlayerRequest {
  readonly #own: Loader;
  readonly #request: FragmentRequest;
  #abort: (() => void) | undefined;
  #isOwn = false;
  #isOver = false;
  /** Bytes that hls.js has been given. */
  #handedOver = 0;
  readonly piece: PlayerRequest['piece'];
  /** Called when hls.js has been told of progress. */
  onProgress: (() => void) | undefined;
  /** Called once hls.js' own loader has brought it, or has failed. */
  onEnd: (() => void) | undefined;

  constructor(own: Loader, request: FragmentRequest) {
    this.#own = own;
    this.#request = request;
    if (request.takesPieces)
      this.piece = (bytes) => {
        if (!this.#isOver) this.#append(bytes);
      };
    own.stats.loading.start = performance.now();
  }

  get timeout(): number {
    return this.#request.config.loadPolicy.maxLoadTimeMs;
  }

  /** The request as hls.js' own loader would send it. Rejects where the page's function does. */
  asSent(): Promise<RangeRequest> {
    return asThePageHasIt(this.#own, this.#request.context);
  }

  onAbort(abort: () => void): void {
    this.#abort = abort;
  }

  /** The total is what has come: hls.js then finds nothing to abandon, which the rule's reviews see to. */
  progress(loaded: number): void {
    const { stats } = this.#own;
    stats.loading.first ||= performance.now();
    stats.loaded = stats.total = loaded;
    if (!this.#isOver) this.onProgress?.();
  }

  /** Has hls.js see that what is delivered next took so many milliseconds on the link. */
  took(milliseconds: number): void {
    const { loading } = this.#own.stats;
    loading.start = loading.first = performance.now() - milliseconds;
  }

  deliver(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#isOver) return;
    const { stats } = this.#own;
    const { context, callbacks } = this.#request;
    this.#isOver = true;
    this.progress(this.#handedOver + bytes.length);
    stats.loading.end = performance.now();
    const data = this.#append(bytes);
    callbacks.onSuccess({ url: context.url, data, code: 206 }, stats, context, null);
  }

  fail(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onEnd?.();
    const { context, callbacks } = this.#request;
    callbacks.onError({ code: 0, text: 'network error' }, context, null, this.#own.stats);
  }

  #append(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
    // hls.js gives it away to its worker.
    const data = bytes.slice().buffer;
    this.#handedOver += bytes.length;
    this.#request.callbacks.onProgress?.(this.#own.stats, this.#request.context, data, null);
    return data;
  }

  loadOwn(onLoaded?: (data: unknown) => void): void {
    if (this.#isOver) return;
    this.#isOwn = true;
    const { stats } = this.#own;
    // A loader that has started refuses to.
    Object.assign(stats, { loaded: 0, total: 0 });
    Object.assign(stats.loading, { start: 0, first: 0, end: 0 });
    const { context, config, callbacks } = this.#request;
    const end = (): void => this.onEnd?.();
    const own: LoaderCallbacks = {
      ...callbacks,
      onSuccess(response, ...rest) {
        // What hls.js receives it gives away to its worker.
        if (onLoaded) onLoaded(response.data instanceof ArrayBuffer ? response.data.slice(0) : undefined);
        end();
        callbacks.onSuccess(response, ...rest);
      },
      onError(...rest) {
        end();
        callbacks.onError(...rest);
      },
      onTimeout(...rest) {
        end();
        callbacks.onTimeout(...rest);
      },
    };
    this.#own.load(context, config, own);
  }

  abort(): void {
    if (this.#isOwn) {
      this.onEnd?.();
      this.#own.abort();
      return;
    }
    if (!this.#end()) return;
    const { stats } = this.#own;
    stats.aborted = true;
    this.#request.callbacks.onAbort?.(stats, this.#request.context, null);
  }

  destroy(): void {
    if (this.#isOwn) this.onEnd?.();
    else this.#end();
  }

  /** False: it was over already. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#abort?.();
    return true;
  }
}
