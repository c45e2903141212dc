import { expect, it } from 'vitest';
import { laneKinds } from '../types.js';
import { verdict } from './verdict.js';

const lane = (hasEnded: boolean) => ({
  kind: laneKinds[1]!,
  now: { at: 42, position: 40, waited: 0.81, isFrozen: false, hasEnded },
  ...{ perSecond: 13.78, longestStill: 1.96, score: 0.898 },
});

it('says beside the seconds waited how many pictures were shown, how long one stood, and how good they were', () => {
  expect(verdict([lane(true)])).toEqual([
    'VOXEL over streams waited 0.8 s and showed 13.8 pictures a second, one of them for 2.0 s, at SSIM 0.898.',
  ]);
});

it('waits until all have ended', () => {
  expect(verdict([lane(true), lane(false)])).toEqual([]);
});
