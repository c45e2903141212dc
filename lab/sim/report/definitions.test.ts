import { expect, it } from 'vitest';
import { COLUMNS, COMPARISON_COLUMNS } from './columns.js';
import { DEFINITIONS } from './definitions.js';
import { definitionOf } from './report-table.js';

it.each([...COLUMNS, ...COMPARISON_COLUMNS].map(({ key }) => key))('the column %s is defined', (key) => {
  expect(definitionOf(key, DEFINITIONS)).toMatch(/\w/);
});
