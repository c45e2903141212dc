import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareWithPeer, peerExperiment } from './peer.js';
import { runExperiment } from './pool.js';

const shared = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');
const traces = join(shared, 'traces', 'norway-3g');
const reference = join(shared, 'reference', 'sabre-86x3g-cbr.csv');
const isHere = existsSync(traces) && existsSync(reference);
if (!isHere) console.warn(`left out: the comparison with Sabre needs ${traces} and ${reference}`);

describe.runIf(isHere)('against Sabre over 86 3G traces', () => {
  it('is within 0.5 percentage points of bufRatio and 5 % of bitrate in the median, for both rules at every buffer', async () => {
    const comparisons = compareWithPeer(await runExperiment(peerExperiment(traces), { jobs: 1 }), reference);
    expect(comparisons.map(({ abr, buffer, traces: count }) => [abr, buffer, count])).toEqual(
      ['bola-e+clipstream', 'tput+clipstream'].flatMap((abr) => [1, 3, 7].map((buffer) => [abr, buffer, 86])),
    );
    for (const { bufRatioDifference, bitrateDifference } of comparisons) {
      expect(bufRatioDifference).toBeLessThanOrEqual(0.005);
      expect(bitrateDifference).toBeLessThanOrEqual(0.05);
    }
  });
});
