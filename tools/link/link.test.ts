import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capacity, conditionsAt } from './capacity.mjs';
import { Link } from './link.mjs';
import { lossPattern } from './losses.mjs';
import { seededRandom } from './random.mjs';

/** 1000 bytes a second, nothing, 2000 bytes a second, and so on. */
const uneven = () => new Capacity({ step: 1, rates: [8000, 0, 16_000] });

/** 1000 bytes a second. */
const even = () => new Capacity({ step: 1, rates: [8000] });

describe('Capacity', () => {
  it('is the integral of the trace, which repeats', () => {
    const capacity = uneven();
    expect([0, 500, 1000, 1500, 2000, 2500, 3000, 3500].map((time) => capacity.sent(time))).toEqual([
      0, 500, 1000, 1000, 1000, 2000, 3000, 3500,
    ]);
  });

  it('says when so many bytes have been sent', () => {
    const capacity = uneven();
    expect([500, 1500, 2000, 3500].map((bytes) => capacity.timeOf(bytes))).toEqual([500, 2250, 2500, 3500]);
  });

  it('has sent a whole round before the pause at its end', () => {
    const capacity = new Capacity({ step: 1, rates: [8000, 0] });
    expect([1000, 2000].map((bytes) => capacity.timeOf(bytes))).toEqual([1000, 3000]);
  });

  it('counts with a new scale from the moment on at which it is set', () => {
    const capacity = even();
    capacity.rescale(2, 1000);
    expect([500, 1000, 2000].map((time) => capacity.sent(time))).toEqual([0, 1000, 3000]);
    expect(capacity.timeOf(3000)).toBe(2000);
  });

  it('inverts itself wherever something is sent', () => {
    const rates = fc.array(fc.integer({ min: 1, max: 1e7 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 100_000 }), (some, time) => {
        const capacity = new Capacity({ step: 0.5, rates: some });
        expect(capacity.timeOf(capacity.sent(time))).toBeCloseTo(time, 3);
      }),
    );
  });

  it('refuses a trace that never sends anything', () => {
    expect(() => new Capacity({ step: 1, rates: [0, 0] })).toThrow('at least one rate above 0');
  });
});

const link = (settings: Partial<ConstructorParameters<typeof Link<string>>[0]> = {}) =>
  new Link<string>({ capacity: even(), delayMs: 10, queuePackets: 2, ...settings });

describe('Link', () => {
  it('delivers packets one after the other at its rate, after the delay', () => {
    const some = link();
    some.offer('a', 100, 0);
    some.offer('b', 200, 0);
    expect(some.nextEvent()).toBe(100);
    expect(some.arrivals(109)).toEqual([]);
    expect(some.arrivals(110)).toEqual(['a']);
    expect(some.arrivals(310)).toEqual(['b']);
    expect(some.nextEvent()).toBe(Infinity);
  });

  it('takes the delay of the moment at which a packet leaves, and lets none overtake another', () => {
    const some = link({ queuePackets: 9, delayMs: (sent) => (sent < 150 ? 500 : 10) });
    some.offer('a', 100, 0);
    some.offer('b', 100, 0);
    some.offer('c', 100, 600);
    expect(some.arrivals(599)).toEqual([]);
    expect(some.arrivals(600)).toEqual(['a', 'b']);
    expect(some.nextEvent()).toBe(700);
    expect(some.arrivals(710)).toEqual(['c']);
  });

  it('does not save up what it could have sent while nothing waited', () => {
    const some = link();
    some.offer('late', 100, 5000);
    expect(some.arrivals(5109)).toEqual([]);
    expect(some.arrivals(5110)).toEqual(['late']);
  });

  it('drops what finds its queue full', () => {
    const some = link();
    for (const packet of ['a', 'b', 'c']) some.offer(packet, 100, 0);
    expect(some.arrivals(1000)).toEqual(['a', 'b']);
    expect(some.counts).toEqual({ sentBytes: 200, lost: 0, dropped: 1 });
  });

  it('takes another packet as soon as one has been sent', () => {
    const some = link();
    some.offer('a', 100, 0);
    some.offer('b', 100, 0);
    some.offer('c', 100, 101);
    expect(some.arrivals(1000)).toEqual(['a', 'b', 'c']);
  });

  it('loses what its pattern says, and nothing of a byte stream', () => {
    const some = link({ isLost: () => true, queuePackets: 1 });
    some.offer('a', 100, 0);
    for (const packet of ['b', 'c']) some.offerReliable(packet, 100, 0);
    expect(some.reliableWaiting).toBe(2);
    expect(some.arrivals(1000)).toEqual(['b', 'c']);
    expect(some.counts).toEqual({ sentBytes: 200, lost: 1, dropped: 0 });
    expect(some.reliableWaiting).toBe(0);
  });

  it('sends the rest of a packet at a new rate when it is rescaled', () => {
    const some = link();
    some.offer('a', 100, 0);
    some.rescale(0.5, 50);
    expect(some.arrivals(159)).toEqual([]);
    expect(some.arrivals(160)).toEqual(['a']);
  });

  it('never carries more than its capacity, and everything in order', () => {
    const packets = fc.array(fc.tuple(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 0, max: 2000 })));
    fc.assert(
      fc.property(packets, (some) => {
        const capacity = uneven();
        const wide = new Link<number>({ capacity, delayMs: 0, queuePackets: 1000 });
        let now = 0;
        some.forEach(([bytes, pause], index) => wide.offer(index, bytes, (now += pause)));
        wide.arrivals(now);
        expect(wide.counts.sentBytes).toBeLessThanOrEqual(capacity.sent(now));
        const later = wide.arrivals(1e9);
        expect(later).toEqual([...later].sort((a, b) => a - b));
      }),
    );
  });
});

