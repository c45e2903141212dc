import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IndexedRepresentation } from '../../../src/manifest/indexed-representation.js';
import { bytesOf, indexVectors } from '../../../test/unit/index-vectors.js';
import { indexOf } from '../../../test/unit/index-writer.js';
import { PlayerError } from '../../api/errors.js';
import type { FetchRange } from '../../network/fetch-range.js';
import { IndexLoader } from './index-loader.js';

const short = bytesOf(indexVectors.good.find(({ name }) => name === 'like a video')!.index);
/** Bytes of a segment's entry. */
const ENTRY_BYTES = 300;
/** The loader looks at no entry. */
const long = indexOf(Array.from({ length: 500 }, () => new Uint8Array(ENTRY_BYTES)));

function representation(name: string, bandwidth = 1000): IndexedRepresentation {
  const indexUrl = `https://media.example/${name}`;
  return new IndexedRepresentation({ id: name, metric: 'ssim', averageScore: 0.9, bandwidth, indexUrl });
}

describe('IndexLoader', () => {
  let errors: string[];
  /** In the order of the requests, each with what answers it. */
  let requests: {
    url: string;
    start: number;
    end: number;
    signal: AbortSignal;
    cache: RequestCache;
    answer: (index: Uint8Array, etag?: string, seconds?: number) => void;
    fail: (error: Error) => void;
  }[];
  let loader: IndexLoader;
  let throughput: number | undefined;
  let createLoader: () => IndexLoader;
  let all: IndexedRepresentation[];
  const ladder = (...bandwidths: number[]) => bandwidths.map((each) => representation(`q${each}`, each));

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    errors = [];
    requests = [];
    const fetchRange: FetchRange = (url, { start, end }, { signal, cache }) =>
      new Promise((resolve, reject) => {
        const answer = (index: Uint8Array, etag?: string, seconds = 0): void =>
          resolve({ range: { start, end }, bytes: index.subarray(start, end), seconds, etag });
        requests.push({ url, start, end, signal, cache, answer, fail: reject });
      });
    throughput = undefined;
    const onError = (error: unknown, url: string) => errors.push(`${url}: ${(error as Error).message}`);
    createLoader = () => new IndexLoader(fetchRange, onError, () => throughput);
    loader = createLoader();
    all = ladder(1, 2, 3);
  });

  afterEach(() => vi.useRealTimers());

  const tick = (milliseconds = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

  async function answerNext(index: Uint8Array, etag?: string): Promise<void> {
    requests.shift()!.answer(index, etag);
    await tick();
  }

  async function answerNextIn(seconds: number): Promise<void> {
    requests.shift()!.answer(short, undefined, seconds);
    await tick();
  }

  it('fetches the index of a short video once', async () => {
    const low = representation('low');
    for (const segment of [0, 0, 1]) loader.want([low], segment);
    expect(loader.isPending(low, 1)).toBe(true);
    await answerNext(short);
    expect(loader.isPending(low, 1)).toBe(false);
    expect(low.segment(1)).toBeDefined();
    for (const segment of [1, 2]) loader.want([low], segment);
    expect(requests).toEqual([]);
  });

  const asked = () => requests.map(({ url }) => Number(url.slice(url.indexOf('q') + 1)));

  it('fetches one, then a few at a time, lowest bitrate first', async () => {
    loader.want(ladder(5, 3, 1, 2, 4, 8, 7, 6), 0);
    expect(asked()).toEqual([1]);
    await answerNext(short);
    expect(asked()).toEqual([2, 3, 4, 5, 6, 7]);
    await answerNext(short);
    expect(asked()).toEqual([3, 4, 5, 6, 7, 8]);
  });

  it('fetches first what was wanted first, whatever the link carries', async () => {
    const all = ladder(1, 2, 3e9);
    loader.want([all[2]!], 0);
    loader.want(all, 0);
    expect(asked()).toEqual([3e9]);
    await answerNextIn(1);
    expect(asked()).toEqual([1, 2]);
  });

  it.each<[string, () => unknown]>([
    ['it is released', () => loader.release()],
    ['a second has passed', () => tick(1000)],
    ['it is wanted at once', () => loader.want(all, 0)],
  ])('holds what is wanted later until %s', async (_, happens) => {
    loader.want([all[2]!], 0);
    loader.want(all, 0, 'later');
    expect(asked()).toEqual([3]);
    await tick(100);
    await answerNext(short);
    expect(asked()).toEqual([]);
    expect(all.map((one) => loader.isPending(one, 0))).toEqual([true, true, false]);
    await happens();
    expect(asked()).toEqual([1, 2]);
  });

  it('holds nothing on a link that brings an index in no time, nor what is asked for meanwhile', async () => {
    loader.want([all[2]!], 0);
    loader.want(all, 0, 'later');
    await tick(40);
    await answerNext(short);
    expect(asked()).toEqual([1, 2]);
    all = ladder(1, 2, 3);
    loader = createLoader();
    requests.length = 0;
    loader.want([all[2]!], 0);
    loader.want(all, 0, 'later');
    await tick(100);
    await answerNext(short);
    loader.want([all[1]!], 0);
    expect(asked()).toEqual([2]);
  });

  it('leaves those alone that the link cannot carry, until it is faster', async () => {
    const all = ladder(100, 300, 500, 1000);
    const [lowest, second, third, top] = all as [IndexedRepresentation, ...IndexedRepresentation[]];
    loader.want(all, 0);
    expect(all.every((one) => loader.isPending(one, 0))).toBe(true);
    // 200 bits/s.
    await answerNextIn((8 * short.length) / 200);
    expect(asked()).toEqual([300]);
    expect([third, top].some((one) => loader.isPending(one!, 0))).toBe(false);
    await answerNextIn((8 * short.length) / 200);
    loader.want([top!], 0);
    expect(asked()).toEqual([1000]);
    await answerNextIn((8 * short.length) / 200);
    throughput = 260;
    loader.want([lowest, second!, third!], 1);
    expect(asked()).toEqual([500]);
  });

  it('fetches what takes next to no time, though few bytes have shown no rate for it', async () => {
    loader.want(ladder(1_000, 1e6, 5e6), 0);
    // Some 10 kbit/s, as the page was busy when they came; the next answer takes as long.
    await answerNextIn(0.02);
    expect(asked()).toEqual([1e6, 5e6]);
  });

  it('learns nothing of the link from an empty answer', async () => {
    loader.want(ladder(1, 2, 3), 0);
    await answerNext(new Uint8Array(0));
    expect(asked()).toEqual([2]);
    await answerNext(short);
    expect(asked()).toEqual([3]);
  });

  it('goes on with the next where the lowest has no index', async () => {
    loader.want(ladder(1, 2, 3), 0);
    requests.shift()!.fail(new PlayerError('index-refused', 'HTTP status 404'));
    await tick();
    expect(asked()).toEqual([2]);
    await answerNext(short);
    expect(asked()).toEqual([3]);
  });

  it('keeps the index of a long video ahead of the decisions, window by window', async () => {
    const low = representation('low');
    loader.want([low], 0);
    await answerNext(long);
    expect(low.index.has(0)).toBe(true);
    for (let segment = 0; segment < 60; segment++) {
      loader.want([low], segment);
      while (requests.length > 0) await answerNext(long);
      expect(low.index.missing(segment, segment + 8)).toBeUndefined();
    }
    expect(low.index.has(200)).toBe(false);
  });

  it('goes on at the place of a seek', async () => {
    const low = representation('low');
    loader.want([low], 0);
    await answerNext(long);
    while (requests.length > 0) await answerNext(long);
    loader.want([low], 300);
    expect(requests[0]!.start).toBe(long.length - 200 * ENTRY_BYTES);
    await answerNext(long);
    expect(low.index.missing(300, 308)).toBeUndefined();
  });

  it('lets a segment wait until its index is here', async () => {
    const low = representation('low');
    loader.want([low], 0);
    const ready = vi.fn();
    void loader.ready(low, 0).then(ready);
    await tick(100);
    expect(ready).not.toHaveBeenCalled();
    await answerNext(short);
    expect(ready).toHaveBeenCalled();
  });

  it('does not let it wait for long, nor for an index that cannot be had', async () => {
    const [slow, none] = [representation('slow'), representation('none')];
    throughput = 1000;
    loader.want([slow, none], 0);
    const [slowReady, noneReady] = [vi.fn(), vi.fn()];
    void loader.ready(slow, 0).then(slowReady);
    void loader.ready(none, 0).then(noneReady);
    requests.pop()!.fail(new PlayerError('index-refused', 'HTTP status 404'));
    await tick();
    expect(noneReady).toHaveBeenCalled();
    expect(loader.isPending(none, 0)).toBe(false);
    await tick(1000);
    expect(slowReady).toHaveBeenCalled();
    expect(loader.isPending(slow, 0)).toBe(true);
  });

  it('tries again after a failure, each time later', async () => {
    const low = representation('low');
    loader.want([low], 0);
    requests.shift()!.fail(new PlayerError('index-failed', 'HTTP status 503'));
    await tick(900);
    loader.want([low], 0);
    expect(requests).toHaveLength(0);
    await tick(200);
    loader.want([low], 0);
    requests.shift()!.fail(new PlayerError('index-failed', 'HTTP status 503'));
    await tick(1100);
    loader.want([low], 0);
    expect(requests).toHaveLength(0);
    await tick(1000);
    loader.want([low], 0);
    await answerNext(short);
    expect(low.segment(0)).toBeDefined();
    expect(errors).toHaveLength(2);
  });

  it('asks at most five times a second, whatever a server answers', async () => {
    const answer = fc.record({
      kind: fc.constantFrom('range', 'whole', 'error'),
      length: fc.integer({ min: 0, max: long.length }),
      code: fc.constantFrom('index-failed', 'index-refused'),
    });
    const answers = fc.array(answer, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(short, long), answers, async (file, script) => {
        let asked = 0;
        const server: FetchRange = async (_url, { start, end }) => {
          const { kind, length, code } = script[asked++ % script.length]!;
          // As fast as a server next door.
          await new Promise((resolve) => setTimeout(resolve, 1));
          if (kind === 'error') throw new PlayerError(code, 'no');
          if (kind === 'range')
            return { range: { start, end }, bytes: file.subarray(start, Math.min(end, start + length)), seconds: 0 };
          return { range: { start: 0, end: length }, bytes: file.subarray(0, length), seconds: 0 };
        };
        const loader = new IndexLoader(
          server,
          () => undefined,
          () => undefined,
        );
        const one = representation('low');
        const SECONDS = 20;
        for (let look = 0; look < SECONDS * 20; look++) {
          loader.want([one], Math.floor(look / 40));
          await tick(50);
        }
        loader.stop();
        expect(asked).toBeLessThanOrEqual(5 * SECONDS);
      }),
      { numRuns: 100 },
    );
  });

  it('loads an index anew when its media file has changed, from the server, at most every two seconds', async () => {
    const low = representation('low');
    loader.want([low], 0);
    await answerNext(short, '"1"');
    expect(low.edition).toBe(0);
    for (const edition of [1, 2, 3]) {
      loader.reload(low);
      loader.reload(low);
      expect(low).toMatchObject({ edition, segmentCount: 0 });
      loader.want([low], 0);
      expect(requests).toMatchObject([{ start: 0, cache: 'no-cache' }]);
      await answerNext(short, `"${edition + 1}"`);
      await tick(1999);
      loader.reload(low);
      expect(low.edition).toBe(edition);
      expect(low.segment(0)).toBeDefined();
      await tick(1);
    }
    expect(errors).toEqual([]);
  });

  it('takes nothing of the former index, which was under way, and tries one that was refused again', async () => {
    const low = representation('low');
    loader.want([low], 0);
    loader.reload(low);
    await answerNext(long);
    expect(low.segmentCount).toBe(0);
    requests.shift()!.fail(new PlayerError('index-refused', 'HTTP status 404'));
    await tick(2000);
    loader.reload(low);
    loader.want([low], 0);
    await answerNext(short);
    expect(low.segment(0)).toBeDefined();
  });

  it('puts no index together of two versions', async () => {
    const low = representation('low');
    loader.want([low], 0);
    await answerNext(long, '"1"');
    await answerNext(long, '"2"');
    expect(low).toMatchObject({ segmentCount: 0, edition: 0 });
    expect(errors).toEqual(['https://media.example/low: the index has changed on the server']);
    await tick(1000);
    loader.want([low], 0);
    while (requests.length > 0) await answerNext(long, '"2"');
    expect(low.index.has(8)).toBe(true);
  });

  it('gives up an index that is none, and one that is not there', async () => {
    const [bad, none] = [representation('bad', 1), representation('none', 2)];
    loader.want([bad, none], 0);
    await answerNext(new TextEncoder().encode('<!doctype html><title>not found</title>'));
    requests.shift()!.fail(new PlayerError('index-refused', 'HTTP status 404'));
    await tick(100_000);
    loader.want([bad, none], 1);
    expect(requests).toEqual([]);
    expect(errors).toEqual([
      'https://media.example/bad: not an index, or of another version',
      'https://media.example/none: HTTP status 404',
    ]);
  });

  it('ends what is under way and forgets it when told to stop', async () => {
    const low = representation('low');
    loader.want([low], 0);
    const ready = vi.fn();
    void loader.ready(low, 0).then(ready);
    loader.stop();
    await tick();
    expect(requests[0]!.signal.aborted).toBe(true);
    expect(ready).toHaveBeenCalled();
    requests.shift()!.fail(new Error('aborted'));
    await tick();
    expect(errors).toEqual([]);
    loader.want([low], 0);
    await answerNext(short);
    expect(low.segment(0)).toBeDefined();
  });

  it('leaves representations with attributes alone', () => {
    const facts = { id: 'inline', metric: 'ssim', averageScore: 0.9, bandwidth: 1000 } as const;
    const inline = { ...facts, segment: () => undefined, segmentCount: 3 };
    loader.want([inline], 0);
    expect(loader.isPending(inline, 0)).toBe(false);
    expect(requests).toEqual([]);
  });
});
