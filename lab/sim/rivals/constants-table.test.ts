import { expect, test } from 'vitest';
import { CONSTANTS } from '../../../src/abr-star/index.js';
import { ruleOf } from '../rule.js';
import { constantsTable, VARIATIONS, variant } from './constants-table.js';

const figures = { score: 0.9, qoe: 0.8, felt: 0.7, soda: 0, switches: 20, startup: 1, waited: 2 };

test('varies every constant to values that the rule takes', () => {
  expect(VARIATIONS.map(({ name }) => name)).toEqual(Object.keys(CONSTANTS));
  for (const { name, less, more } of VARIATIONS)
    expect(() => [ruleOf(variant(name, less)), ruleOf(variant(name, more))]).not.toThrow();
});

test('shows what changes, in bold where it is certain, and a dash for what was not measured', () => {
  const kept = (abr: string, buffer: number, waited: number) => ({
    ...{ ...figures, abr, buffer, sessions: 63, bufRatio: 0.01, waited, worst: 10 * waited },
    bounds: { waited: [0.1, 0.9], worst: [-1, 11], qoe: [0, 0] } as const,
  });
  const table = constantsTable([
    ...[kept('abr-star', 1, 2), kept('abr-star', 7, 1)],
    ...[kept(variant('horizon', 2), 1, 2.5), kept(variant('horizon', 2), 7, 1)],
  ]);
  expect(table).toMatch(/\| as they are .*\| 2.00 \/ 1.00 .*\| 20.0 \/ 10.0 /);
  expect(table).toMatch(/\| `horizon` +\| 4 +\| 2 +\| \*\*\+0.50\*\* \/ 0 +\| \+5.0 \/ 0 /);
  expect(table).toMatch(/\| `firstRate` .*\| – \/ – /);
});
