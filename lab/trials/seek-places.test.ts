import { describe, expect, it } from 'vitest';
import { seekPlaces } from './seek-places.js';

describe('seekPlaces', () => {
  const video = { segments: 15, segmentDuration: 4, buffer: 1 };

  it('has the same places for the same seed, none of which the one before has brought', () => {
    const places = seekPlaces(7, 20, video);
    expect(seekPlaces(7, 20, video)).toEqual(places);
    expect(seekPlaces(8, 20, video)).not.toEqual(places);
    const segments = [0, ...places.map((place) => Math.floor(place / 4))];
    for (const [index, segment] of segments.entries()) {
      const before = segments[index - 1] ?? -Infinity;
      expect(segment < before - 1 || segment > before + 4).toBe(true);
      expect(segment).toBeLessThan(14);
    }
  });

  it('finds places in the ten segments of the short sessions, and says where there are none', () => {
    for (let seed = 0; seed < 50; seed++)
      expect(seekPlaces(seed, 10, { segments: 10, segmentDuration: 1, buffer: 1 })).toHaveLength(10);
    expect(() => seekPlaces(1, 1, { segments: 5, segmentDuration: 4, buffer: 1 })).toThrow(
      'seeks: a video of 5 segments has no place that is not buffered',
    );
  });
});
