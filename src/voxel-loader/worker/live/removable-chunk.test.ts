import { expect, it } from 'vitest';
import { LiveRecordReader } from '../../../manifest/live-records.js';
import { chunkContent, HEAD, record } from '../../../../test/unit/live-chunks.js';
import { repairPlan } from '../repair-plan.js';
import { withNeeds } from './removable-chunk.js';

it('each frame of a chunk needs those before it in the order that are decoded before it', () => {
  const reader = new LiveRecordReader();
  reader.push(HEAD);
  const [read] = reader.push(record(1, chunkContent({ lengths: [9, 1, 9, 2, 9, 3], decodeTime: 0, duration: 40 }, 0)));
  const { chunk } = read as Extract<typeof read, { type: 'chunk' }>;
  const [last, middle, first] = chunk.frames;
  // The vectors' frames are numbered as they are ranked.
  const frames = [middle!, { ...last!, index: 3 }, { ...first!, index: 1 }];
  const unreliable = frames.flatMap(({ ranges }) => ranges);
  expect(withNeeds({ ...chunk, frames, unreliable }).needs).toEqual([[], [0], []]);
  expect(repairPlan(withNeeds(chunk))).toMatchObject({
    kind: 'remove',
    frames: [{ needs: [] }, { needs: [0] }, { needs: [0, 1] }],
  });
});
