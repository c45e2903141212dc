import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArrivedBytes } from './arriving-body.js';

describe('what bytes that come over a new connection show of the link', () => {
  let arrived: ArrivedBytes;
  let loaded: number;
  beforeEach(() => {
    vi.useFakeTimers();
    [arrived, loaded] = [new ArrivedBytes(1000), 0];
  });
  afterEach(() => void vi.useRealTimers());

  /** Lets so many bytes come after so many milliseconds. */
  function come(bytes: number, after: number): void {
    vi.advanceTimersByTime(after);
    arrived.add(loaded, new Uint8Array(bytes));
    loaded += bytes;
  }

  it('is their own rate, from the first of them on, where they come evenly', () => {
    for (const after of [200, 100, 100, 100, 100]) come(200, after);
    expect(arrived.shown).toEqual({ bytes: 1000, seconds: expect.closeTo(0.6) as number, timeToFirstByte: 0.2 });
  });

  it('is the rate of their second half where that came faster: slow start held up the first', () => {
    for (const [bytes, after] of [
      [0, 100],
      [100, 100],
      [100, 100],
      [300, 100],
      [250, 50],
      [250, 50],
    ] as const)
      come(bytes, after);
    const { bytes, seconds, timeToFirstByte } = arrived.shown;
    expect([bytes, timeToFirstByte]).toEqual([1000, 0.1]);
    expect(bytes / (seconds - timeToFirstByte!)).toBeCloseTo(5000);
  });

  it('is no more than twice the mean: a busy page hears of the rest all at once', () => {
    for (const [bytes, after] of [
      [0, 100],
      [500, 300],
      [500, 1],
    ] as const)
      come(bytes, after);
    const { bytes, seconds, timeToFirstByte } = arrived.shown;
    expect(bytes / (seconds - timeToFirstByte!)).toBeCloseTo((2 * 1000) / 0.301);
  });

  it('is the wait alone where all came at once', () => {
    come(1000, 300);
    expect(arrived.shown).toEqual({ bytes: 1000, seconds: 0.3 });
  });

  it('is their rate where the second half came slower', () => {
    for (const [bytes, after] of [
      [100, 100],
      [500, 100],
      [400, 300],
    ] as const)
      come(bytes, after);
    expect(arrived.shown).toEqual({ bytes: 1000, seconds: 0.5, timeToFirstByte: 0.1 });
  });
});
