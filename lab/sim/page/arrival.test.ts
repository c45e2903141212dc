import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrival, sendingTime } from '../../../src/delivery/arrival.js';
import { INITIAL_WINDOW } from './connections.js';
import { loadTime } from './load.js';
import { POLICIES } from './policies.js';

const PATH = { rate: 1e6, roundTrip: 0.1, transfers: 0 };

describe('the predicted arrival', () => {
  it('over an idle connection: a round trip and the bytes', () => {
    expect(arrival(50_000, PATH, { setup: 0, remaining: 0, window: Infinity })).toBeCloseTo(0.15, 9);
  });

  it('beside two transfers: a third of the rate', () => {
    const path = { ...PATH, transfers: 2 };
    expect(arrival(50_000, path, { setup: 0, remaining: 0, window: Infinity })).toBeCloseTo(0.25, 9);
  });

  it('behind what the connection carries: after it, in its place', () => {
    const path = { ...PATH, transfers: 2 };
    expect(arrival(50_000, path, { setup: 0, remaining: 20_000, window: Infinity })).toBeCloseTo(0.04 + 0.1 + 0.1, 9);
  });

  it('over a new connection: handshakes and slow start', () => {
    expect(arrival(200_000, PATH, { setup: 0.1, remaining: 0, window: INITIAL_WINDOW })).toBeCloseTo(0.5978, 9);
  });

  it('never comes before the rate or the window allows, and more bytes never earlier', () => {
    const sending = fc.record({
      rate: fc.integer({ min: 1000, max: 1e8 }),
      roundTrip: fc.double({ min: 0.001, max: 1, noNaN: true }),
      window: fc.integer({ min: 1460, max: 1e6 }),
    });
    fc.assert(
      fc.property(sending, fc.integer({ min: 1, max: 1e7 }), fc.integer({ min: 1, max: 1e6 }), (path, bytes, more) => {
        const time = sendingTime(bytes, path);
        expect(time).toBeGreaterThanOrEqual((bytes / path.rate) * (1 - 1e-9));
        expect(sendingTime(bytes + more, path)).toBeGreaterThan(time);
      }),
    );
  });

  it('of one object is what the network makes of it', () => {
    const path = fc.record({
      rate: fc.integer({ min: 1000, max: 1e7 }),
      roundTrip: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
    });
    fc.assert(
      fc.property(path, fc.integer({ min: 1, max: 1e6 }), (one, size) => {
        const time = loadTime([{ size, host: 'a', secure: false, after: [] }], [one], POLICIES['interface-1']!(1));
        const state = { setup: one.roundTrip, remaining: 0, window: INITIAL_WINDOW };
        expect(arrival(size, { ...one, transfers: 0 }, state) / time).toBeCloseTo(1, 6);
      }),
    );
  });
});
