import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../tools/setup/paths.mjs';
import { readTraces } from './trace-source.js';
import type { Trace } from './trace.js';

const [development, report] = ['development', 'report'].map((set) => readTraces(set, 1)) as [Trace[], Trace[]];

it('has links of every generator in both sets, none of them in both', () => {
  const rates = new Set(development.map((trace) => trace.rates.join()));
  expect(report.filter((trace) => rates.has(trace.rates.join()))).toEqual([]);
  for (const generator of ['3g-like', 'lte-like', 'fcc-like', 'starlink-like'])
    for (const set of [development, report])
      expect(set.filter(({ name }) => name.startsWith(generator))).toHaveLength(10);
});

it('names every trace once', () => {
  const names = [...development, ...report].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it.skipIf(!existsSync(join(root, '..', 'shared', 'data', 'traces')))('shares no recording between the sets', () => {
  const recorded = (traces: readonly Trace[]) => traces.map(({ name }) => name.replace(/^.*\//, ''));
  expect(recorded(report)).toContain('ATT-LTE-driving');
  expect(recorded(development).filter((name) => !/^\d+$/.test(name) && recorded(report).includes(name))).toEqual([]);
});
