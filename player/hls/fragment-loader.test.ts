import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fragmentLoaderClass, type FragmentAnswer } from './fragment-loader.js';
import type { Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext, LoaderStats } from './hls-types.js';

const context = { url: 'https://media.example/q00.mp4', frag: {}, part: null } as LoaderContext;
const configuration: LoaderConfiguration = { loadPolicy: { maxLoadTimeMs: 20_000 } };

/** A loader like hls.js' own: it refuses to load twice. */
class OwnLoader implements Loader {
  static last: OwnLoader;
  context: LoaderContext | null = null;
  stats: LoaderStats = { aborted: false, loaded: 0, total: 0, loading: { start: 0, first: 0, end: 0 } };
  callbacks: LoaderCallbacks | undefined;
  readonly abort = vi.fn();
  readonly destroy = vi.fn();

  constructor(readonly config: object) {
    OwnLoader.last = this;
  }

  load(_: LoaderContext, __: LoaderConfiguration, callbacks: LoaderCallbacks): void {
    if (this.stats.loading.start > 0) throw new Error('Loader can only be used once.');
    this.stats.loading.start = 1;
    this.callbacks = callbacks;
  }

  bring(data: ArrayBuffer): void {
    this.callbacks!.onSuccess({ url: context.url, data, code: 206 }, this.stats, context, 'xhr');
  }
}

/** The loader that hls.js puts around its own to write CMCD into requests. */
class CmcdLoader implements Loader {
  loader: Loader;

  constructor(config: object) {
    this.loader = new OwnLoader(config);
  }

  get context() {
    return this.loader.context;
  }

  get stats() {
    return this.loader.stats;
  }

  load(of: LoaderContext, ...rest: [LoaderConfiguration, LoaderCallbacks]): void {
    Object.assign(of, { headers: { 'CMCD-Session': 'sid="1"' } });
    this.loader.load(of, ...rest);
  }

  abort(): void {
    this.loader.abort();
  }

  destroy(): void {
    this.loader.destroy();
  }
}

const callbacks = { onSuccess: vi.fn(), onError: vi.fn(), onTimeout: vi.fn(), onAbort: vi.fn(), onProgress: vi.fn() };
const bytes = (...values: number[]) => new Uint8Array(values);

function begin(load: (answer: FragmentAnswer) => boolean, takesPieces = false) {
  const config = { page: 'its own' };
  const current = { takesPieces, load: vi.fn((_: LoaderContext, answer: FragmentAnswer) => load(answer)) };
  const loader = new (fragmentLoaderClass({ fLoader: undefined, loader: OwnLoader }, () => current))(config);
  loader.load(context, configuration, callbacks);
  expect(OwnLoader.last.config).toBe(config);
  return loader;
}

