import { describe, expect, it } from 'vitest';
import { makeTrace } from '../link/trace.js';
import { readTraces } from '../link/trace-source.js';
import { COMPARED, pairsOf, runPair } from './experiment.js';
import { parseBundleOptions } from './options.js';
import { summarise, tables } from './summary.js';

const traces = readTraces('lte-like', 1);

describe('pairs', () => {
  it('are different links, then one of unequal rates and one that is far away', () => {
    const pairs = pairsOf(traces, 20, 1);
    expect(pairs).toHaveLength(22);
    for (const { paths } of pairs) expect(paths[0].trace).not.toBe(paths[1].trace);
    expect(pairs.at(-2)!.name).toBe('20 and 1 Mbit/s');
    expect(pairs.map(({ isSpecial = false }) => isSpecial)).toEqual([...pairs.slice(2).map(() => false), true, true]);
    expect(pairs.at(-1)!.paths[1].roundTrip).toBe(0.4);
    expect(pairsOf(traces, 20, 1)).toEqual(pairs);
    expect(pairsOf(traces, 20, 2)).not.toEqual(pairs);
  });

  it('have the better link alone beside every schedule, and two links that are alike bring twice as much', () => {
    const steady = makeTrace('steady', 1, [6e6]);
    const path = { trace: steady, shift: 0, roundTrip: 0.03 };
    const result = runPair({ name: 'alike', paths: [path, path] }, 1);
    expect(Object.keys(result.of)).toEqual([...COMPARED]);
    expect(result.of.voxel.segmentMean / result.best.segmentMean).toBeLessThan(0.65);
    expect(result.of.voxel.segmentMean / result.best.segmentMean).toBeGreaterThan(0.4);
  });
});

it('summarises each schedule over the better link alone', () => {
  const figures = (segmentP99: number, waited: number) => ({ segmentP99, segmentMean: 1, waited, redundant: 0.01 });
  const of = (own: ReturnType<typeof figures>) => Object.fromEntries(COMPARED.map((name) => [name, own])) as never;
  const results = [
    { pair: 'a', isSpecial: false, best: figures(4, 8), of: of(figures(2, 1)) },
    { pair: 'b', isSpecial: true, best: figures(2, 2), of: of(figures(2, 1)) },
    { pair: 'c', isSpecial: false, best: figures(1, 0.9), of: of(figures(0.1, 1)) },
  ];
  const rows = summarise(results);
  expect(rows[0]).toMatchObject({ schedule: 'round-robin', p99Median: 0.5, p99Worst: 1 });
  expect(rows[0]!.waited).toBeCloseTo(3 / 10.9);
  expect(tables(results, rows)).toMatch(/^voxel +0\.50 +1\.00 +1\.00 +0\.28 +1\.0$/m);
  expect(tables(results, rows)).toMatch(/^no pair worse .* 1\.11 \(waited: c\) +missed$/m);
  expect(tables(results, rows)).toMatch(/^b: no worse .* 1\.00 \(99th percentile\) +reached$/m);
});

it('names options that are wrong', () => {
  expect(parseBundleOptions([])).toEqual({ traces: 'lte-like', pairs: 20, seed: 1, json: false });
  expect(parseBundleOptions(['--help'])).toBeUndefined();
  expect(() => parseBundleOptions(['--pairs', '0'])).toThrow('--pairs must be a whole number from 1 to 1000');
});
