import { describe, expect, it } from 'vitest';
import type { SessionResult } from '../experiment.js';
import { summarise } from './summary.js';
import { comparisonTable, csvTable } from './text-table.js';

function session(changes: Partial<SessionResult>): SessionResult {
  return {
    ...{
      trace: 'link',
      shift: 0,
      abr: 'ours',
      buffer: 1,
      bufRatio: 0,
      stalls: 0,
      longestStall: 0,
      longestStill: 0.04,
      picturesPerSecond: 25,
      score: 0.9,
      bitrate: 1e6,
      switches: 0,
      scoreFirst: 0.9,
    },
    ...{ aSSIM: 0.9, qoe: 0.9, mos: { excellent: 0, good: 1, fair: 0, poor: 0, bad: 0 }, perfect: 0, partial: 0 },
    ...{
      startup: 1,
      waited: 1,
      waitedShare: 0.01,
      linkIdle: 0.5,
      felt: 0.9,
      soda: 0.5,
      scores: [0.9],
      kept: 0,
      restarts: 0,
    },
    ...changes,
  };
}

/** Two traces with five starts each: ours wait as long as theirs on one, two seconds longer on the other. */
const SESSIONS = ['one', 'other'].flatMap((trace) =>
  Array.from({ length: 5 }, (_, shift) => [
    session({ trace, shift, waited: shift + (trace === 'one' ? 0 : 2) }),
    session({ trace, shift, waited: shift, abr: 'theirs' }),
  ]).flat(),
);

describe('summarise', () => {
  it('draws intervals over traces: of two of them, the bounds are their own means', () => {
    const [ours, theirs] = summarise(SESSIONS, 'theirs');
    expect(ours!.versus!.waited).toMatchObject({ value: 1, pairs: 10 });
    // A quarter of the samples has one of the traces twice; its starts all differ by the same.
    expect(ours!.versus!.waited.bounds).toEqual({ low: 0, high: 2 });
    // Theirs 0 0 1 1 2 2 3 3 4 4, ours 0 1 2 2 3 3 4 4 5 6: .9 · 9 = 8.1 of the way.
    expect(ours!.versus!.waitedP90.value).toBeCloseTo(5.1 - 4);
    expect(ours!.versus!.waitedMedian.value).toBeCloseTo(3 - 2);
    expect(theirs!.versus).toBeUndefined();
  });

  it('pairs by trace and start, in whatever order sessions come and where some are missing', () => {
    const [ours] = summarise([...SESSIONS.slice(1)].reverse(), 'theirs').filter(({ abr }) => abr === 'ours');
    expect(ours!.versus!.waited).toEqual({ value: 10 / 9, pairs: 9 });
  });

  it('has no standard error of fewer than ten sessions, and one over traces from then on', () => {
    const stalls = SESSIONS.map((one) => ({ ...one, bufRatio: one.trace === 'one' ? 0 : 0.2 }));
    const ours = (results: SessionResult[]) => summarise(results, 'theirs').find(({ abr }) => abr === 'ours')!;
    expect(ours(stalls).standardError).toBeCloseTo(0.1);
    expect(ours(stalls.slice(2)).standardError).toBeNull();
  });
});

it('writes comparisons for people and for programs', () => {
  const rows = summarise(SESSIONS, 'theirs');
  expect(comparisonTable(rows)).toContain('1.00 [0.00, 2.00]');
  expect(comparisonTable(rows.slice(1))).toBe('');
  const [header, ours, theirs] = csvTable(rows)
    .split('\n')
    .map((line) => line.split(','));
  const cells = (line: string[]) => ['Difference', 'Low', 'High'].map((end) => line[header!.indexOf(`waited${end}`)]);
  expect(cells(ours!)).toEqual(['1', '0', '2']);
  expect(cells(theirs!)).toEqual(['', '', '']);
});
