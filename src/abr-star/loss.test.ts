import { describe, expect, test } from 'vitest';
import { LossEstimator } from './loss.js';

describe('loss rate', () => {
  test('is not known before the first datagram', () => {
    const loss = new LossEstimator();
    loss.add({ bytesSent: 0, bytesLost: 0 });
    expect(loss.lossRate).toBeUndefined();
  });

  test('is the share of bytes, not the mean of shares', () => {
    const loss = new LossEstimator();
    loss.add({ bytesSent: 1000, bytesLost: 0 });
    loss.add({ bytesSent: 9200, bytesLost: 1000 });
    expect(loss.lossRate).toBeCloseTo(0.1, 9);
  });

  test('forgets', () => {
    const loss = new LossEstimator();
    loss.add({ bytesSent: 1000, bytesLost: 1000 });
    for (let download = 0; download < 30; download++) loss.add({ bytesSent: 1000, bytesLost: 0 });
    expect(loss.lossRate).toBeLessThan(0.001);
  });
});
