import { describe, expect, it } from 'vitest';
import { loadTime, type Page, type WebObject } from './load.js';
import type { Path } from './network.js';
import { pages } from './pages.js';
import { POLICIES } from './policies.js';
import { scenarios } from './scenarios.js';

/** 8 Mbit/s: a window of 14 600 bytes is more than the 10 000 bytes of a round trip, so there is no slow start. */
const NEAR: Path = { roundTrip: 0.01, rate: 1e6 };
/** The same rate, 100 ms: a round trip takes 100 000 bytes, slow start has windows of 14 600, 29 200 and 58 400 first. */
const FAR: Path = { roundTrip: 0.1, rate: 1e6 };

const object = (size: number, more: Partial<WebObject> = {}): WebObject => ({
  ...{ size, host: 'a', secure: false, after: [] },
  ...more,
});
const load = (policy: string, page: Page, paths: readonly Path[]) => loadTime(page, paths, POLICIES[policy]!(1));

describe('the time of a page over one interface', () => {
  it('of one object: handshake, request, bytes', () => {
    // 10 + 10 + 50 ms
    expect(load('interface-1', [object(50_000)], [NEAR, FAR])).toBeCloseTo(0.07, 9);
  });

  it('over TLS: two round trips more', () => {
    expect(load('interface-1', [object(50_000, { secure: true })], [NEAR, FAR])).toBeCloseTo(0.09, 9);
  });

  it('in slow start: a window per round trip, doubling until the rate is reached', () => {
    // 200 ms until the first byte; 14 600 + 29 200 + 58 400 = 102 200 bytes in 300 ms; 97 800 more at 1 MB/s
    expect(load('interface-2', [object(200_000)], [NEAR, FAR])).toBeCloseTo(0.2 + 0.3 + 0.0978, 9);
    // less than the first window: at a window per round trip
    expect(load('interface-2', [object(7300)], [NEAR, FAR])).toBeCloseTo(0.25, 9);
  });

  it('of equal objects in parallel: they share the rate', () => {
    // 4 connections: 20 ms, then 200 000 bytes at 1 MB/s
    const page = Array.from({ length: 4 }, () => object(50_000));
    expect(load('interface-1', page, [NEAR, FAR])).toBeCloseTo(0.22, 9);
  });

  it('of one object after another: the connection is open, and out of slow start', () => {
    // 200 + 300 + 97.8 ms as above, then one round trip and 100 ms
    const page = [object(200_000), object(100_000, { after: [0] })];
    expect(load('interface-2', page, [NEAR, FAR])).toBeCloseTo(0.5978 + 0.1 + 0.1, 9);
    // from another host: a new connection in slow start, 14 600 + 29 200 bytes in 200 ms, 56 200 at 584 000 bytes/s
    const other = [object(200_000), object(100_000, { after: [0], host: 'b' })];
    expect(load('interface-2', other, [NEAR, FAR])).toBeCloseTo(0.5978 + 0.2 + 0.2 + 56_200 / 584_000, 9);
  });

  it('with more objects than connections to a host: the seventh waits for the first that is free', () => {
    // 20 ms; six objects share 1 MB/s: 60 ms; request: 10 ms; 10 ms alone
    const page = Array.from({ length: 7 }, () => object(10_000));
    expect(load('interface-1', page, [NEAR, FAR])).toBeCloseTo(0.02 + 0.06 + 0.01 + 0.01, 9);
  });

  it('with a small object before a larger: what would be idle before a new connection is open is waited for', () => {
    // The window allows 146 000 bytes/s: the first takes 16 ms, the second, which enables the third, 10 ms.
    const page = [object(14_600 * 0.16), object(14_600 * 0.1, { host: 'b' }), object(1000, { after: [1] })];
    // Enabled at 210 ms, when a new connection would be open at 310 ms; the first one is idle at 216 ms.
    expect(load('interface-2', page, [NEAR, FAR])).toBeCloseTo(0.216 + 0.1 + 1000 / 146_000, 9);
  });
});

describe('the time of a page over two interfaces', () => {
  it('of n equal objects on two equal paths: half of them on each', () => {
    const page = Array.from({ length: 6 }, () => object(50_000));
    for (const policy of ['round-robin', 'eaf', 'eaf-formula', 'eaf-striped']) {
      expect(load(policy, page, [NEAR, NEAR]), policy).toBeCloseTo(0.02 + 0.15, 9);
    }
  });

  it('earliest arrival first: small objects over the shorter way, large ones over the faster', () => {
    const slowNear: Path = { roundTrip: 0.01, rate: 1e5 };
    // 20 ms + 10 ms near; far it would be 200 ms
    expect(load('eaf', [object(1000)], [slowNear, FAR])).toBeCloseTo(0.03, 9);
    // 597.8 ms far, as above; near it would be 20 ms + 2 s
    expect(load('eaf', [object(200_000)], [slowNear, FAR])).toBeCloseTo(0.5978, 9);
  });

  it('striped: the second path joins after the first is open, and both end together', () => {
    // First path: bytes from 20 ms. Second: 10 ms + 2 round trips = 30 ms. 100 000 bytes = 10 ms at 1 MB/s, the rest at 2 MB/s
    expect(load('striped-1', [object(100_000)], [NEAR, NEAR])).toBeCloseTo(0.03 + 0.045, 9);
  });

  it('striped with a path that joins too late: as over the first alone', () => {
    expect(load('striped-1', [object(50_000)], [NEAR, FAR])).toBeCloseTo(0.07, 9);
  });
});

describe('every policy', () => {
  const some = scenarios().filter((_, index) => index % 53 === 0);
  const page = pages(1, 1).at(-1)!.objects;

  it.each(Object.keys(POLICIES))(
    '%s loads all, alike each time, not faster than both rates together allow',
    (policy) => {
      const bytes = page.reduce((sum, { size }) => sum + size, 0);
      for (const { paths } of some) {
        const time = load(policy, page, paths);
        expect(load(policy, page, paths)).toBe(time);
        expect(time).toBeGreaterThan(bytes / (paths[0].rate + paths[1].rate));
      }
    },
  );
});
