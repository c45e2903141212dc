import { describe, expect, test } from 'vitest';
import { bestExpected, type FuguOption, type FuguStart } from './fugu-plan.js';

const start: FuguStart = { bufferLevel: 4, bufferCapacity: 16, segmentDuration: 4, score: undefined, stallWeight: 0.1 };

/** Takes `seconds` or, in a quarter of the cases, twice that. */
function option(score: number, seconds: number): FuguOption {
  return { score, seconds: [seconds, 2 * seconds], chances: [0.75, 0.25] };
}

describe('one segment, by hand', () => {
  test('weighs the chance of a stall against the score', () => {
    // .9 − .25 · (6 − 4) · .1 = .85 against .8; with stalls three times as dear .75.
    const segment = [option(0.8, 1), option(0.9, 3)];
    expect(bestExpected([segment], start)).toBe(1);
    expect(bestExpected([segment], { ...start, stallWeight: 0.3 })).toBe(0);
  });

  test('charges the whole change of score', () => {
    // .85 − .1 = .75 against .8 where .8 came before; .85 against .8 − .1 where .9 did.
    const segment = [option(0.8, 1), option(0.9, 3)];
    expect(bestExpected([segment], { ...start, score: 0.8 })).toBe(0);
    expect(bestExpected([segment], { ...start, score: 0.9 })).toBe(1);
  });
});

test('two segments, by hand: spares for a dear one to come', () => {
  // With 8 s: .9 takes 4 s or 8 s and leaves 8 s or 4 s; .8 takes none and leaves 12 s.
  const first = [option(0.8, 0), option(0.9, 4)];
  const second = [{ score: 0.9, seconds: [10], chances: [1] }];
  // After .9: .75 · 2 · w + .25 · 6 · w = 3 w of stalls against none and two changes of .1, one of them also at the start.
  const from = { ...start, bufferLevel: 8, score: 0.9 };
  expect(bestExpected([first, second], { ...from, stallWeight: 0.09 })).toBe(1);
  expect(bestExpected([first, second], { ...from, stallWeight: 0.11 })).toBe(0);
});
