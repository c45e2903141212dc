import { describe, expect, it } from 'vitest';
import { defaultSettings, parseSettings, toQuery } from './settings.js';

const presets = ['tunnel', 'lte'];
const parse = (query: string) => parseSettings(new URLSearchParams(query), presets);

describe('settings of a comparison', () => {
  it('come back from the link that was made of them', () => {
    const settings = { ...defaultSettings, preset: 'lte', scale: 0.5, buffer: 5, seed: 7 };
    expect(parse(toQuery(settings))).toEqual(settings);
  });

  it('are left out of a link where they are the default', () => {
    expect(toQuery(defaultSettings)).toBe('preset=tunnel');
  });

  it('are the default where the address makes no sense', () => {
    expect(parse('preset=moon&scale=99&buffer=4&seed=-1')).toEqual(defaultSettings);
  });
});
