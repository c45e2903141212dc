import { describe, expect, test } from 'vitest';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import { Bba } from './bba.js';
import type { DecisionState } from '../../src/abr-star/types.js';

const options = ladderOptions(thesisLadder, 4);

/** Representation chosen with `bufferLevel` s in a buffer for `bufferCapacity` s. */
function chosenAt(bufferLevel: number, bufferCapacity = 24): number {
  const state: DecisionState = {
    ...{ segmentIndex: 9, segmentDuration: 4, bufferLevel, bufferCapacity, ladder: thesisLadder, options },
    ...{ throughput: 1e9, samples: [], lastChoice: undefined },
  };
  return new Bba().choose(state).option.representation;
}

describe('by the buffer alone', () => {
  test('takes the smallest up to a fifth of it, the largest from four fifths on', () => {
    expect([0, 4.8].map((level) => chosenAt(level))).toEqual([0, 0]);
    expect([19.3, 20].map((level) => chosenAt(level))).toEqual([12, 12]);
    expect(chosenAt(19)).toBe(11);
  });

  test('takes what fits on the straight line between them', () => {
    // Half way, at 12 s: 0.16 + 0.5 · (10 − 0.16) = 5.08 Mbit/s, so 4.3; 0.16 + 0.6 · 9.84 = 6.06 Mbit/s at 13.44 s, so 5.8.
    expect([12, 13.45].map((level) => chosenAt(level))).toEqual([9, 10]);
  });

  test('knows nothing where the buffer holds one segment', () => {
    expect(chosenAt(4, 8)).toBe(0);
  });

  test('waits for room, and decides with the level that will be left', () => {
    const state = { segmentIndex: 9, segmentDuration: 4, bufferCapacity: 24, ladder: thesisLadder, options };
    const { delay, option } = new Bba().choose({
      ...{ ...state, bufferLevel: 22, throughput: undefined, samples: [], lastChoice: undefined },
    });
    expect(delay).toBe(2);
    expect(option.representation).toBe(12);
  });
});
