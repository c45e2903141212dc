import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { abrNames, createAbr, type AbrName } from './registry.js';
import { play, type Playback, type Scenario } from './testing/closed-loop.js';
import { ladderOptions, thesisLadder } from './testing/ladder.js';

const segmentDuration = 4;
const thesisOptions = ladderOptions(thesisLadder, segmentDuration);

type Content = Pick<Scenario, 'ladder' | 'options'>;

const thesisContent: Content = { ladder: thesisLadder, options: () => thesisOptions };

interface Link {
  readonly name: AbrName;
  readonly bufferSegments: number;
  readonly rate: (time: number) => number;
}

function playMinutes(minutes: number, { name, bufferSegments, rate }: Link, content = thesisContent): Playback {
  return play({
    abr: createAbr(name),
    ...content,
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

function meanBitrate({ segments }: Playback, from: number, to?: number): number {
  const late = segments.slice(from, to);
  return late.reduce((bits, { option }) => bits + option.bytes * 8, 0) / (late.length * segmentDuration);
}

function withBuffers<Name extends AbrName>(names: readonly Name[]): { name: Name; bufferSegments: number }[] {
  return names.flatMap((name) => [1, 3, 7].map((bufferSegments) => ({ name, bufferSegments })));
}

describe.each(withBuffers(abrNames))('$name with a buffer for $bufferSegments segments', ({ name, bufferSegments }) => {
  test.each([0.3, 1, 5, 8])('settles at a steady %d Mbit/s: one representation, or two neighbours in turns', (mbps) => {
    const playback = playMinutes(6, { name, bufferSegments, rate: () => mbps * 1e6 });
    // Towards the end a plan spends what is buffered.
    const settled = playback.segments.slice(30, -8).map(({ option }) => option.representation);
    expect(Math.max(...settled) - Math.min(...settled)).toBeLessThanOrEqual(1);
    expect(meanBitrate(playback, 30)).toBeGreaterThan(0.35 * mbps * 1e6);
    // RobustMPC sells stalls for bitrate.
    if (name !== 'mpc') expect(playback.stalled).toBe(0);
  });

  test('starts low, and downloads every segment whole on a link that takes no time', () => {
    const { segments, stalled } = playMinutes(3, { name, bufferSegments, rate: () => 1e10 });
    expect(stalled).toBe(0);
    // What 1 Mbit/s brings in two seconds, or the lowest.
    if (name === 'abr-star') expect(segments[0]!.option.bytes).toBeLessThanOrEqual(250_000);
    else expect(segments[0]!.option.representation).toBe(0);
    const settled = segments.slice(15);
    expect(settled.every(({ option }) => option.representation === 12 && option.level === 7)).toBe(true);
  });

  test('finds the way up when a slow link becomes fast', () => {
    const playback = playMinutes(6, { name, bufferSegments, rate: (time) => (time < 60 ? 0.5e6 : 8e6) });
    expect(meanBitrate(playback, 60)).toBeGreaterThan(2.5e6);
  });

  test('loses no more time to a minute of anything than that minute', () => {
    const rates = fc.array(fc.constantFrom(0, 1, 2e4, 2e5, 2e6, 2e7, 1e10), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(rates, contents, (steps, content) => {
        const fast = 4 * content.ladder.at(-1)!.bitrate;
        const rate = (time: number) => steps[Math.floor(time / 5)] ?? fast;
        const { segments, lastedFor } = playMinutes(2, { name, bufferSegments, rate }, content);
        expect(segments).toHaveLength(30);
        expect(lastedFor).toBeLessThan(60 + 120 + segmentDuration);
      }),
      { numRuns: 20 },
    );
  });
});

/** Ladders of one representation up to eight, with segments of half to twice the mean size. */
const contents: fc.Arbitrary<Content> = fc
  .record({
    bitrates: fc.uniqueArray(fc.integer({ min: 1e5, max: 2e7 }), { minLength: 1, maxLength: 8 }),
    scales: fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 5, maxLength: 5 }),
  })
  .map(({ bitrates, scales }) => {
    const ladder = bitrates
      .sort((a, b) => a - b)
      .map((bitrate, index) => ({ bitrate, averageScore: 1 - 0.2 / (index + 1) }));
    const options = scales.map((scale) => ladderOptions(ladder, segmentDuration, scale));
    return { ladder, options: (index) => options[index % options.length]! };
  });

/** Rules that choose among virtual levels. */
const partial = abrNames.filter((name) => name.startsWith('abr-star') || name === 'bola-ssim');

describe.each(withBuffers(partial))('$name with a buffer for $bufferSegments segments', ({ name, bufferSegments }) => {
  test.each([0.3, 1, 5, 8])('uses most of a steady %d Mbit/s, hardly changing quality', (mbps) => {
    const playback = playMinutes(6, { name, bufferSegments, rate: () => mbps * 1e6 });
    expect(unrest(playback, 30)).toBeLessThan(0.01);
    // A plan keeps still where the next option up gains little: at 0.3 Mbit/s, 0.005 of score.
    const least = name === 'abr-star' && bufferSegments === 1 ? 0.68 : 0.8;
    // Towards the end a plan spends what is buffered.
    const bitrate = meanBitrate(playback, 30, -8);
    expect(bitrate).toBeGreaterThan(least * mbps * 1e6);
    expect(bitrate).toBeLessThanOrEqual(1.01 * mbps * 1e6);
  });

  test('plays on over a link too slow for any whole segment', () => {
    const { lastedFor } = playMinutes(4, { name, bufferSegments, rate: () => 1e5 });
    expect(lastedFor).toBeLessThan(260);
  });
});

test.each([1, 3, 7])(
  'review saves ABR* from the stall of a sudden drop, with a buffer for %d segments',
  (bufferSegments) => {
    const rate = (time: number) => (time < 60 ? 8e6 : 0.8e6);
    expect(playMinutes(4, { name: 'bola-ssim', bufferSegments, rate }).stalled).toBeGreaterThan(10);
    expect(playMinutes(4, { name: 'abr-star-2021', bufferSegments, rate }).stalled).toBe(0);
  },
);

// PSNR and VMAF: other units, other ranges.
test.each(abrNames)('%s chooses the same whatever unit the scores are in', (name) => {
  const inUnits = (factor: number, offset: number): Content => {
    const ladder = thesisLadder.map(({ bitrate, averageScore }) => ({
      bitrate,
      averageScore: factor * averageScore + offset,
    }));
    const options = thesisOptions.map((option) => ({ ...option, score: factor * option.score + offset }));
    return { ladder, options: () => options };
  };
  const rate = (time: number) => [6e6, 0.7e6, 2.5e6][Math.floor(time / 20) % 3]!;
  const choices = (content: Content) =>
    playMinutes(4, { name, bufferSegments: 3, rate }, content).segments.map(({ option }) => [
      option.representation,
      option.level,
    ]);
  expect(choices(inUnits(128, -64))).toEqual(choices(thesisContent));
});

test('abr-star-2021 leaves downloads of the lowest representation alone', () => {
  const rate = (time: number) => (time < 20 ? 3e5 : 3e4);
  const { segments } = playMinutes(2, { name: 'abr-star-2021', bufferSegments: 3, rate });
  expect(segments.filter(({ ending, option }) => ending === 'kept' && option.representation === 0)).toEqual([]);
});
