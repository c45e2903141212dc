import { describe, expect, test } from 'vitest';
import { CONSTANTS } from './constants.js';
import { createAbrStar } from './create-abr-star.js';
import { wholeSegment } from '../options.js';
import { REVIEW_GRACE } from '../progress.js';
import { ladderOptions, thesisLadder } from '../testing/ladder.js';
import type { DecisionState, DownloadProgress } from '../types.js';

const options = ladderOptions(thesisLadder, 4);
const state: DecisionState = {
  ...{ segmentIndex: 5, segmentDuration: 4, bufferLevel: 8, bufferCapacity: 16, ladder: thesisLadder },
  ...{ options, upcoming: Array.from({ length: 8 }, () => options), lastChoice: options.at(-50)! },
  throughput: 3e6,
  samples: Array.from({ length: 5 }, () => ({ bytes: 375_000, seconds: 1 })),
};

/** The chosen download after a second, with a tenth of a second left to play. */
function late(change: Partial<DownloadProgress>): DownloadProgress {
  const abr = createAbrStar();
  const { option } = abr.choose(state);
  return {
    ...{ option, elapsed: 1, phase: 'unreliable', levelReceived: 2, bytesReceived: option.bytes / 2 },
    state: { ...state, bufferLevel: 0.1 },
    ...change,
  };
}

function reviewOf(progress: DownloadProgress) {
  const abr = createAbrStar();
  abr.choose(state);
  return abr.review!(progress);
}

test('keeps a late segment at the last moment, and goes on before', () => {
  expect(reviewOf(late({})).action).toBe('keep');
  expect(reviewOf(late({ state: { ...state, bufferLevel: 3 } })).action).toBe('continue');
});

test('reviews a download as before when the next segment has been chosen meanwhile', () => {
  const stuck = late({ phase: 'reliable', levelReceived: 0, bytesReceived: 10, elapsed: 5 });
  const progress = { ...stuck, state: { ...stuck.state, bufferLevel: 2 }, option: options.at(-1)! };
  const abr = createAbrStar();
  abr.choose(state);
  abr.choose({ ...state, segmentIndex: 6, throughput: undefined, samples: [] });
  expect(abr.review!(progress)).toEqual(reviewOf(progress));
});

test('never keeps a segment whose reliable bytes are missing', () => {
  expect(reviewOf(late({ phase: 'reliable', levelReceived: 0, bytesReceived: 0 })).action).not.toBe('keep');
});

test('restarts with less when the link has nearly died before the reliable bytes were here', () => {
  const stuck = late({ phase: 'reliable', levelReceived: 0, bytesReceived: 10, elapsed: 5 });
  const review = reviewOf({ ...stuck, state: { ...stuck.state, bufferLevel: 2 }, option: options.at(-1)! });
  expect(review.action).toBe('restart');
});

test('keeps at the last moment what waits for nothing but repeats', () => {
  const { option } = late({});
  expect(reviewOf(late({ bytesReceived: option.bytes, state: { ...state, bufferLevel: 0 } })).action).toBe('keep');
});

test('keeps at the last moment though the rest should be here by then', () => {
  const { option } = late({});
  const nearlyDone = late({ bytesReceived: option.bytes - 1, state: { ...state, bufferLevel: CONSTANTS.lastMoment } });
  expect(reviewOf(nearlyDone).action).toBe('keep');
});

test('restarts for less where nothing is in queues that would come before it', () => {
  const option = options.at(-1)!;
  const isRestarted = (reliableLeft: number, bytesInQueues: number) => {
    const abr = createAbrStar({}, { ...CONSTANTS, bytesInQueues });
    abr.choose(state);
    const bytesReceived = option.reliableBytes - reliableLeft;
    const stuck = late({ phase: 'reliable', levelReceived: 0, bytesReceived, option });
    const progress = { ...stuck, state: { ...stuck.state, bufferLevel: 0 } };
    for (let elapsed = 0.001; elapsed < REVIEW_GRACE; elapsed += 0.001) abr.review!({ ...progress, elapsed });
    return abr.review!({ ...progress, elapsed: 5 }).action === 'restart';
  };
  const missing = Array.from({ length: 70 }, (_, index) => 10_000 * (index + 1));
  const leastMissing = (bytesInQueues: number) => missing.find((bytes) => isRestarted(bytes, bytesInQueues))!;
  expect(leastMissing(0)).toBeLessThan(leastMissing(40_000));
  expect(leastMissing(40_000)).toBeLessThan(700_000);
});

test('a download that was cut short tells what the link has come down to', () => {
  const next = { ...state, segmentIndex: 6, bufferLevel: 4 };
  const chosenAfter = (bytesReceived: number) => {
    const abr = createAbrStar();
    const { option } = abr.choose(state);
    for (let elapsed = 0.05; elapsed < 4; elapsed += 0.05)
      abr.review!({
        ...late({ option, elapsed, bytesReceived: elapsed < 1 ? elapsed * bytesReceived : bytesReceived }),
      });
    return abr.choose(next).option.bytes;
  };
  expect(chosenAfter(100_000)).toBeLessThan(createAbrStar().choose(next).option.bytes);
});

