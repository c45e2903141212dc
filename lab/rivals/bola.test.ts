import { describe, expect, test } from 'vitest';
import { bestOption, bolaParameters, LOW_BUFFER, preferredFrom, zeroScoreLevel, type Bola } from './bola.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import type { LadderRepresentation } from '../../src/abr-star/types.js';

const duration = 4;

function parameters(ladder: readonly LadderRepresentation[], bufferSegments = 1): Bola {
  return bolaParameters({ ladder, segmentDuration: duration, bufferCapacity: (bufferSegments + 1) * duration });
}

function ladderOf(...pairs: [bitrate: number, averageScore: number][]): LadderRepresentation[] {
  return pairs.map(([bitrate, averageScore]) => ({ bitrate, averageScore }));
}

describe('BOLA parameters', () => {
  test('are those of the release: V, g and α for the ladder of the thesis', () => {
    const [lowest, second] = thesisLadder;
    const highest = thesisLadder.at(-1)!;
    const target = 10 + 2 * thesisLadder.length;
    const alpha =
      (lowest!.bitrate * second!.averageScore - second!.bitrate * lowest!.averageScore) /
      (second!.bitrate - lowest!.bitrate);
    const V = (target - 10) / (highest.averageScore + alpha);
    const g = (highest.averageScore * 10 + alpha * target) / (target - 10);
    const bola = parameters(thesisLadder);
    for (const utility of [0.5, 0.8, 1]) expect(zeroScoreLevel(bola, utility)).toBeCloseTo(V * (utility + g), 9);
  });

  test('let the second representation win from the low buffer level on, and the highest up to the target', () => {
    const bola = parameters(thesisLadder, 15);
    expect(preferredFrom(bola, bola.representations[1]!)).toBeCloseTo(LOW_BUFFER, 9);
    expect(zeroScoreLevel(bola, 1)).toBeCloseTo(60, 9);
  });

  test('expand the target of a buffer that is too small for its ladder by 2 s a representation', () => {
    expect(zeroScoreLevel(parameters(thesisLadder, 1), 1)).toBeCloseTo(36, 9);
  });

  test('take only representations that cost more and score higher than the ones before', () => {
    const { representations } = parameters(ladderOf([100, 0.8], [100, 0.85], [200, 0.8], [300, 0.9], [400, 0.7]));
    expect(representations.map(({ representation }) => representation)).toEqual([0, 3]);
  });

  test.each([
    ['one representation', ladderOf([100, 0.9])],
    ['equal scores', ladderOf([100, 0.9], [200, 0.9])],
    ['falling scores', ladderOf([100, 0.9], [200, 0.8])],
    ['scores of 0', ladderOf([100, 0], [200, 0])],
  ])('are finite for %s', (_, ladder) => {
    const bola = parameters(ladder);
    expect(zeroScoreLevel(bola, ladder[0]!.averageScore)).toBeCloseTo(LOW_BUFFER + 2, 9);
    expect(preferredFrom(bola, bola.representations[0]!)).toBe(0);
  });
});

describe('best option', () => {
  const bola = parameters(thesisLadder);
  const whole = ladderOptions(thesisLadder, duration).filter((option) => option.level === 7);
  const best = (bufferLevel: number, keepRepresentation = 0) =>
    bestOption(bola, whole, { bufferLevel, keepRepresentation }).representation;

  test('is a higher representation the fuller the buffer, from the lowest to the highest', () => {
    const chosen = Array.from({ length: 40 }, (_, bufferLevel) => best(bufferLevel));
    expect(chosen).toEqual([...chosen].sort((a, b) => a - b));
    expect(chosen[0]).toBe(0);
    expect(chosen.at(-1)).toBe(12);
  });

  test('changes where a representation is preferred from', () => {
    for (const useful of bola.representations.slice(1)) {
      const seconds = preferredFrom(bola, useful);
      expect(best(seconds - 1e-6)).toBe(useful.representation - 1);
      expect(best(seconds + 1e-6)).toBe(useful.representation);
    }
  });

  test('stays with the last representation where a lower one is better by less than the mean step', () => {
    const justBelow = preferredFrom(bola, bola.representations[8]!) - 0.1;
    expect(best(justBelow)).toBe(7);
    expect(best(justBelow, 8)).toBe(8);
  });
});
