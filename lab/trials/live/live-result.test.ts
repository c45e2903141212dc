import { describe, expect, it } from 'vitest';
import type { ScoredSegment } from '../delivered-scores.js';
import type { Observation } from '../job.js';
import type { ShownPicture } from '../page/types.js';
import type { Trial } from '../plan.js';
import { liveOutcome } from './live-result.js';

const START = 1_000_000;
const FRAME = 0.04;
const LIVE = { latency: 1, seconds: 10, settling: 4 };

/** 25 pictures a second from the player's start on, each 1.2 s old. */
const PICTURES = Array.from({ length: 260 }, (_, index): ShownPicture => {
  const at = START + 5000 + 40 * index;
  return [at, (at - START) / 1000 - 1.2, index + 1];
});

const trial = { live: LIVE, media: { frameSeconds: FRAME } } as unknown as Trial;

const seen = (changes: object = {}) =>
  ({
    availabilityStart: START,
    startedAt: START + 5000,
    playback: { stalls: 3, stallSeconds: 1.5 },
    pictures: PICTURES,
    live: {
      chunks: { delivered: 90, repaired: 4, late: 1 },
      settled: { stalls: 1, stallSeconds: 0.5 },
    },
    ...changes,
  }) as unknown as Observation;

const replaced = (...times: readonly number[]): ReadonlyMap<number, ScoredSegment> =>
  new Map([[0, { score: 0.9, replaced: times } as unknown as ScoredSegment]]);

describe('liveOutcome', () => {
  it('counts what follows once players have settled', () => {
    expect(liveOutcome(trial, seen(), new Map())).toMatchObject({
      ...{ stalls: 2, stallSeconds: 1 },
      live: {
        seconds: 6,
        stallsPerMinute: 20,
        interruptions: 0,
        interruptedSeconds: 0,
        replacedSeconds: 0,
        chunks: 90,
      },
    });
    expect(liveOutcome(trial, seen(), new Map())!.live.latency).toBeCloseTo(1.2);
  });

  it('takes pictures that repeat others for none: several in a row interrupt', () => {
    const inARow = Array.from({ length: 10 }, (_, index) => 10 + FRAME * index);
    const { live } = liveOutcome(trial, seen(), replaced(...inARow))!;
    expect(live.interruptions).toBe(1);
    expect(live.interruptedSeconds).toBeCloseTo(11 * FRAME);
    expect(live.replacedSeconds).toBeCloseTo(10 * FRAME);
    const alone = liveOutcome(trial, seen(), replaced(10, 10.4, 10.8))!.live;
    expect([alone.interruptions, alone.replacedSeconds]).toEqual([0, 3 * FRAME]);
  });

  it('is interrupted all the time where nothing is shown', () => {
    expect(liveOutcome(trial, seen({ pictures: [] }), new Map())!.live).toMatchObject({
      ...{ latency: null, interruptions: 1, interruptedSeconds: 6 },
    });
  });

  it('has nothing to say of sessions on demand', () => {
    expect(liveOutcome({ ...trial, live: undefined }, seen(), new Map())).toBeUndefined();
  });
});
