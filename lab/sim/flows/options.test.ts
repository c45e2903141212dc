import { describe, expect, it } from 'vitest';
import { UserError } from '../../../tools/setup/process.mjs';
import { parseFlowsOptions } from './options.js';

describe('parseFlowsOptions', () => {
  it('has a default for all, and is undefined where help is wanted', () => {
    expect(parseFlowsOptions([])).toEqual({ seconds: 150, seed: 1, json: false });
    expect(parseFlowsOptions(['--help'])).toBeUndefined();
  });

  it.each([['--seconds', '59'], ['--seconds', '451'], ['--seed', 'one'], ['stray']])('refuses %s %s', (...args) => {
    expect(() => parseFlowsOptions(args.filter((arg) => typeof arg === 'string'))).toThrow(UserError);
  });
});
