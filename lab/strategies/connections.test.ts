import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdaptiveConnections } from './adaptive-connections.js';
import {
  fewestConnections,
  fixedConnections,
  MOST_CONNECTIONS,
  rateOf,
  sharedLink,
  spreadOf,
  type ConnectionsNeed,
  type ConnectionsRule,
  type SharedLink,
} from './connections.js';
import { VoxelConnections } from './voxel-connections.js';

const MBPS = 1e6;

/** 4.3 Mbit/s, of which a rule counts on nine tenths. */
const TOP_RATE = (4.3 * MBPS) / 0.9;

const need = (segment: number, known: Partial<ConnectionsNeed> = {}): ConnectionsNeed => ({
  segment,
  representation: 16,
  sizes: [1000, 1000, 1000],
  topRate: TOP_RATE,
  isTop: true,
  wantedRate: TOP_RATE,
  ...known,
});

/** How many connections a rule uses for each segment over that link, which may change from one to the next. */
function play(
  rule: ConnectionsRule,
  segments: number,
  link: (segment: number) => SharedLink,
  known?: Partial<ConnectionsNeed>,
) {
  return Array.from({ length: segments }, (_, segment) => {
    const connections = rule.choose(need(segment, known));
    rule.add({ segment, connections, rate: rateOf(link(segment), connections), spread: undefined });
    return connections;
  });
}

describe('a link that all connections share evenly', () => {
  it('gives eight connections beside ten 5.33 of 12 Mbit/s', () => {
    expect(rateOf({ capacity: 12 * MBPS, rivals: 10 }, 8)).toBeCloseTo((12 * MBPS * 8) / 18);
  });

  it('is known from two segments: 1.09 Mbit/s over one connection and 3.43 over four are 12 Mbit/s and ten rivals', () => {
    const samples = [1, 4].map((connections) => ({
      connections,
      rate: (12 * MBPS * connections) / (10 + connections),
    }));
    const { capacity, rivals } = sharedLink(samples[0]!, samples[1]!);
    expect(capacity).toBeCloseTo(12 * MBPS, 0);
    expect(rivals).toBeCloseTo(10);
  });

  it('has no rivals where four connections bring no more than one', () => {
    const link = sharedLink({ connections: 1, rate: 3 * MBPS }, { connections: 4, rate: 2.9 * MBPS });
    expect(link).toEqual({ capacity: 3 * MBPS, rivals: 0 });
  });

  it('needs 7 connections for 4.78 Mbit/s beside ten, 6 for 4.3, and has no number for 12', () => {
    const link = { capacity: 12 * MBPS, rivals: 10 };
    // 10 · 4.78 / 7.22 = 6.62, 10 · 4.3 / 7.7 = 5.58
    expect([TOP_RATE, 4.3 * MBPS, 12 * MBPS].map((rate) => fewestConnections(link, rate))).toEqual([7, 6, undefined]);
    // 10 · 4 / 8 = 5
    expect(fewestConnections(link, 4 * MBPS)).toBe(5);
  });

  it('is found again from any two segments of it, and the number it gives is the fewest that suffices', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e5, max: 1e9, noNaN: true }),
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { minLength: 2, maxLength: 2 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        (capacity, rivals, [one, other], share) => {
          const link = { capacity, rivals };
          const sample = (connections: number) => ({ connections, rate: rateOf(link, connections) });
          const found = sharedLink(sample(one!), sample(other!));
          expect(found.capacity / capacity).toBeCloseTo(1, 6);
          expect(found.rivals / rivals).toBeCloseTo(1, 6);
          const connections = fewestConnections(link, share * capacity)!;
          expect(rateOf(link, connections)).toBeGreaterThanOrEqual(share * capacity * (1 - 1e-6));
          if (connections > 1) expect(rateOf(link, connections - 1)).toBeLessThan(share * capacity * (1 + 1e-6));
        },
      ),
    );
  });
});

it('says how unequal connections were where they brought enough to say so', () => {
  // 90 and 110 kB are 10 kB off their mean.
  expect(spreadOf([90e3, 110e3])).toBeCloseTo(0.1);
  expect(spreadOf([90e3, 100e3])).toBeUndefined();
  expect(spreadOf([1e6])).toBeUndefined();
});