describe('the loader that hls.js is given', () => {
  beforeEach(() => vi.resetAllMocks());

  it('leaves to hls.js’ own loader what it is not for, statistics included', () => {
    const loader = begin(() => false);
    const own = OwnLoader.last;
    expect(loader.stats).toBe(own.stats);
    own.bring(bytes(1).buffer);
    expect(callbacks.onSuccess).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 206 }),
      own.stats,
      context,
      'xhr',
    );
    loader.abort();
    expect(own.abort).toHaveBeenCalledOnce();
    expect(callbacks.onAbort).not.toHaveBeenCalled();
  });

  it('delivers a copy, once, as a loader does', () => {
    let answer!: FragmentAnswer;
    const loader = begin((given) => ((answer = given), true));
    expect(answer.timeout).toBe(20_000);
    const onProgress = vi.fn();
    answer.onProgress = onProgress;
    answer.progress(1);
    expect(loader.stats).toMatchObject({ loaded: 1, total: 1 });
    expect(onProgress).toHaveBeenCalledOnce();
    const delivered = bytes(1, 2);
    answer.deliver(delivered);
    answer.deliver(delivered);
    answer.loadOwn();
    const [[response]] = callbacks.onSuccess.mock.calls as [[{ data: ArrayBuffer }]];
    expect(callbacks.onSuccess).toHaveBeenCalledOnce();
    expect(callbacks.onProgress).toHaveBeenCalledOnce();
    expect(new Uint8Array(response.data)).toEqual(delivered);
    expect(response.data).not.toBe(delivered.buffer);
    expect(loader.stats.loading.end).toBeGreaterThanOrEqual(loader.stats.loading.first);
    expect(OwnLoader.last.callbacks).toBeUndefined();
  });

  it('hands over pieces where hls.js takes some, each once, and the last as a loader’s answer', () => {
    let answer!: FragmentAnswer;
    begin((given) => ((answer = given), true));
    expect(answer.piece).toBeUndefined();
    const loader = begin((given) => ((answer = given), true), true);
    answer.piece!(bytes(1, 2));
    answer.piece!(bytes(3));
    answer.deliver(bytes(4, 5));
    answer.piece!(bytes(6));
    const pieces = callbacks.onProgress.mock.calls.map((call) => [...new Uint8Array(call[2] as ArrayBuffer)]);
    expect(pieces).toEqual([[1, 2], [3], [4, 5]]);
    expect(callbacks.onSuccess).toHaveBeenCalledOnce();
    expect(loader.stats).toMatchObject({ loaded: 5, total: 5 });
  });

  it('fails as after an error of the network, once', () => {
    let answer!: FragmentAnswer;
    const loader = begin((given) => ((answer = given), true), true);
    answer.piece!(bytes(1));
    answer.fail();
    answer.fail();
    answer.deliver(bytes(2));
    expect(callbacks.onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 0 }),
      context,
      null,
      loader.stats,
    );
    expect(callbacks.onSuccess).not.toHaveBeenCalled();
  });

  it('goes on with hls.js’ own loader after a failure, as if nothing had been loaded, and says what that brings', () => {
    let answer!: FragmentAnswer;
    const loader = begin((given) => ((answer = given), true));
    answer.progress(1);
    const onLoaded = vi.fn();
    answer.loadOwn(onLoaded);
    expect(loader.stats).toMatchObject({ loaded: 0, total: 0, loading: { first: 0 } });
    const data = bytes(7).buffer;
    OwnLoader.last.bring(data);
    expect(onLoaded).toHaveBeenCalledExactlyOnceWith(data.slice(0));
    expect(callbacks.onSuccess).toHaveBeenCalledOnce();
    expect((onLoaded.mock.calls as unknown[][])[0]![0]).not.toBe(data);
  });

  it.each(['abort', 'destroy'] as const)(
    'ends what is under way on %s, and nothing of it reaches hls.js any more',
    (end) => {
      let answer!: FragmentAnswer;
      const loader = begin((given) => ((answer = given), true));
      const onAbort = vi.fn();
      answer.onAbort(onAbort);
      loader[end]();
      loader[end]();
      answer.deliver(bytes(1));
      answer.loadOwn();
      expect(onAbort).toHaveBeenCalledOnce();
      expect(callbacks.onSuccess).not.toHaveBeenCalled();
      expect(callbacks.onAbort).toHaveBeenCalledTimes(end === 'abort' ? 1 : 0);
      expect(OwnLoader.last.callbacks).toBeUndefined();
    },
  );

  it('has requests as hls.js sends them with CMCD, and with what the page adds', async () => {
    const fetchSetup = ({ url }: { url: string }, init: RequestInit): Request =>
      new Request(url, { headers: { ...Object.fromEntries(init.headers as Headers), authorization: 'Bearer 1' } });
    class PagesLoader extends OwnLoader {
      fetchSetup = fetchSetup;
    }
    class Around extends CmcdLoader {
      override loader = new PagesLoader({});
    }
    const asked: Promise<unknown>[] = [];
    const load = (_: LoaderContext, answer: FragmentAnswer): boolean => asked.push(answer.asSent()) > 0;
    const config = { fLoader: Around, loader: PagesLoader, cmcd: {} };
    const loader = new (fragmentLoaderClass(config, () => ({ takesPieces: false, load })))({});
    loader.load({ ...context }, configuration, callbacks);
    const headers = { 'cmcd-session': 'sid="1"', authorization: 'Bearer 1' };
    expect(await asked[0]).toMatchObject({ url: context.url, headers });
    expect(loader.stats).toBe(OwnLoader.last.stats);
  });
});
