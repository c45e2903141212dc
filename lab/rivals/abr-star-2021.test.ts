import { describe, expect, test } from 'vitest';
import { AbrStar2021 } from './abr-star-2021.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import type { DecisionState, DownloadProgress, Option, Review } from '../../src/abr-star/types.js';

const options = ladderOptions(thesisLadder, 4);
const option = (representation: number, level: number) =>
  options.find((other) => other.representation === representation && other.level === level)!;

function state(bufferLevel: number, lastChoice?: Option): DecisionState {
  return {
    segmentIndex: 2,
    segmentDuration: 4,
    bufferLevel,
    bufferCapacity: 8,
    throughput: 3e6,
    samples: [],
    lastChoice,
    ladder: thesisLadder,
    options,
  };
}

/** What ABR* says, at the end, of a download that receives `rates` bit/s for one review interval of 50 ms each. */
function reviewed(chosen: Option, bufferLevel: number, rates: readonly number[]): Review {
  const abr = new AbrStar2021({ name: 'abr-star', bandwidthSafety: 0.9, reviews: 'all' });
  abr.choose(state(0));
  abr.choose(state(4, option(0, 7)));
  let bytesReceived = 0;
  let review: Review = { action: 'continue' };
  rates.forEach((rate, interval) => {
    bytesReceived += (rate * 0.05) / 8;
    const arrived = options.filter((o) => o.representation === chosen.representation && o.bytes <= bytesReceived);
    const progress: DownloadProgress = {
      state: state(bufferLevel, option(0, 7)),
      option: chosen,
      elapsed: (interval + 1) * 0.05,
      bytesReceived,
      phase: bytesReceived < chosen.reliableBytes ? 'reliable' : 'unreliable',
      levelReceived: arrived.at(-1)?.level ?? 0,
    };
    review = abr.review(progress);
  });
  return review;
}

const seconds = (duration: number, rate: number) => Array.from({ length: Math.round(duration / 0.05) }, () => rate);

describe('review', () => {
  const chosen = option(7, 7); // 2.35 Mbit/s: 9.4 Mbit, of which 1.41 are reliable.

  test('goes on while the rest arrives before the buffer runs out', () => {
    expect(reviewed(chosen, 4, seconds(1, 3e6))).toEqual({ action: 'continue' });
  });

  test('does not judge a download in its first half second', () => {
    expect(reviewed(chosen, 1, seconds(0.4, 1e5))).toEqual({ action: 'continue' });
  });

  test('restarts lower when the reliable part comes too slowly', () => {
    const review = reviewed(chosen, 3, seconds(0.6, 3e5));
    expect(review).toMatchObject({ action: 'restart' });
    expect((review as { option: Option }).option.bytes * 8).toBeLessThanOrEqual(3e5 * 3);
  });

  test('keeps the partial segment when the link dies near the end of the buffer', () => {
    expect(reviewed(chosen, 0.2, [...seconds(2, 4e6), ...seconds(1, 0)])).toEqual({ action: 'keep' });
  });

  test('never keeps what lacks reliable bytes', () => {
    expect(reviewed(option(0, 7), 0.1, seconds(2, 1000))).toEqual({ action: 'continue' });
  });

  test('does not restart what costs less to finish', () => {
    expect(reviewed(chosen, 0.05, seconds(2.7, 3.4e6)).action).not.toBe('restart');
  });
});
