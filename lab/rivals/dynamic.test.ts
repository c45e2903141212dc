import { expect, test } from 'vitest';
import { knownThroughput } from '../../src/abr-star/testing/arbitrary.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import type { DecisionState } from '../../src/abr-star/types.js';
import { BolaE } from './bola-e.js';
import { Dynamic } from './dynamic.js';
import { Tput } from './tput.js';

const options = ladderOptions(thesisLadder, 4);

function state(throughput: number | undefined, bufferLevel: number): DecisionState {
  return {
    ...{ segmentIndex: 2, segmentDuration: 4, bufferLevel, bufferCapacity: 32, ladder: thesisLadder, options },
    ...{ ...knownThroughput(throughput), lastChoice: undefined },
  };
}

test('goes by throughput until there are 12 s in the buffer, then by BOLA until there are less than 6', () => {
  const [dynamic, tput, bola] = [new Dynamic(), new Tput(), new BolaE()];
  const levels = [
    [4, 'throughput'],
    [11, 'throughput'],
    [13, 'buffer'],
    [7, 'buffer'],
    [5, 'throughput'],
    [7, 'throughput'],
  ] as const;
  for (const [bufferLevel, by] of levels) {
    const now = state(3e6, bufferLevel);
    const chosen = { throughput: tput.choose(now), buffer: bola.choose(now) };
    expect(dynamic.choose(now)).toEqual(chosen[by]);
  }
});

test('begins with the highest representation of at most 1 Mbit/s', () => {
  const { option } = new Dynamic().choose(state(undefined, 0));
  const bitrates = thesisLadder.map(({ bitrate }) => bitrate);
  expect(bitrates[option.representation]).toBeLessThanOrEqual(1e6);
  expect(bitrates[option.representation + 1]).toBeGreaterThan(1e6);
});
