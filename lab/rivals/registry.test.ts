import { describe, expect, test } from 'vitest';
import { AbrError } from '../../src/abr-star/errors.js';
import { RULES } from '../../tools/start/options.mjs';
import { abrNames, createAbr } from './registry.js';

describe('registry', () => {
  test('makes every rule by its name, anew each time', () => {
    for (const name of abrNames) {
      expect(createAbr(name).name).toBe(name);
      expect(createAbr(name)).not.toBe(createAbr(name));
    }
  });

  test('has a label for every rule, in its order: `npm start` and the demo list them', () => {
    expect(RULES).toEqual([...abrNames, 'dashjs']);
  });

  test('puts rules that are published for streams on streams', () => {
    const overDatagrams = abrNames.filter((name) => createAbr(name).delivery === undefined);
    expect(overDatagrams).toEqual(['abr-star', 'abr-star-2021', 'bola-ssim']);
  });

  test.each(['', 'bola-ssim ', 'toString', '__proto__'])('knows no rule %j', (name) => {
    expect(() => createAbr(name)).toThrow(expect.objectContaining({ name: 'AbrError', code: 'unknown-rule' }));
  });

  test.each([0, -1, 1.1, NaN])('takes no bandwidth safety of %d', (bandwidthSafety) => {
    expect(() => createAbr('abr-star', { bandwidthSafety })).toThrow(AbrError);
  });
});