test('spares for a dear segment ahead', () => {
  const dear = ladderOptions(thesisLadder, 4, 6);
  const upcoming = state.upcoming!.map((segment, index) => (index > 0 && index < 3 ? dear : segment));
  const chosen = (ahead: DecisionState) => createAbrStar().choose(ahead).option.bytes;
  expect(chosen({ ...state, upcoming })).toBeLessThan(chosen(state));
});

describe('start', () => {
  const first: DecisionState = { ...state, lastChoice: undefined, throughput: undefined, samples: [], bufferLevel: 0 };
  const lowest = options.findLast(({ representation }) => representation === 0)!;
  const started = (change: Partial<DownloadProgress>) => {
    const abr = createAbrStar();
    const { option } = abr.choose(first);
    const arrived = {
      ...{ elapsed: 2, phase: 'unreliable' as const },
      levelReceived: option.level,
      bytesReceived: option.bytes,
    };
    const end = { ...{ state: first, option }, ...arrived, ...change };
    // Evenly until then, so that slow start is over.
    for (let elapsed = 0.05; elapsed < end.elapsed - 0.01; elapsed += 0.05) {
      const bytesReceived = (end.bytesReceived * elapsed) / end.elapsed;
      const { action } = abr.review!({ ...end, elapsed, bytesReceived, phase: 'reliable', levelReceived: 0 });
      if (action !== 'continue') return action;
    }
    return abr.review!(end).action;
  };

  test('judges nothing by slow start', () => {
    const abr = createAbrStar();
    const top = options.at(-1)!;
    const { option } = abr.choose(first);
    expect(option.score).toBeLessThan(top.score);
    // Windows of 10, 20, 40, … packets, a round trip of .2 s each: 1 Mbit/s on average, 5 at last.
    const actions = [1, 2, 3, 4, 5, 6].flatMap((round) =>
      [0.25, 0.5, 0.75, 1].map((part) => {
        const bytesReceived = 13_000 * (2 ** (round - 1) * (1 + part) - 1);
        const progress = { elapsed: 0.2 * (round + part), phase: 'reliable' as const, levelReceived: 0, bytesReceived };
        return abr.review!({ state: first, option: top, ...progress }).action;
      }),
    );
    expect(new Set(actions)).toEqual(new Set(['continue']));
  });

  test('asks for all of a representation of which 1 Mbit/s brings enough in 0.8 s', () => {
    const { option, delivery } = createAbrStar().choose(first);
    expect(option.score).toBeGreaterThan(lowest.score);
    const prefixes = options.filter(({ representation }) => representation === option.representation);
    expect(option).toBe(prefixes.at(-1));
    const enough = prefixes.find(({ score }) => score >= wholeSegment(options, option.representation - 1).score)!;
    expect(enough.bytes).toBeLessThanOrEqual(100_000);
    expect(delivery).toBe('streams');
  });

  test('uses what is known of the link', () => {
    const known = { ...first, throughput: state.throughput, samples: state.samples };
    expect(createAbrStar().choose(known).option.score).toBeGreaterThan(createAbrStar().choose(first).option.score);
  });

  test('takes the lowest representation where even that takes longer', () => {
    const dear = ladderOptions(thesisLadder, 4, 50);
    const { option } = createAbrStar().choose({ ...first, options: dear });
    expect(option).toEqual(dear.findLast(({ representation }) => representation === 0));
  });

  test('begins with what is here, not before 0.8 s, and never without the reliable bytes', () => {
    expect(started({})).toBe('keep');
    expect(started({ elapsed: 0.7 })).toBe('continue');
    expect(started({ phase: 'reliable', levelReceived: 0 })).toBe('continue');
  });

  test('waits for what comes soon, and not for what comes late', () => {
    const { option } = createAbrStar().choose(first);
    const least = options.find(({ representation }) => representation === option.representation)!;
    const begun = (bytesReceived: number) =>
      started({ elapsed: 0.8, levelReceived: least.level, bytesReceived, option });
    expect(begun(option.bytes * 0.98)).toBe('continue');
    expect(begun(least.bytes)).toBe('keep');
  });

  test('takes a lower representation where the rest of the first one would take many times as long', () => {
    const top = options.at(-1)!;
    const begun = (bytesReceived: number, elapsed = 2) =>
      started({ option: top, phase: 'reliable', levelReceived: 0, bytesReceived, elapsed });
    expect(begun(top.bytes / 20)).toBe('restart');
    expect(begun(top.bytes * 0.95, 0.5)).toBe('continue');
    expect(begun(0)).toBe('continue');
  });
});

