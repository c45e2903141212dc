import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../tools/setup/paths.mjs';
import kept from '../../../docs/results/variability.json' with { type: 'json' };
import { readTraces } from './trace-source.js';
import { makeTrace } from './trace.js';
import { variabilityOf } from './variability.js';

const RECORDINGS = join(root, '../shared/data/traces/voxel');

it('is the deviation of what whole seconds carry', () => {
  const trace = makeTrace('link', 0.5, [1e6, 3e6, 4e6, 4e6]);
  expect(variabilityOf(trace)).toEqual({ name: 'link', seconds: 2, mean: 3, deviation: 1 });
});

// Without the recordings (`npm run data`) there is nothing to compare with.
it.skipIf(!existsSync(RECORDINGS))('of the five recordings is as it is kept', () => {
  expect(readTraces(RECORDINGS, 1).map(variabilityOf)).toEqual(kept);
});
