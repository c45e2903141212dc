import { expect, test } from 'vitest';
import { figuresOf, keptFigures } from './figures.mjs';

function session(system: string, stallSeconds: number, score: number): string {
  const others = { buffer: 1, trace: 'lte', startup: 1, bufRatio: stallSeconds / 60, versions: { commit: 'abc1234' } };
  return JSON.stringify({ system, stallSeconds, score, ...others });
}

test('the first page shows means over the sessions of each system', () => {
  const lines = [
    session('voxel', 1, 0.96),
    session('voxel', 3, 0.98),
    session('dynamic', 8, 0.9),
    session('dynamic', 8, 0.9),
  ];
  const figures = figuresOf([...lines, session('bola', 4, 0.9), session('bola', 4, 0.9)].join('\n'));
  expect(figures).toMatchObject({ sessions: 2, links: 1, commits: 'abc1234' });
  expect(figures.charts[0]!.bars).toEqual([
    { kind: 'bola', label: 'BOLA', text: '5.0 s', share: 56 },
    { kind: 'dynamic', label: 'Dynamic', text: '9.0 s', share: 100 },
    { kind: 'voxel', label: 'VOXEL', text: '3.0 s', share: 33 },
  ]);
});

test('the kept sessions have all that it shows', () => {
  const { sessions, charts } = keptFigures();
  expect(sessions).toBeGreaterThanOrEqual(10);
  for (const { bars } of charts) for (const { share } of bars) expect(share).toBeGreaterThan(0);
});
