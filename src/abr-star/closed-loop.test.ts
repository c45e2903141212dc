import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { abrNames, createAbr, type AbrName } from './registry.js';
import { play, type Playback } from './testing/closed-loop.js';
import { ladderOptions, thesisLadder } from './testing/ladder.js';

const segmentDuration = 4;
const options = ladderOptions(thesisLadder, segmentDuration);

interface Link {
  readonly name: AbrName;
  readonly bufferSegments: number;
  readonly rate: (time: number) => number;
}

function playMinutes(minutes: number, { name, bufferSegments, rate }: Link): Playback {
  return play({
    abr: createAbr(name),
    ladder: thesisLadder,
    options: () => options,
    segmentDuration,
    bufferCapacity: (bufferSegments + 1) * segmentDuration,
    segments: (minutes * 60) / segmentDuration,
    rate,
    latency: 0.05,
  });
}

/** Mean change of score from one segment to the next. */
function unrest({ segments }: Playback, from: number): number {
  const scores = segments.slice(from).map(({ option }) => option.score);
  const changes = scores.slice(1).map((score, index) => Math.abs(score - scores[index]!));
  return changes.reduce((sum, change) => sum + change, 0) / changes.length;
}

function meanBitrate({ segments }: Playback, from: number): number {
  const late = segments.slice(from);
  return late.reduce((bits, { option }) => bits + option.bytes * 8, 0) / (late.length * segmentDuration);
}

describe.each(abrNames.flatMap((name) => [1, 3, 7].map((bufferSegments) => ({ name, bufferSegments }))))(
  '$name with a buffer for $bufferSegments segments',
  ({ name, bufferSegments }) => {
    test.each([0.3, 1, 5, 8])(
      'uses 80 %% of a steady %d Mbit/s, without a stall and hardly changing quality',
      (mbps) => {
        const playback = playMinutes(6, { name, bufferSegments, rate: () => mbps * 1e6 });
        expect(playback.stalled).toBe(0);
        expect(unrest(playback, 30)).toBeLessThan(0.01);
        expect(meanBitrate(playback, 30)).toBeGreaterThan(0.8 * mbps * 1e6);
        expect(meanBitrate(playback, 30)).toBeLessThanOrEqual(1.01 * mbps * 1e6);
      },
    );

    test('downloads every segment whole on a link that takes no time', () => {
      const { segments, stalled } = playMinutes(2, { name, bufferSegments, rate: () => 1e10 });
      expect(stalled).toBe(0);
      expect(segments.slice(1).every(({ option }) => option.representation === 12 && option.level === 7)).toBe(true);
    });

    test('starts with the lowest level and goes straight to what the link sustains', () => {
      const { segments } = playMinutes(1, { name, bufferSegments, rate: () => 5e6 });
      expect(segments[0]!.option.representation).toBe(0);
      expect(segments[1]!.option.representation).toBe(8);
      // A third of the first, short download is round trip: it measures 3.6 Mbit/s, of which 0.9 sustain level 8.
    });

    test('finds the way up when a slow link becomes fast', () => {
      const playback = playMinutes(6, { name, bufferSegments, rate: (time) => (time < 60 ? 0.5e6 : 8e6) });
      expect(meanBitrate(playback, 60)).toBeGreaterThan(6e6);
    });

    test('plays on over a link too slow for any whole segment', () => {
      const { lastedFor } = playMinutes(4, { name, bufferSegments, rate: () => 1e5 });
      expect(lastedFor).toBeLessThan(260);
    });

    test('comes to the end over a link that comes and goes', () => {
      const rates = fc.array(fc.constantFrom(0, 2e5, 2e6, 2e7), { minLength: 5, maxLength: 5 });
      fc.assert(
        fc.property(rates, (steps) => {
          const rate = (time: number) => [...steps, 1e6][Math.floor(time / 10) % 6]!;
          expect(playMinutes(2, { name, bufferSegments, rate }).segments).toHaveLength(30);
        }),
        { numRuns: 10 },
      );
    });
  },
);

test.each([1, 3, 7])(
  'review saves ABR* from the stall of a sudden drop, with a buffer for %d segments',
  (bufferSegments) => {
    const rate = (time: number) => (time < 60 ? 8e6 : 0.8e6);
    expect(playMinutes(4, { name: 'bola-ssim', bufferSegments, rate }).stalled).toBeGreaterThan(10);
    expect(playMinutes(4, { name: 'abr-star', bufferSegments, rate }).stalled).toBe(0);
  },
);
