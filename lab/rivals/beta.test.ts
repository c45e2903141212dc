import { describe, expect, test } from 'vitest';
import { Beta } from './beta.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import type { DecisionState, Option, Review } from '../../src/abr-star/types.js';

const options = ladderOptions(thesisLadder, 4);
const option = (representation: number, level = 7) =>
  options.find((other) => other.representation === representation && other.level === level)!;

function reviewed(chosen: Option, download: { part: number; elapsed: number; bufferLevel: number }): Review {
  const { part, elapsed, bufferLevel } = download;
  const state: DecisionState = {
    ...{ segmentIndex: 2, segmentDuration: 4, bufferLevel, bufferCapacity: 16, throughput: 3e6, samples: [] },
    ...{ lastChoice: option(0), ladder: thesisLadder, options },
  };
  const bytesReceived = chosen.bytes * part;
  const arrived = options.filter((o) => o.representation === chosen.representation && o.bytes <= bytesReceived);
  const beta = new Beta();
  beta.choose(state);
  return beta.review({
    ...{ state, option: chosen, elapsed, bytesReceived },
    phase: bytesReceived < chosen.reliableBytes ? 'reliable' : 'unreliable',
    levelReceived: arrived.at(-1)?.level ?? 0,
  });
}

describe('BETA', () => {
  test('travels on streams alone', () => {
    expect(new Beta().delivery).toBe('streams');
  });

  test('goes on while the whole segment comes in time', () => {
    expect(reviewed(option(8), { part: 0.5, elapsed: 2, bufferLevel: 2.1 })).toEqual({ action: 'continue' });
  });

  test('ends a late download when nothing but unreferenced B-frames is missing: the last tenth', () => {
    expect(reviewed(option(8), { part: 0.91, elapsed: 4, bufferLevel: 0.1 })).toEqual({ action: 'keep' });
  });

  test('goes on to that point where it is reached in time', () => {
    expect(reviewed(option(8), { part: 0.8, elapsed: 4, bufferLevel: 0.6 })).toEqual({ action: 'continue' });
  });

  test('falls back to the lowest representation where it is not', () => {
    expect(reviewed(option(8), { part: 0.5, elapsed: 4, bufferLevel: 1 })).toEqual({
      action: 'restart',
      option: option(0),
    });
  });

  test('does not fall back to what is bigger than the rest, nor from the lowest', () => {
    expect(reviewed(option(1), { part: 0.5, elapsed: 4, bufferLevel: 1 })).toEqual({ action: 'continue' });
    expect(reviewed(option(0), { part: 0.1, elapsed: 4, bufferLevel: 0.1 })).toEqual({ action: 'continue' });
  });
});
