import { describe, expect, it } from 'vitest';
import { codecText, meanScore, repairedText, secondsText } from './facts.js';

describe('meanScore', () => {
  it('is the mean over the segments that have a score', () => {
    expect(meanScore([{ score: 0.5 }, { score: undefined }, { score: 1 }])).toBe(0.75);
  });

  it('is unknown where no segment has one', () => {
    expect(meanScore([{ score: undefined }])).toBeUndefined();
  });
});

it('says how many frames needed repair at first beside those that still do', () => {
  expect([repairedText(0, 0), repairedText(12, 3)]).toEqual(['0', '3 · 12 at first']);
});

it('says times to hundredths of a second, and nothing where there is none', () => {
  expect([secondsText(1234), secondsText(undefined)]).toEqual(['1.23 s', '–']);
});

it.each([
  ['av01.0.04M.08', 'AV1'],
  ['avc1.64001f', 'H.264'],
  ['mp2t', 'mp2t'],
  [undefined, '–'],
])('calls the codec of %s %s', (codecs, name) => {
  expect(codecText(codecs)).toBe(name);
});
