import { describe, expect, test } from 'vitest';
import { knownThroughput } from '../../src/abr-star/testing/arbitrary.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import { Tput } from './tput.js';
import type { DecisionState, Review } from '../../src/abr-star/types.js';

const options = ladderOptions(thesisLadder, 4);
const whole = (representation: number) =>
  options.find((option) => option.representation === representation && option.level === 7)!;

function state(throughput: number | undefined, bufferLevel: number): DecisionState {
  return {
    ...{ segmentIndex: 2, segmentDuration: 4, bufferLevel, bufferCapacity: 32, ladder: thesisLadder, options },
    ...{ ...knownThroughput(throughput), lastChoice: whole(0) },
  };
}

describe('by throughput', () => {
  test('takes the highest bitrate below 0.9 of it', () => {
    expect(new Tput().choose(state(4.3e6 / 0.9, 20)).option).toBe(whole(9));
    expect(new Tput().choose(state(4.3e6 / 0.9 - 1, 20)).option).toBe(whole(8));
  });

  test('takes the lowest while it knows none', () => {
    expect(new Tput().choose(state(undefined, 20)).option).toBe(whole(0));
  });

  test('takes less where the buffer would run out', () => {
    expect(new Tput().choose(state(4.8e6, 1)).option.bytes).toBeLessThan((4.8e6 / 8) * 0.9);
  });

  test('measures from the first byte to the last', () => {
    const slow = { ...state(8e6, 20), samples: [{ bytes: 1e6, seconds: 3, timeToFirstByte: 2 }] };
    expect(new Tput().choose(slow).option).toBe(whole(10));
  });
});

describe('abandonment', () => {
  function reviewed(representation: number, mbps: number, elapsed: number): Review {
    const tput = new Tput();
    tput.choose(state(5e6, 20));
    const bytesReceived = (mbps * 1e6 * elapsed) / 8;
    return tput.review({
      ...{ state: state(5e6, 20), option: whole(representation), elapsed, bytesReceived },
      ...{ phase: 'unreliable', levelReceived: 0 },
    });
  }

  test('leaves a download alone that takes up to 1.8 segment durations', () => {
    expect(reviewed(8, 3 / 1.8 + 0.01, 1)).toEqual({ action: 'continue' });
  });

  test('goes to the representation that the download itself sustains where it takes longer', () => {
    expect(reviewed(8, 1.2, 1)).toEqual({ action: 'restart', option: whole(5) });
  });

  test('waits for half a second, and for the first byte', () => {
    expect(reviewed(8, 0.1, 0.45)).toEqual({ action: 'continue' });
    expect(reviewed(8, 0, 3)).toEqual({ action: 'continue' });
  });

  test('does not restart what is bigger than the rest', () => {
    expect(reviewed(1, 0.1, 6)).toEqual({ action: 'continue' });
  });
});
