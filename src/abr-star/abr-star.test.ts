import { expect, test } from 'vitest';
import { createAbr } from './registry.js';
import { ladderOptions, thesisLadder } from './testing/ladder.js';
import type { DecisionState, DownloadProgress } from './types.js';

const options = ladderOptions(thesisLadder, 4);
const state: DecisionState = {
  ...{ segmentIndex: 5, segmentDuration: 4, bufferLevel: 8, bufferCapacity: 16, ladder: thesisLadder },
  ...{ options, upcoming: Array.from({ length: 8 }, () => options), lastChoice: options.at(-50)! },
  throughput: 3e6,
  samples: Array.from({ length: 5 }, () => ({ bytes: 375_000, seconds: 1 })),
};

/** The chosen download after a second, with a tenth of a second left to play. */
function late(change: Partial<DownloadProgress>): DownloadProgress {
  const abr = createAbr('abr-star');
  const { option } = abr.choose(state);
  return {
    ...{ option, elapsed: 1, phase: 'unreliable', levelReceived: 2, bytesReceived: option.bytes / 2 },
    state: { ...state, bufferLevel: 0.1 },
    ...change,
  };
}

function reviewOf(progress: DownloadProgress) {
  const abr = createAbr('abr-star');
  abr.choose(state);
  return abr.review(progress);
}

test('keeps a late segment at the last moment, and goes on before', () => {
  expect(reviewOf(late({})).action).toBe('keep');
  expect(reviewOf(late({ state: { ...state, bufferLevel: 3 } })).action).toBe('continue');
});

test('never keeps a segment whose reliable bytes are missing', () => {
  expect(reviewOf(late({ phase: 'reliable', levelReceived: 0, bytesReceived: 0 })).action).not.toBe('keep');
});

test('restarts with less when the link has nearly died before the reliable bytes were here', () => {
  const stuck = late({ phase: 'reliable', levelReceived: 0, bytesReceived: 10, elapsed: 5 });
  const review = reviewOf({ ...stuck, state: { ...stuck.state, bufferLevel: 2 }, option: options.at(-1)! });
  expect(review.action).toBe('restart');
});

test('spares for a dear segment ahead', () => {
  const dear = ladderOptions(thesisLadder, 4, 6);
  const upcoming = state.upcoming!.map((segment, index) => (index > 0 && index < 3 ? dear : segment));
  const chosen = (ahead: DecisionState) => createAbr('abr-star').choose(ahead).option.bytes;
  expect(chosen({ ...state, upcoming })).toBeLessThan(chosen(state));
});
