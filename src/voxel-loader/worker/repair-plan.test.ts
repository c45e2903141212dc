import { expect, it } from 'vitest';
import { repairPlan } from './repair-plan.js';

const layout = {
  range: { start: 1000, end: 1100 },
  reliable: [{ start: 1000, end: 1060 }],
  unreliable: [
    { start: 1080, end: 1100 },
    { start: 1060, end: 1080 },
  ],
  reliableBytes: 60,
};

it('says by positions in the segment what is taken out, and where the picture before is held', () => {
  expect(repairPlan(layout)).toBeUndefined();
  expect(repairPlan({ ...layout, needs: [[], [0]] })).toEqual({
    kind: 'remove',
    frames: [
      { start: 80, end: 100, needs: [] },
      { start: 60, end: 80, needs: [0] },
    ],
  });
  expect(repairPlan({ ...layout, reach: [2, 0] })).toEqual({
    kind: 'hold',
    frames: [
      { start: 80, end: 100, reach: 2 },
      { start: 60, end: 80, reach: 0 },
    ],
  });
});
