import { expect, it } from 'vitest';
import { parseConfig } from './config.js';
import { keptTrials } from './kept-trials.js';
import type { Media } from './media.js';
import { planTrials } from './plan.js';
import { tracesOf } from './traces.js';

/** Its video is not there, and nothing may be done to have it. */
const fields = {
  title: 't',
  videos: [{ file: 'absent.mp4' }],
  traces: ['constant:1'],
  buffers: [1],
  systems: ['voxel', 'bola'],
};
const config = parseConfig(JSON.stringify(fields), 'test.json');
const traces = tracesOf(config);

it('has the identifiers of what was tried, whatever content the video had, without the video', () => {
  const media = { name: 'absent', digest: 'prepared once', folder: '/clip' } as Media;
  const [tried] = planTrials(config, [media], traces);
  const trials = keptTrials(config, traces, [tried!]);
  expect(trials.map(({ system }) => system.name)).toEqual(['voxel', 'bola']);
  expect(trials[0]!.id).toBe(tried!.id);
});

it('takes the latest where a video was prepared anew', () => {
  const ids = ['first', 'then'].map((digest) => {
    const media = { name: 'absent', digest, folder: '' } as Media;
    return planTrials(config, [media], traces)[1]!.id;
  });
  expect(
    keptTrials(
      config,
      traces,
      ids.map((id) => ({ id })),
    )[1]!.id,
  ).toBe(ids[1]);
});
