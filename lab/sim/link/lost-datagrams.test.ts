import { describe, expect, it } from 'vitest';
import { totalBytes } from '../../../src/manifest/byte-range.js';
import { lostDatagrams } from './lost-datagrams.js';
import { seededRandom } from '../random.js';

describe('lostDatagrams', () => {
  const random = seededRandom(1);

  it('loses all datagrams of a burst that nothing of came', () => {
    const lost = lostDatagrams([{ start: 1000, end: 4600, lost: 3600, run: 1 }], random);
    expect(lost).toEqual([
      { start: 1000, end: 2200 },
      { start: 2200, end: 3400 },
      { start: 3400, end: 4600 },
    ]);
  });

  it('loses whole datagrams, as many as the share says', () => {
    for (let time = 0; time < 100; time++) {
      const lost = lostDatagrams([{ start: 0, end: 12_000, lost: 3000, run: 1 }], random);
      expect([2, 3]).toContain(lost.length);
      expect(lost.every(({ start, end }) => start % 1200 === 0 && end === start + 1200)).toBe(true);
    }
  });

  it('loses on average what was lost, wherever it was', () => {
    const times = 4000;
    let first = 0;
    let sum = 0;
    for (let time = 0; time < times; time++) {
      const lost = lostDatagrams([{ start: 0, end: 6000, lost: 1500, run: 1 }], random);
      sum += totalBytes(lost);
      if (lost[0]?.start === 0) first++;
    }
    expect(sum / times / 1500).toBeCloseTo(1, 1);
    expect(first / times / 0.25).toBeCloseTo(1, 0);
  });

  it('loses datagrams in a row where the path does', () => {
    for (let time = 0; time < 100; time++) {
      const lost = lostDatagrams([{ start: 0, end: 120_000, lost: 9600, run: 4 }], random);
      expect(totalBytes(lost)).toBe(9600);
      expect(lost).toHaveLength(2);
    }
  });

  it('loses nothing without a burst', () => {
    expect(lostDatagrams([], random)).toEqual([]);
  });
});