test('holds a representation as long as another gains less than the change costs', () => {
  const chosenAfter = (representation: number) => {
    const lastChoice = options.findLast((option) => option.representation === representation)!;
    return createAbrStar().choose({ ...state, lastChoice }).option.representation;
  };
  expect([7, 8, 9].map(chosenAfter)).toEqual([7, 8, 9]);
  expect(chosenAfter(12)).toBeLessThan(12);
});

describe('delivery', () => {
  const sent = (change: Partial<DecisionState>) => createAbrStar().choose({ ...state, ...change }).delivery;

  test('is streams where losses are not recovered, as long as there is time for repeats', () => {
    expect(sent({ lossRate: 0.02 })).toBe('streams');
    expect(sent({ lossRate: 0.02, bufferLevel: 0.2 })).toBeUndefined();
  });

  test('is streams for the first segment, which the viewer waits for', () => {
    expect(sent({ lastChoice: undefined })).toBe('streams');
  });

  test('is left to the player where next to nothing is lost for good, after a pause, too', () => {
    expect(sent({ lossRate: 0.004 })).toBeUndefined();
    expect(sent({ samples: state.samples.slice(0, 1) })).toBeUndefined();
    expect(sent({ bufferLevel: 13.5 })).toBeUndefined();
  });
});

test('spends what is buffered when the stream ends', () => {
  const full = {
    ...state,
    bufferLevel: 12,
    samples: Array.from({ length: 5 }, () => ({ bytes: 125_000, seconds: 1 })),
  };
  const bytes = (ahead: number) => {
    const upcoming = Array.from({ length: ahead }, () => options);
    return createAbrStar().choose({ ...full, upcoming }).option.bytes;
  };
  expect(bytes(1)).toBeGreaterThan(bytes(8));
});

describe('in pieces', () => {
  const first: DecisionState = { ...state, segmentIndex: 0, bufferLevel: 0, lastChoice: undefined };
  const unknown: DecisionState = { ...first, throughput: undefined, samples: [] };
  const inPieces = { pieceSeconds: 0.5 };

  test('begins with more where the first piece is soon here, and with the lowest where nothing else would keep up', () => {
    const bytesAt = (rate: number, change: Partial<DecisionState>) => {
      const samples = [{ bytes: rate / 8, seconds: 1 }];
      return createAbrStar().choose({ ...first, ...change, throughput: rate, samples }).option.bytes;
    };
    expect(bytesAt(3e6, inPieces)).toBeGreaterThan(bytesAt(0.3e6, inPieces));
    expect(bytesAt(0.1e6, inPieces)).toBe(wholeSegment(options, 0).bytes);
    expect(createAbrStar().choose({ ...unknown, ...inPieces }).option.level).toBe(7);
  });

  test('counts a score more among the first ten seconds', () => {
    const scoresAt = (segmentIndex: number) =>
      [2, 3, 4, 5, 6].map((bufferLevel) => {
        return createAbrStar().choose({ ...state, ...inPieces, segmentIndex, bufferLevel }).option.score;
      });
    const [early, late] = [scoresAt(1), scoresAt(5)];
    expect(early.every((score, index) => score >= late[index]!)).toBe(true);
    expect(early).not.toEqual(late);
  });

  test('never restarts what the player has begun to get, and keeps it when what came before has been played', () => {
    const stuck = late({ phase: 'reliable', levelReceived: 0, bytesReceived: 10, elapsed: 5, option: options.at(-1)! });
    const at = (bufferLevel: number, handedOver: number) =>
      reviewOf({ ...stuck, handedOver, state: { ...stuck.state, bufferLevel } }).action;
    expect(at(2, 0)).toBe('restart');
    expect(at(2.5, 0.5)).toBe('continue');
    expect(reviewOf(late({ handedOver: 1, state: { ...state, bufferLevel: 1.1 } })).action).toBe('keep');
    expect(reviewOf(late({ handedOver: 1, state: { ...state, bufferLevel: 2 } })).action).toBe('continue');
  });

  test('lets a first segment that plays go on while it keeps up, and cuts it short where the link fails', () => {
    const reviewAt = (bytesReceived: number) => {
      const abr = createAbrStar();
      const { option } = abr.choose({ ...unknown, ...inPieces });
      const playing = { ...unknown, ...inPieces, bufferLevel: 0.5 };
      for (let elapsed = 0.05; elapsed < 2; elapsed += 0.05)
        abr.review!({
          ...{ state: playing, option, elapsed, phase: 'unreliable', levelReceived: 4, handedOver: 1 },
          bytesReceived: (bytesReceived * elapsed) / 2,
        });
      return abr.review!({
        ...{ state: playing, option, elapsed: 2, phase: 'unreliable', levelReceived: 4, handedOver: 1, bytesReceived },
      }).action;
    };
    const { bytes } = createAbrStar().choose({ ...unknown, ...inPieces }).option;
    expect(reviewAt(0.9 * bytes)).toBe('continue');
    expect(reviewAt(0.02 * bytes)).toBe('keep');
  });
});
