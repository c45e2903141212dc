import { beforeEach, describe, expect, it } from 'vitest';
import { PathTraffic } from './path-traffic.js';

let traffic: PathTraffic;

/** Bytes that come evenly in those milliseconds, one datagram in each. */
function arrive(from: number, to: number, bytesPerMs: number): void {
  for (let now = from; now <= to; now++) traffic.arrived(bytesPerMs, now);
}

beforeEach(() => (traffic = new PathTraffic()));

describe('PathTraffic', () => {
  it('knows the rate from what comes while bytes are owed, from the first byte on', () => {
    traffic.owes(true, 0);
    arrive(400, 1000, 500);
    expect(traffic.rate(1000)).toBeCloseTo(500_000);
    expect(traffic.bytes).toBe(601 * 500);
  });

  it('takes no pause for a slow path, and a short download for what it was', () => {
    traffic.owes(true, 0);
    arrive(20, 60, 500);
    traffic.owes(false, 60);
    expect(traffic.rate(60)).toBeCloseTo(500_000);
    traffic.owes(true, 5000);
    arrive(5020, 5200, 500);
    expect(traffic.rate(5200)).toBeCloseTo(500_000);
  });

  it('follows the rate within a second and a half', () => {
    traffic.owes(true, 0);
    arrive(20, 1000, 500);
    arrive(1001, 2500, 100);
    expect(traffic.rate(2500)! / 100_000).toBeLessThan(2);
  });

  it('forgets the rate after 10 s without a byte and with a new session, but says what it was', () => {
    traffic.owes(true, 0);
    arrive(20, 500, 500);
    expect(traffic.rate(10_499)).toBeDefined();
    expect(traffic.rate(10_500)).toBeUndefined();
    traffic.forget();
    expect(traffic.rate(500)).toBeUndefined();
    expect(traffic.lastRate).toBeCloseTo(500_000);
  });

  it('is silent only while it owes', () => {
    expect(traffic.silence(9000)).toBe(0);
    traffic.owes(true, 1000);
    expect(traffic.silence(1500)).toBe(0.5);
    traffic.arrived(10, 1600);
    expect(traffic.silence(1700)).toBeCloseTo(0.1);
    traffic.owes(false, 1700);
    expect(traffic.silence(9000)).toBe(0);
  });

  it('counts losses as a share of what was sent', () => {
    traffic.arrived(900, 1);
    traffic.lost(100);
    expect(traffic.lossRate).toBe(0.1);
  });
});
