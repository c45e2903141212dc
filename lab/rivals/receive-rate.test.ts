import { describe, expect, test } from 'vitest';
import { ReceiveRate } from './receive-rate.js';

describe('rate since the first byte', () => {
  test('is 0 before it', () => {
    const received = new ReceiveRate();
    received.update(0.3, 0);
    expect(received.throughput).toBe(0);
  });

  test('counts neither bytes nor time before it', () => {
    const received = new ReceiveRate();
    received.update(0.05, 0);
    received.update(0.1, 0);
    received.update(0.3, 25_000);
    expect(received.timeToFirstByte).toBe(0.1);
    expect(received.throughput).toBeCloseTo(1e6, 3);
  });

  test('is 0 for a clock that stands still', () => {
    const received = new ReceiveRate();
    received.update(0, 1000);
    expect(received.throughput).toBe(0);
  });
});
