import { describe, expect, it, test } from 'vitest';
import type { Abr, DecisionState, DownloadProgress, Review } from '../../src/abr-star/index.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import { ruleUnder } from './rule-under.js';
import { strategyOf } from './strategies.js';

const options = ladderOptions(thesisLadder, 4);
const STATE: DecisionState = {
  ...{ segmentIndex: 3, segmentDuration: 4, bufferLevel: 9, bufferCapacity: 32, ladder: thesisLadder, options },
  ...{ throughput: 1e6, samples: [], lastChoice: options[0]! },
};

/** A rule that says what it was shown, and that reviews as it is told to. */
function scene(review?: Review): { readonly rule: Abr; readonly levels: number[] } {
  const levels: number[] = [];
  const choose: Abr['choose'] = ({ bufferLevel }) => {
    levels.push(bufferLevel);
    return { option: options[0]!, delay: 0 };
  };
  return { levels, rule: { name: 'scripted', choose, reset: () => {}, ...(review && { review: () => review }) } };
}

describe('the buffer that a rule is shown', () => {
  const shown = (strategy: string, bufferLevel: number, hasGaps: boolean) => {
    const { rule, levels } = scene();
    ruleUnder(strategyOf(strategy), rule).choose({ ...STATE, bufferLevel, hasGaps });
    return levels[0];
  };

  it('is a segment shorter after a loss for hollywood, unless there is but one', () => {
    expect(shown('hollywood', 9, true)).toBe(5);
    expect(shown('hollywood', 9, false)).toBe(9);
    expect(shown('hollywood', 4, true)).toBe(4);
  });

  it('is the buffer for the others', () => {
    expect(shown('voxel', 9, true)).toBe(9);
    expect(shown('clipstream', 9, true)).toBe(9);
  });
});

describe('a review under hollywood', () => {
  const reviewed = (
    bufferLevel: number,
    phase: DownloadProgress['phase'],
    change: Partial<DecisionState> = {},
    own?: Review,
  ) =>
    ruleUnder(strategyOf('hollywood'), scene(own).rule).review!({
      state: { ...STATE, bufferLevel, ...change },
      ...{ option: options[0]!, elapsed: 1, bytesReceived: 1, phase, levelReceived: 0 },
    }).action;

  it('plays on with what is here when the buffer runs out, once it can be repaired', () => {
    expect(reviewed(0.1, 'unreliable')).toBe('keep');
    expect(reviewed(0.1, 'reliable')).toBe('continue');
    expect(reviewed(1, 'unreliable')).toBe('continue');
  });

  it('lets the first segment come whole, and the rule restart', () => {
    expect(reviewed(0.1, 'unreliable', { lastChoice: undefined })).toBe('continue');
    expect(reviewed(0.1, 'unreliable', {}, { action: 'restart', option: options[0]! })).toBe('restart');
  });
});

test('a strategy that changes nothing of a rule leaves it as it is', () => {
  const { rule } = scene();
  expect(ruleUnder(strategyOf('voxel'), rule)).toBe(rule);
});
