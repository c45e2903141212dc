import { describe, expect, it } from 'vitest';
import { formatBitrate, formatBytes, formatScore, formatSeconds } from './format.js';

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [41_234, '41.2 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [123_456_789, '123 MB'],
  ])('writes %i bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('writes bit/s in Mbit/s', () => expect(formatBitrate(2_350_000)).toBe('2.35 Mbit/s'));

  it('writes seconds with one decimal', () => expect(formatSeconds(4)).toBe('4.0 s'));

  it.each([
    [1, '1.000'],
    [0.99996, '0.999'],
    [0.988, '0.988'],
    [undefined, '–'],
  ])('writes the score %s as %s', (score, text) => expect(formatScore(score)).toBe(text));
});
