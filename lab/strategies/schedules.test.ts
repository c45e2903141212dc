import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import { IntervalSet } from '../../src/manifest/interval-set.js';
import {
  INITIAL_WINDOW,
  LEAST_BLOCK,
  without,
  type Dealt,
  type PathLink,
  type Schedule,
  type UnderWay,
} from '../../src/delivery/schedule.js';
import { SCHEDULES, type ScheduleName } from './schedules.js';

const NAMES = Object.keys(SCHEDULES) as ScheduleName[];

interface Route {
  /** Bytes per second. */
  readonly rate: number;
  readonly roundTrip: number;
  readonly cost?: number;
  readonly lossRate?: number;
  /** Seconds after which it brings nothing. */
  readonly diesAt?: number;
}

interface Download {
  readonly reliableLength: number;
  readonly length: number;
  readonly buffer?: number;
}

interface Order extends UnderWay {
  readonly isRepeat: boolean;
  here: number;
}

/** Plays a download over paths of constant rates, each of which brings what it is asked for in turn. */
function play(schedule: Schedule, routes: readonly Route[], { reliableLength, length, buffer = Infinity }: Download) {
  const STEP = 0.01;
  const dealt: Dealt[] = [];
  const here = new IntervalSet();
  let left: ByteRange[] = [{ start: 0, end: length }];
  let underWay: Order[] = [];
  const last = routes.map(() => 0);
  const repeated = new IntervalSet();
  const budget = routes.map(() => 0);
  let now = 0;
  for (; here.size < length && now < 300; now += STEP) {
    const queued = (id: number): number => totalBytes(underWay.filter(({ path }) => path === id));
    const links: PathLink[] = routes.map(({ rate, roundTrip, cost = 0, lossRate = 0 }, id) => ({
      ...{ id, rate, roundTrip, lossRate, cost, window: Infinity, setup: 0, queued: queued(id) },
      silence: queued(id) > 0 ? now - last[id]! : 0,
    }));
    const work = {
      reliableLength,
      left,
      before: 0,
      underWay,
      buffer: buffer - now,
      repeatable: 0.02 * length - repeated.size,
    };
    for (const deal of schedule(work, links)) {
      const { start, end, path, isRepeat } = deal;
      dealt.push(deal);
      if (queued(path) === 0) last[path] = now;
      if (isRepeat) {
        repeated.add(start, end);
        underWay = underWay.map((one) => (one.start === start && one.end === end ? { ...one, isRepeated: true } : one));
      } else left = without(left, deal);
      underWay.push({ start, end, path, isRepeat, isRepeated: isRepeat, here: now + routes[path]!.roundTrip });
    }
    routes.forEach(({ rate, diesAt = Infinity }, id) => {
      budget[id] = now < diesAt ? Math.min(rate * STEP * 2, budget[id]! + rate * STEP) : 0;
      for (const order of underWay.filter(({ path, here: at }) => path === id && at <= now)) {
        const bytes = Math.min(order.end - order.start, Math.floor(budget[id]));
        if (bytes <= 0) break;
        budget[id] -= bytes;
        here.add(order.start, order.start + bytes);
        last[id] = now;
        underWay = underWay
          .map((one) => (one === order ? { ...one, start: one.start + bytes } : one))
          .filter(({ start, end }) => end > start);
      }
    });
    underWay = underWay.filter(({ start, end }) => !here.contains(start, end));
  }
  return { seconds: now, dealt, here, bytesRepeated: totalBytes(dealt.filter(({ isRepeat }) => isRepeat)) };
}

const routesWith = (...lossRates: number[]) =>
  fc.array(
    fc.record({
      rate: fc.integer({ min: 20_000, max: 2_000_000 }),
      roundTrip: fc.double({ min: 0.005, max: 0.6, noNaN: true }),
      lossRate: fc.constantFrom(...lossRates),
    }),
    { minLength: 1, maxLength: 3 },
  );
const routes = routesWith(0);
/** Twenty to one at most, and 400 ms: on a slower path a single block takes longer than is allowed for below. */
const likeRoutes = routes.map((paths) =>
  paths.map((path) => ({ ...path, rate: Math.max(100_000, path.rate), roundTrip: Math.min(0.4, path.roundTrip) })),
);
const download = fc
  .record({ reliableLength: fc.integer({ min: 1, max: 400_000 }), rest: fc.integer({ min: 0, max: 1_000_000 }) })
  .map(({ reliableLength, rest }) => ({ reliableLength, length: reliableLength + rest }));

