import { describe, expect, it } from 'vitest';
import { ManifestError } from '../manifest/errors.js';
import type { RepresentationMap, SegmentMap } from '../manifest/segment-map.js';
import { segmentOf } from '../../test/unit/segment-content.js';
import { UpcomingOptions, wholeAlone } from './upcoming-options.js';

const map = segmentOf(0, [40, 60, 10, 30]);

function representation(segment: (index: number) => SegmentMap | undefined): RepresentationMap {
  return { id: 'q', metric: 'ssim', averageScore: 1, bandwidth: 1000, segmentCount: 20, segment };
}

const always = representation(() => map);
const until = (count: number) => representation((index) => (index < count ? map : undefined));
const lengths = (ladder: readonly RepresentationMap[], index: number) =>
  new UpcomingOptions().from(ladder, index).map((options) => options.length);

describe('UpcomingOptions', () => {
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
    const [options] = new UpcomingOptions().from([always, always], 0).map(wholeAlone);
    expect(options!.map(({ representation, level }) => [representation, level])).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  it('stay the same arrays from one decision to the next, until a map is another one', () => {
    const upcoming = new UpcomingOptions();
    const maps = Array.from({ length: 9 }, () => segmentOf(0, [40, 60, 10, 30]));
    let last = map;
    const ladder = [representation((index) => maps[index] ?? last)];
    const [before, after] = [upcoming.from(ladder, 0), upcoming.from(ladder, 1)];
    expect(after.slice(0, -1).every((options, index) => options === before[index + 1])).toBe(true);
    expect(upcoming.from(ladder, 2).at(-1)).toHaveLength(3);
    last = segmentOf(0, [40, 60]);
    expect(upcoming.from(ladder, 2).at(-1)).toHaveLength(2);
  });
});
