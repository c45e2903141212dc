import { describe, expect, it } from 'vitest';
import { Cubic } from './cubic.js';

const PACKET = 1000;

/** A window after a loss at 0 s at which it had 100 packets. */
function afterLoss(): Cubic {
  const window = new Cubic(PACKET);
  while (window.size < 100 * PACKET) window.acknowledge(Math.min(window.size, 100 * PACKET - window.size), 0);
  window.reduce(0);
  return window;
}

describe('Cubic', () => {
  it('starts with ten packets and doubles with every window that arrives (RFC 9002 §7.3.1)', () => {
    const window = new Cubic(PACKET);
    const sizes = [1, 2, 3].map(() => {
      window.acknowledge(window.size, 0);
      return window.size / PACKET;
    });
    expect(sizes).toEqual([20, 40, 80]);
  });

  it('keeps 0.7 of itself at a loss (RFC 9438 §4.6)', () => {
    expect(afterLoss().size).toBeCloseTo(70 * PACKET);
  });

  it('is back at its plateau after K seconds (RFC 9438 §4.2)', () => {
    const window = afterLoss();
    const plateauTime = Math.cbrt(30 / 0.4);
    // A long round trip keeps the Reno estimate out of the way.
    for (let time = 0.5; time <= plateauTime; time += 0.5) window.acknowledge(window.size, time);
    expect(window.size / PACKET).toBeGreaterThan(98);
    expect(window.size / PACKET).toBeLessThan(101);
  });

  it('grows no slower than Reno on short round trips (RFC 9438 §4.3)', () => {
    const window = afterLoss();
    for (let time = 0.01; time <= 1; time += 0.01) window.acknowledge(window.size, time);
    expect(window.size / PACKET).toBeGreaterThan(70 + 100 * 0.5);
  });

  it('never falls below two packets', () => {
    const window = new Cubic(PACKET);
    for (let i = 0; i < 50; i++) window.reduce(i);
    expect(window.size).toBe(2 * PACKET);
  });

  it('starts anew after a pause, but not after a short one', () => {
    const window = afterLoss();
    window.rest(0.5);
    expect(window.size).toBeCloseTo(70 * PACKET);
    window.rest(5);
    expect(window.size).toBe(10 * PACKET);
    window.acknowledge(window.size, 10);
    expect(window.size).toBe(20 * PACKET);
  });

  it('keeps its window over a pause where it is paced, and goes on with its curve', () => {
    const [window, without] = [new Cubic(PACKET, { isPaced: true }), new Cubic(PACKET, { isPaced: true })];
    for (const each of [window, without]) {
      each.acknowledge(10 * PACKET, 0);
      each.reduce(0);
    }
    window.rest(5);
    expect(window.size).toBe(14 * PACKET);
    window.acknowledge(window.size, 6);
    without.acknowledge(without.size, 1);
    expect(window.size).toBeCloseTo(without.size);
  });

  it('pauses slow start while there is a queue where it is paced, and ends it where that lasts', () => {
    const window = new Cubic(PACKET, { isPaced: true });
    window.acknowledge(window.size, 0.1, true);
    expect(window.size).toBe(10 * PACKET);
    window.acknowledge(window.size, 0.2, false);
    expect(window.size).toBe(20 * PACKET);
    for (const time of [0.3, 0.4]) window.acknowledge(window.size, time, true);
    window.acknowledge(window.size, 0.5, false);
    expect(window.size).toBeLessThan(25 * PACKET);
    const plain = new Cubic(PACKET);
    plain.acknowledge(plain.size, 0.1, true);
    expect(plain.size).toBe(20 * PACKET);
  });

  it('grows only where most of it was used', () => {
    const window = new Cubic(PACKET);
    window.acknowledge(4 * PACKET, 0.1, false, 0.4);
    expect(window.size).toBe(10 * PACKET);
    window.acknowledge(6 * PACKET, 0.1, false, 0.6);
    expect(window.size).toBe(16 * PACKET);
  });

  it('takes a loss of a packet back where the server does, but for the one that ends slow start', () => {
    const [forgiving, strict] = [true, false].map((forgives) => {
      const window = new Cubic(PACKET, { isPaced: true, forgives });
      window.reduce(0.1, PACKET);
      window.acknowledge(window.size, 0.2);
      expect(window.size).toBeLessThan(8 * PACKET);
      window.reduce(0.3, PACKET);
      window.acknowledge(window.size, 0.4);
      return window.size;
    });
    expect(forgiving).toBeGreaterThan(6.9 * PACKET);
    expect(strict).toBeLessThan(6 * PACKET);
  });

  it('takes nothing back where much was lost', () => {
    const window = new Cubic(PACKET, { isPaced: true, forgives: true });
    window.reduce(0.1, PACKET);
    window.acknowledge(window.size, 0.2);
    window.reduce(0.3, PACKET);
    window.overlook(2 * PACKET);
    window.acknowledge(window.size, 0.4);
    expect(window.size).toBeLessThan(6 * PACKET);
  });
});