describe.each(NAMES)('the schedule %s', (name) => {
  it('asks for every byte once, but for repeats, and gets it', () => {
    fc.assert(
      fc.property(routesWith(0, 0.02, 0.1), download, fc.constantFrom(0, 3, Infinity), (paths, wanted, buffer) => {
        const { dealt, here } = play(SCHEDULES[name], paths, { ...wanted, buffer });
        const first = new IntervalSet();
        for (const { start, end, isRepeat, path } of dealt) {
          expect(end).toBeGreaterThan(start);
          expect([start, end].every(Number.isInteger)).toBe(true);
          expect(paths[path]).toBeDefined();
          if (isRepeat) expect(first.contains(start, end)).toBe(true);
          else expect(first.add(start, end)).toBe(end - start);
        }
        expect(here.contains(0, wanted.length)).toBe(true);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('asks for nothing where no path is open', () => {
    const work = {
      ...{ reliableLength: 10, left: [{ start: 0, end: 30 }], before: 0, underWay: [] },
      buffer: 0,
      repeatable: 0,
    };
    expect(SCHEDULES[name](work, [])).toEqual([]);
  });
});

describe('voxel', () => {
  it('asks in blocks, not in crumbs', () => {
    const requests = (paths: readonly Route[], wanted: Download): number =>
      play(SCHEDULES.voxel, paths, wanted).dealt.filter(({ isRepeat }) => !isRepeat).length;
    const near = { rate: 617_135, roundTrip: 0.03, lossRate: 0.02 };
    const lossy = { rate: 276_171, roundTrip: 0.03, lossRate: 0.1 };
    const far = { rate: 1_619_895, roundTrip: 0.24, lossRate: 0 };
    expect(requests([far, lossy, near], { reliableLength: 356_311, length: 1_356_299, buffer: 3 })).toBeLessThan(60);
    fc.assert(
      fc.property(routesWith(0, 0.02, 0.1), download, fc.constantFrom(0, 3, Infinity), (paths, wanted, buffer) => {
        const most = 2 + wanted.length / LEAST_BLOCK;
        expect(requests(paths, { ...wanted, buffer })).toBeLessThanOrEqual(most);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  const best = (paths: readonly Route[], wanted: Download): number =>
    Math.min(...paths.map((path) => play(SCHEDULES.single, [path], wanted).seconds));

  it('is hardly slower than the best path alone, and brings the reliable bytes no later', () => {
    fc.assert(
      fc.property(likeRoutes, download, (paths, wanted) => {
        const { seconds } = play(SCHEDULES.voxel, paths, { ...wanted, buffer: 3 });
        expect(seconds).toBeLessThanOrEqual(1.05 * best(paths, wanted) + 0.1);
        const reliable = { reliableLength: wanted.reliableLength, length: wanted.reliableLength };
        const alone = play(SCHEDULES.voxel, paths, { ...reliable, buffer: 3 }).seconds;
        expect(alone).toBeLessThanOrEqual(1.05 * best(paths, reliable) + 0.1);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('uses what two paths carry together', () => {
    const paths = [
      { rate: 500_000, roundTrip: 0.02 },
      { rate: 250_000, roundTrip: 0.1 },
    ];
    const { seconds } = play(SCHEDULES.voxel, paths, { reliableLength: 200_000, length: 3_000_000, buffer: 10 });
    expect(seconds).toBeLessThan(3_000_000 / 750_000 / 0.95);
  });

  it('asks for at most 2 % twice as long as no path is silent and playback does not wait', () => {
    fc.assert(
      fc.property(routes, download, (paths, wanted) => {
        const { bytesRepeated, seconds } = play(SCHEDULES.voxel, paths, { ...wanted, buffer: 3 });
        if (seconds < 3) expect(bytesRepeated).toBeLessThanOrEqual(0.02 * wanted.length);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('asks for what a path owes that has died on the other one, and finishes as if there had been that one alone', () => {
    const alive = { rate: 500_000, roundTrip: 0.04 };
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), download, (diesAt, wanted) => {
        const { seconds } = play(SCHEDULES.voxel, [{ ...alive, diesAt }, alive], { ...wanted, buffer: 3 });
        expect(seconds).toBeLessThan(wanted.length / alive.rate + 0.5);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it('leaves a metered path alone while the others are in time, and takes it where they are not', () => {
    const paths = [
      { rate: 250_000, roundTrip: 0.05 },
      { rate: 1_000_000, roundTrip: 0.02, cost: 1 },
    ];
    const used = (buffer: number): Set<number> =>
      new Set(play(SCHEDULES.voxel, paths, { reliableLength: 1e5, length: 5e5, buffer }).dealt.map(({ path }) => path));
    expect(used(8)).toEqual(new Set([0]));
    expect(used(1)).toContain(1);
  });

  it('takes a path that hardly moves for a silent one when playback waits for it, however much was asked for twice', () => {
    const link = { lossRate: 0, window: Infinity, setup: 0, cost: 0, roundTrip: 0.05 };
    const stuck = { ...link, id: 0, rate: 1_000, queued: 16_384, silence: 0.1 };
    const idle = { ...link, id: 1, rate: 200_000, queued: 0, silence: 0 };
    const owed = { start: 0, end: 16_384, path: 0, isRepeated: false };
    const repeated = (buffer: number, rate = stuck.rate) =>
      SCHEDULES.voxel({ reliableLength: 16_384, left: [], before: 0, underWay: [owed], buffer, repeatable: 0 }, [
        { ...stuck, rate },
        idle,
      ]);
    expect(repeated(0)).toEqual([{ path: 1, start: 0, end: 16_384, isRepeat: true }]);
    expect(repeated(1)).toEqual([]);
    expect(repeated(0, 50_000)).toEqual([]);
  });

  it('sends the most valuable datagrams over the path that loses fewer', () => {
    const paths = [
      { rate: 250_000, roundTrip: 0.03, lossRate: 0.05 },
      { rate: 250_000, roundTrip: 0.06, lossRate: 0.001 },
    ];
    const { dealt } = play(SCHEDULES.voxel, paths, { reliableLength: 1, length: 1_000_000, buffer: 30 });
    const mean = (id: number): number => {
      const starts = dealt.filter(({ path }) => path === id).map(({ start }) => start);
      return starts.reduce((total, start) => total + start, 0) / starts.length;
    };
    expect(mean(1)).toBeLessThan(mean(0) - 250_000);
  });
});

describe('voxel', () => {
  it('gives a far path bytes of a download behind those that the near one still has to bring', () => {
    const link = { rate: 1e6, lossRate: 0, window: Infinity, setup: 0, silence: 0, cost: 0 };
    const near = { ...link, id: 0, roundTrip: 0.02, queued: 300_000 };
    const far = { ...link, id: 1, roundTrip: 1, queued: 0 };
    const work = { reliableLength: 0, left: [{ start: 0, end: 400_000 }], underWay: [], buffer: 9, repeatable: 0 };
    // The near one brings them within the far one's round trip, unless it is busy with what comes before.
    expect(SCHEDULES.voxel({ ...work, before: 0 }, [near, far])).toEqual([]);
    const dealt = SCHEDULES.voxel({ ...work, before: 800_000 }, [near, far]);
    expect(dealt.map(({ path, start }) => [path, start])[0]).toEqual([1, 0]);
  });
});

describe('eaf', () => {
  const link = { rate: 1e6, lossRate: 0, queued: 0, window: Infinity, setup: 0, silence: 0, cost: 0 };
  const near = { ...link, id: 0, roundTrip: 0.02, rate: 125_000 };
  const far = { ...link, id: 1, roundTrip: 0.2 };
  const pathFor = (bytes: number, paths: readonly PathLink[]): number | undefined => {
    const work = {
      ...{ reliableLength: bytes, left: [{ start: 0, end: bytes }], before: 0, underWay: [] },
      buffer: 9,
      repeatable: 0,
    };
    return SCHEDULES.eaf(work, paths)[0]?.path;
  };

  it('fetches small objects over the near path, large ones over the fast one', () => {
    // 25 kB more take 180 ms over the near one: 0.02 + b / 125,000 = 0.2 + b / 1,000,000 at 25,714 bytes.
    expect([20_000, 25_700, 25_730, 100_000].map((bytes) => pathFor(bytes, [near, far]))).toEqual([0, 0, 1, 1]);
  });

  it('counts what is on its way, the handshakes of a path that is not open, and slow start', () => {
    expect(pathFor(20_000, [{ ...near, queued: 40_000 }, far])).toBe(1);
    expect(pathFor(40_000, [near, { ...far, setup: 0.2 }])).toBe(0);
    expect(pathFor(40_000, [near, { ...far, window: INITIAL_WINDOW }])).toBe(0);
  });
});

describe('min-rtt', () => {
  it('fills the near path first, and then the far one', () => {
    const link = { rate: 500_000, lossRate: 0, queued: 0, window: Infinity, setup: 0, silence: 0, cost: 0 };
    const work = {
      reliableLength: 1,
      left: [{ start: 0, end: 1e6 }],
      before: 0,
      underWay: [],
      buffer: 9,
      repeatable: 0,
    };
    const dealt = SCHEDULES['min-rtt'](work, [
      { ...link, id: 0, roundTrip: 0.2 },
      { ...link, id: 1, roundTrip: 0.05 },
    ]);
    const order = dealt.map(({ path }) => path);
    expect(order[0]).toBe(1);
    expect(order.lastIndexOf(1)).toBeLessThan(order.indexOf(0));
  });
});

describe('whoever-is-free', () => {
  const path = (id: number, queued: number): PathLink => ({
    ...{ id, queued, rate: 100_000, roundTrip: 0.02, lossRate: 0, window: Infinity, setup: 0, silence: 0, cost: 0 },
  });
  const work = { reliableLength: 0, before: 0, underWay: [], buffer: 5, repeatable: 0 };

  it('deals equal parts to paths that are all free, and nothing to one that is not', () => {
    const paths = [path(0, 0), path(1, 1e6), path(2, 0), path(3, 0)];
    const dealt = SCHEDULES['whoever-is-free']({ ...work, left: [{ start: 0, end: 48 * 1024 }] }, paths);
    expect(dealt.map(({ path, start, end }) => [path, end - start])).toEqual([0, 2, 3].map((id) => [id, 16_384]));
  });
});
