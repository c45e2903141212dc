import { describe, expect, it } from 'vitest';
import { UserError } from '../../../tools/setup/process.mjs';
import { PAGE_USAGE, parsePageOptions } from './options.js';
import { POLICIES } from './policies.js';

describe('parsePageOptions', () => {
  it('has a default for all', () => {
    expect(parsePageOptions([])).toEqual({ pages: 12, seed: 1, json: false });
  });

  it('is undefined where help is wanted, which names every policy', () => {
    expect(parsePageOptions(['--help'])).toBeUndefined();
    for (const name of Object.keys(POLICIES)) expect(PAGE_USAGE).toContain(name);
  });

  it.each([['--pages', '-1'], ['--pages', '1.5'], ['--seed', 'one'], ['--traces', 't'], ['stray']])(
    'refuses %s %s in one line',
    (...args) => {
      const parse = () => parsePageOptions(args.filter((arg) => typeof arg === 'string'));
      expect(parse).toThrow(UserError);
      expect(parse).toThrow(/^.*$/);
    },
  );
});
