import { expect, it } from 'vitest';
import type { CompareReport } from '../../demo/compare/voxel-compare.js';
import { runsTable } from './table.mjs';

const player = (id: string, waited: number) => ({
  ...{ id, waited, ssim: 0.9, latency: undefined },
  ...{ picturesPerSecond: 14, longestStill: 2, stillShare: 0.3 },
});

const report = (waited: number) =>
  ({
    preset: { isLive: false },
    players: [player('dynamic', waited), player('streams', 1)],
  }) as unknown as CompareReport;

it('has what each player waited and, beside it, what it showed; the means below', () => {
  expect(runsTable([report(10), report(12)]).split('\n')).toEqual([
    ' run   player  waited, s  pictures/s  longest still, s  still, %    SSIM',
    '   1  dynamic      10.00        14.0              2.00      30.0  0.9000',
    '   1  streams       1.00        14.0              2.00      30.0  0.9000',
    '   2  dynamic      12.00        14.0              2.00      30.0  0.9000',
    '   2  streams       1.00        14.0              2.00      30.0  0.9000',
    'mean  dynamic      11.00        14.0              2.00      30.0  0.9000',
    'mean  streams       1.00        14.0              2.00      30.0  0.9000',
  ]);
});
