import { describe, expect, it } from 'vitest';
import { PictureMetrics } from './picture-metrics.js';

/** With pictures shown at these times, ms, of which the browser tells each. */
function shown(...times: number[]): PictureMetrics {
  const metrics = new PictureMetrics();
  for (const [index, at] of times.entries()) metrics.add(at, index + 1);
  return metrics;
}

describe('PictureMetrics', () => {
  it('has of pictures their number, their time, and what stood for more than .2 s', () => {
    expect(shown(0, 40, 80, 280, 581, 621).summary(621)).toEqual({
      ...{ pictures: 5, seconds: 0.621, stillSeconds: 0.301, longestStill: 0.301 },
    });
  });

  it('has what stands now, once that is still', () => {
    expect(shown(0, 40).summary(240)).toMatchObject({ pictures: 1, seconds: 0.04, stillSeconds: 0 });
    expect(shown(0, 40).summary(340)).toMatchObject({ pictures: 2, seconds: 0.34, stillSeconds: 0.3 });
  });

  it('takes pictures of which a busy page was not told to have come evenly', () => {
    const metrics = new PictureMetrics();
    metrics.add(0, 10);
    metrics.add(320, 18);
    metrics.add(720, 19);
    expect(metrics.summary(720)).toEqual({ pictures: 9, seconds: 0.72, stillSeconds: 0.4, longestStill: 0.4 });
  });

  it('leaves pauses out, but not the time up to them, nor the wait for the next picture after them', () => {
    const metrics = shown(0, 40);
    metrics.interrupt(90);
    metrics.resume(5000);
    metrics.resume(5001);
    metrics.add(5300, 60);
    expect(metrics.summary(5300)).toEqual({ pictures: 3, seconds: 0.39, stillSeconds: 0.3, longestStill: 0.3 });
  });

  it('says nothing of how long the last picture stands', () => {
    const metrics = shown(0, 40, 80);
    metrics.end();
    expect(metrics.summary(9000)).toMatchObject({ pictures: 2, seconds: 0.08, stillSeconds: 0 });
  });
});
