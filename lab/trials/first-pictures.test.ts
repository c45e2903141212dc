import { describe, expect, it } from 'vitest';
import { firstPictures, type SeenPictures } from './first-pictures.js';
import type { ShownPicture } from './page/types.js';

/** 25 pictures a second of the media from `mediaTime` on, shown from `at` on, ms. */
const shown = (at: number, mediaTime: number, seconds: number): ShownPicture[] =>
  Array.from({ length: Math.round(25 * seconds) }, (_, index) => [at + 40 * index, mediaTime + 0.04 * index, 0]);

/** Numbered, as the browser counts them. */
function session(changes: Partial<SeenPictures>) {
  const pictures = (changes.pictures ?? []).map(([at, time], index): ShownPicture => [at, time, index + 1]);
  const times = { start: 1000, request: 1010, end: 60_000 };
  return firstPictures({ times, seeks: [], outages: [], ...changes, pictures });
}

describe('firstPictures', () => {
  it('starts with the first picture, and says what is waited for afterwards', () => {
    expect(session({ pictures: shown(1500, 0, 10) }).start).toEqual({ seconds: 0.5, waitedAfter: 0 });
    const halting = session({ pictures: [...shown(1500, 0, 0.4), ...shown(2900, 0.4, 10)] });
    expect(halting.start.seconds).toBe(0.5);
    expect(halting.start.waitedAfter).toBeCloseTo(1.04);
    expect(session({}).start.seconds).toBe(60);
  });

  it('has of a jump the first picture of its place, not one that was still on its way', () => {
    const seek = { at: 5000, to: 30.01, buffered: false };
    const pictures = [...shown(1500, 0, 3.4), [5010, 3.4, 0] as const, ...shown(6200, 30, 3)];
    const [found] = session({ pictures, seeks: [seek] }).seeks;
    expect(found).toEqual({ to: 30.01, seconds: 1.2, waitedAfter: 0 });
    const before = [...shown(1500, 40, 3.4), [5010, 43.4, 0] as const, ...shown(6200, 30, 3)];
    expect(session({ pictures: before, seeks: [seek] }).seeks).toEqual([found]);
  });

  it('leaves out jumps within the buffer, and counts those that showed nothing as long as viewers wait', () => {
    const seeks = [
      { at: 5000, to: 30, buffered: true },
      { at: 8000, to: 60, buffered: false },
    ];
    expect(session({ pictures: shown(1500, 0, 3), seeks }).seeks).toEqual([{ to: 60, seconds: 60, waitedAfter: 0 }]);
  });

  it('resumes where the link was away until the video stood, from its return on', () => {
    const outages = [
      { start: 2, stop: 3 },
      { start: 10, stop: 20 },
    ];
    const pictures = [...shown(1500, 0, 14), ...shown(21_510, 14, 8)];
    expect(session({ pictures, outages }).resumes).toEqual([{ seconds: 0.5, waitedAfter: 0 }]);
    expect(session({ pictures: shown(1500, 0, 40), outages }).resumes).toEqual([]);
    const standing = { pictures: shown(1500, 0, 14), outages };
    expect(session(standing).resumes).toEqual([{ seconds: 60, waitedAfter: 0 }]);
    const left = { start: 1000, request: 1010, end: 16_000 };
    expect(session({ ...standing, times: left }).resumes).toEqual([]);
  });
});