describe('conditionsAt', () => {
  it('repeats with the trace, and has nothing where the trace has none', () => {
    const conditions = [10, 20].map((delayMs) => ({ delayMs, lossPercent: 1 }));
    const at = conditionsAt({ step: 0.5, rates: [8000, 8000], conditions });
    expect([0, 499, 500, 1000, 1700].map((now) => at(now).delayMs)).toEqual([10, 10, 20, 10, 20]);
    expect(conditionsAt({ step: 1, rates: [8000] })(7000)).toEqual({ delayMs: 0, lossPercent: 0 });
  });
});

describe('lossPattern', () => {
  const lost = (loss: { percent: number; meanBurst?: number }, seed = 1) => {
    const isLost = lossPattern(loss, seededRandom(seed));
    return Array.from({ length: 20_000 }, (_, packet) => isLost(packet));
  };
  const bursts = (pattern: boolean[]) => pattern.filter((value, index) => value && !pattern[index - 1]).length;

  it('loses the share it is given, alone or in bursts of the length it is given', () => {
    for (const meanBurst of [1, 8]) {
      const pattern = lost({ percent: 4, meanBurst });
      const count = pattern.filter(Boolean).length;
      expect(count / pattern.length).toBeGreaterThan(0.03);
      expect(count / pattern.length).toBeLessThan(0.05);
      expect(Math.abs(count / bursts(pattern) / meanBurst - 1)).toBeLessThan(0.2);
    }
  });

  it('refuses a share that bursts of that length cannot have', () => {
    expect(() => lossPattern({ percent: 81, meanBurst: 4 }, seededRandom(1))).toThrow(
      'bursts of 4 lose at most 80 %, got 81',
    );
    expect(lost({ percent: 100 }).every(Boolean)).toBe(true);
  });

  it('loses in each second as much as it is told of that second', () => {
    const seconds = [0, 55, 2];
    const isLost = lossPattern(
      (now) => ({ percent: seconds[Math.floor(now / 1000) % 3]!, meanBurst: 2 }),
      seededRandom(1),
    );
    const counts = [0, 0, 0];
    for (let now = 0; now < 300_000; now++) if (isLost(now)) counts[Math.floor(now / 1000) % 3]!++;
    expect(counts[0]).toBe(0);
    expect(counts[1]).toBeCloseTo(55_000, -3);
    expect(counts[2]).toBeCloseTo(2_000, -2.5);
  });

  it('loses the same packets with the same seed', () => {
    expect(lost({ percent: 4, meanBurst: 8 })).toEqual(lost({ percent: 4, meanBurst: 8 }));
    expect(lost({ percent: 4, meanBurst: 8 })).not.toEqual(lost({ percent: 4, meanBurst: 8 }, 2));
  });
});
