import { expect, it } from 'vitest';
import { quantile } from '../report/statistics.js';
import { pages } from './pages.js';
import { scenarios } from './scenarios.js';

it('has the 384 scenarios of the thesis, none twice', () => {
  expect(new Set(scenarios().map((scenario) => JSON.stringify(scenario))).size).toBe(384);
});

it('has the mixed workload of the thesis', () => {
  const { objects } = pages(0, 1).find(({ name }) => name === 'mix')!;
  expect(objects).toHaveLength(52);
  expect(objects.reduce((sum, { size }) => sum + size, 0)).toBe(792_000);
});

it('generates pages as the thesis describes its crawl (§3.4.3)', () => {
  const generated = pages(1000, 3).filter((page) => page.class === 'generated');
  const all = (measure: (objects: (typeof generated)[number]['objects']) => number) =>
    generated.map(({ objects }) => measure(objects));
  const bytes = all((objects) => objects.reduce((sum, { size }) => sum + size, 0));
  expect(quantile(bytes, 0.05) / 23_100).toBeCloseTo(1, 0);
  expect(quantile(bytes, 0.95) / 1_800_000).toBeCloseTo(1, 0);
  expect(quantile(bytes, 0.6)).toBeLessThan(320_000);
  const counts = all((objects) => objects.length);
  expect(quantile(counts, 0.8)).toBeLessThan(50);
  expect(Math.max(...counts)).toBeGreaterThan(100);
  const hosts = all((objects) => new Set(objects.map(({ host }) => host)).size);
  expect(quantile(hosts, 0.5)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...hosts)).toBeGreaterThan(15);
});

it('generates objects that wait for earlier ones only, the same for the same seed', () => {
  const [once, again, other] = [pages(20, 1), pages(20, 1), pages(20, 2)];
  expect(once).toEqual(again);
  expect(once).not.toEqual(other);
  for (const { objects } of once) {
    for (const [index, { after }] of objects.entries()) expect(after.every((id) => id < index)).toBe(true);
  }
});
