import { describe, expect, it } from 'vitest';
import { ManifestError } from '../manifest/errors.js';
import type { RepresentationMap, SegmentMap } from '../manifest/segment-map.js';
import { segmentOf } from '../../test/unit/segment-content.js';
import { upcomingOptions } from './upcoming-options.js';

const map = segmentOf(0, [40, 60, 10, 30]);

function representation(segment: (index: number) => SegmentMap | undefined): RepresentationMap {
  return { id: 'q', metric: 'ssim', averageScore: 1, bandwidth: 1000, segmentCount: 20, segment };
}

const always = representation(() => map);
const until = (count: number) => representation((index) => (index < count ? map : undefined));
const lengths = (ladder: readonly RepresentationMap[], index: number) =>
  upcomingOptions(ladder, index, 'partial').map((options) => options.length);

describe('upcomingOptions', () => {
  it('are those of eight segments, fewer at the end of the stream', () => {
    expect(lengths([always], 0)).toEqual([3, 3, 3, 3, 3, 3, 3, 3]);
    expect(lengths([until(10)], 8)).toEqual([3, 3]);
    expect(lengths([until(10)], 10)).toEqual([]);
  });

  it('end where a representation that has data for the first segment has none', () => {
    expect(lengths([always, until(2)], 0)).toEqual([6, 6]);
    expect(lengths([always, until(2)], 2)).toHaveLength(8);
  });

  it('leave a representation out whose data for the segment is bad', () => {
    const bad = representation(() => {
      throw new ManifestError('syntax', 'bad');
    });
    expect(lengths([bad, until(1)], 0)).toEqual([3]);
  });

  it('are whole segments alone where frames cannot be chosen', () => {
    const [options] = upcomingOptions([always, always], 0, 'whole');
    expect(options!.map(({ representation, level }) => [representation, level])).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });
});
