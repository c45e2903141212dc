import { describe, expect, it } from 'vitest';
import { totalSeconds } from './time-spans.js';

describe('totalSeconds', () => {
  it('adds spans up', () => {
    expect(totalSeconds([])).toBe(0);
    expect(
      totalSeconds([
        [0, 4],
        [10, 12.5],
      ]),
    ).toBe(6.5);
  });
});
