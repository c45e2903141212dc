import { describe, expect, test } from 'vitest';
import { betterLower } from './abandonment.js';
import { bitrateView, wholeSegments } from './bitrates.js';
import { bolaParameters, preferredFrom, usefulUpTo } from './bola.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';

const options = ladderOptions(thesisLadder, 4);
const { ladder } = bitrateView({ ladder: thesisLadder, options });
const bola = bolaParameters({ ladder, segmentDuration: 4, bufferCapacity: 16 });
const whole = wholeSegments(options);
const better = (representation: number, bytesLeft: number, bufferLevel: number) =>
  betterLower(bola, options, { representation, bytesLeft, bufferLevel })?.representation;

describe('the lower representation that BOLA would rather have', () => {
  const level = preferredFrom(bola, usefulUpTo(bola, 8));

  test('is none while the buffer is as full as it was when the download was chosen', () => {
    expect(better(8, whole[8]!.bytes, level + 0.1)).toBeUndefined();
  });

  test('is the one that a fresh choice would take, once the buffer has shrunk', () => {
    expect(better(8, whole[8]!.bytes, level - 0.1)).toBe(7);
    expect(better(8, whole[8]!.bytes, 0)).toBe(0);
  });

  test('is whole: parts of segments are unknown to it', () => {
    expect(betterLower(bola, options, { representation: 8, bytesLeft: 1e9, bufferLevel: 0 })!.level).toBe(7);
  });

  test('is none that needs as many bytes as finishing', () => {
    expect(better(8, whole[0]!.bytes, 0)).toBeUndefined();
    expect(better(8, whole[0]!.bytes, 1000)).toBeUndefined();
    expect(better(0, whole[0]!.bytes, 0)).toBeUndefined();
  });
});
