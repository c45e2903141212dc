import { expect, it } from 'vitest';
import config from '../../vitest.config.js';
import { PARTS } from './parts.mjs';

it('only what plays or races processes has a second chance', () => {
  const again = PARTS.filter((part) => part.again !== undefined).map(({ name }) => name);
  const wanted = [
    'aioquic',
    'browser',
    'browser-serial',
    'conformance',
    'examples',
    'manifests-runs',
    'quiche',
    'trials',
    'tutorials',
  ];
  expect(again.sort()).toEqual(wanted);
});

it('formatters, types and unit tests come first', () => {
  expect(PARTS.slice(0, 6).map(({ name }) => name)).toEqual(['prettier', 'ruff', 'rustfmt', 'tsc', 'oxlint', 'unit']);
});

it('what gives way, and may wait long for a processor, has no clock, and comes last', () => {
  const giving = PARTS.filter(({ givesWay }) => givesWay);
  expect(giving).toEqual(PARTS.slice(-giving.length));
  expect(giving.map(({ name }) => name)).toEqual(['manifests', 'mypy', 'clippy', 'release']);
  expect(giving.filter((part) => part.again !== undefined)).toEqual([]);
});

it('every project of vitest is a part of npm test', () => {
  const projects = config.test!.projects!.map((project) => (project as { test: { name: string } }).test.name);
  const names = PARTS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(projects));
  expect(new Set(names).size).toBe(names.length);
});