describe('adaptive chunklets', () => {
  const ten = { capacity: 12 * MBPS, rivals: 10 };
  /** The window begins with the worst triple: 4, 5 and 6 differ least, 5 is the largest and 4 the smallest. */
  const sizes = [900, 1500, 700, 1300, 1000, 1010, 1005, 1400, 600, 1200];

  it('probes with the three consecutive segments that differ least: N + 1 for the largest, N for the smallest', () => {
    const rule = new AdaptiveConnections();
    const used = Array.from({ length: 10 }, (_, segment) => {
      const connections = rule.choose(need(segment, { sizes: sizes.slice(segment), isTop: false }));
      rule.add({ segment, connections, rate: rateOf(ten, connections), spread: undefined });
      return connections;
    });
    // N − 1 is not less than one connection, and two bring 83 % more than one.
    expect(used).toEqual([1, 1, 1, 1, 1, 2, 1, 2, 2, 2]);
  });

  it('begins the next window five segments after a probe', () => {
    const used = play(new AdaptiveConnections(), 19, () => ten, { isTop: false });
    // Equal sizes: the first triple of a window, N, N − 1, N + 1.
    expect(used).toEqual([1, 1, 2, 2, 2, 2, 2, 2, 2, 1, 3, 3, 3, 3, 3, 3, 3, 2, 4]);
  });

  it('stops at 7 beside ten connections: 8 bring 7.9 % more, 6 bring 8.9 % less', () => {
    expect(play(new AdaptiveConnections(), 200, () => ten, { isTop: false }).at(-1)).toBe(7);
  });

  it('falls to what the highest representation takes when rivals leave', () => {
    const used = play(new AdaptiveConnections(), 400, (segment) => (segment < 200 ? ten : { ...ten, rivals: 2 }));
    // 12 · 2 / 4 = 6 suffices for 4.78 Mbit/s, 12 / 3 does not.
    expect(used.at(-4)).toBe(2);
  });

  it('forgets a probe when the representation changes', () => {
    const rule = new AdaptiveConnections();
    rule.choose(need(0));
    rule.add({ segment: 0, connections: 1, rate: MBPS, spread: undefined });
    const used = [1, 2].map((segment) => rule.choose(need(segment, { representation: 3, sizes: [1000] })));
    expect(used).toEqual([1, 1]);
  });
});

describe('the number of connections from two probes', () => {
  it('is there with the third segment', () => {
    expect(play(new VoxelConnections(), 5, () => ({ capacity: 12 * MBPS, rivals: 10 }))).toEqual([1, 4, 7, 7, 7]);
  });

  it('is one where one is enough, or where more bring nothing', () => {
    expect(play(new VoxelConnections(), 4, () => ({ capacity: 12 * MBPS, rivals: 1 }))).toEqual([1, 1, 1, 1]);
    expect(play(new VoxelConnections(), 4, () => ({ capacity: 3 * MBPS, rivals: 0 }))).toEqual([1, 4, 1, 1]);
  });

  it('follows rivals that come and go with the next segment', () => {
    const rivals = [4, 4, 4, 6, 6, 2, 2];
    const used = play(new VoxelConnections(), 7, (segment) => ({ capacity: 12 * MBPS, rivals: rivals[segment]! }));
    // ⌈4 · 4.78 / 7.22⌉ = 3, ⌈6 …⌉ = 4, ⌈2 …⌉ = 2
    expect(used).toEqual([1, 4, 3, 3, 4, 4, 2]);
  });

  it('takes a link that has become slower for that, after one try', () => {
    const used = play(new VoxelConnections(), 9, (segment) =>
      segment < 4 ? { capacity: 12 * MBPS, rivals: 2 } : { capacity: 3 * MBPS, rivals: 0 },
    );
    expect(used.slice(-2)).toEqual([1, 1]);
  });

  it('is one for fifty segments after five over which connections brought unequal parts, as in a queue that all share', () => {
    const rule = new VoxelConnections();
    const used = Array.from({ length: 60 }, (_, segment) => {
      const connections = rule.choose(need(segment));
      const rate = rateOf({ capacity: 12 * MBPS, rivals: 10 }, connections);
      rule.add({ segment, connections, rate, spread: connections > 1 ? 0.11 : undefined });
      return connections;
    });
    expect(used).toEqual([1, 4, 7, 7, 7, 7, ...Array.from({ length: 50 }, () => 1), 7, 7, 7, 7]);
  });

  it('does not flicker at a border: one less only with 5 % to spare', () => {
    const capacity = 12 * MBPS;
    const rule = new VoxelConnections();
    // 6 connections beside these have 0 to 4 % more than is wanted.
    const rivals = (segment: number) => 6 * (capacity / (TOP_RATE * (1 + 0.01 * (segment % 5))) - 1);
    const used = play(rule, 40, (segment) => ({ capacity, rivals: segment < 3 ? 10 : rivals(segment) }));
    expect(new Set(used.slice(3))).toEqual(new Set([7]));
  });
});

it('is a whole number of connections from one to the most, whatever a link shows', () => {
  const sample = fc.record({
    rate: fc.double({ min: 0, max: 1e9, noNaN: true }),
    wantedRate: fc.double({ min: 1, max: 1e9, noNaN: true }),
    representation: fc.integer({ min: 0, max: 1 }),
    isTop: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 1e7 }), { maxLength: 12 }),
    step: fc.integer({ min: -3, max: 3 }),
    isHere: fc.boolean(),
    spread: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 60 }), (samples) => {
      for (const rule of [fixedConnections(99), new AdaptiveConnections(), new VoxelConnections()]) {
        let segment = 0;
        for (const { rate, step, isHere, spread, ...known } of samples) {
          const connections = rule.choose(need(segment, known));
          expect(Number.isInteger(connections) && connections >= 1 && connections <= MOST_CONNECTIONS).toBe(true);
          if (isHere) rule.add({ segment, connections, rate, spread });
          segment = Math.max(0, segment + step);
        }
      }
    }),
  );
});
