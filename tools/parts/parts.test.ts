import { expect, it } from 'vitest';
import config from '../../vitest.config.js';
import { PARTS } from './parts.mjs';

it('every project of vitest is a part of npm test', () => {
  const projects = config.test!.projects!.map((project) => (project as { test: { name: string } }).test.name);
  const names = PARTS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(projects));
  expect(new Set(names).size).toBe(names.length);
});
