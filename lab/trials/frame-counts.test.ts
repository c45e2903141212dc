import { describe, expect, it } from 'vitest';
import { countFrames } from './frame-counts.js';

const bool = (text: string) => Array.from(text, (digit) => digit === '1');

describe('countFrames', () => {
  it('tells dropped from lost, and referenced frames from others', () => {
    const segments = [
      // Whole; its frames' references are not known.
      { frames: 'rccc', references: undefined },
      // Two frames left out, which nothing refers to.
      { frames: 'rcsscc', references: bool('110011') },
      // Three of four referenced frames left out.
      { frames: 'rsssss', references: bool('111100') },
      // Lost, not left out.
      { frames: 'rcxxcc', references: bool('111111') },
    ];
    expect(countFrames(segments)).toEqual({
      framesTotal: 22,
      framesSkipped: 7,
      framesRepaired: 2,
      segmentsWithDrops: 2 / 4,
      dropsWithReferences: 1 / 2,
      referencesDropped: 3 / 4,
    });
  });

  it('has no shares of nothing', () => {
    expect(countFrames([{ frames: '', references: undefined }])).toMatchObject({
      segmentsWithDrops: 0,
      dropsWithReferences: null,
      referencesDropped: null,
    });
    expect(countFrames([]).segmentsWithDrops).toBe(0);
  });
});
