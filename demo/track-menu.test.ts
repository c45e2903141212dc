import { expect, it } from 'vitest';
import { trackName } from './track-menu.js';

it('names a track by its label, its language or its codec, and says what it is for', () => {
  expect(trackName('audio', { labels: [{ text: 'Director' }], lang: 'en' }, 0)).toBe('Director');
  expect(trackName('audio', { lang: 'de', roles: [{ value: 'dub' }] }, 1)).toBe('German (dub)');
  expect(trackName('text', { lang: 'pt-BR', roles: [{ value: 'main' }] }, 0)).toBe('Brazilian Portuguese');
  expect(trackName('video', { codec: 'video/mp4;codecs="av01.0.04M.08"' }, 0)).toBe('AV1');
  expect(trackName('audio', { lang: 'und' }, 1)).toBe('Audio 2');
});
