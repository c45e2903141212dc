import { expect, it } from 'vitest';
import { definitionOf } from '../../sim/report/report-table.js';
import { COMPARISON_COLUMNS, LIVE_COMPARISON_COLUMNS, MEASURE_COLUMNS } from './columns.js';
import { DEFINITIONS } from './definitions.js';

const columns = [
  ...MEASURE_COLUMNS.filter(({ title }) => title !== ''),
  ...COMPARISON_COLUMNS,
  ...LIVE_COMPARISON_COLUMNS,
];

it.each(columns.map(({ key }) => key))('the column %s is defined', (key) => {
  expect(definitionOf(key, DEFINITIONS)).toMatch(/\w/);
});
