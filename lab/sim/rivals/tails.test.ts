import { expect, test } from 'vitest';
import type { Kept } from './kept.js';
import { WHOLE } from './starts.js';
import { STOCK, tailsTables } from './tails.js';

const figures = { score: 0.9, qoe: 0.8, felt: 0.7, soda: 0, switches: 20, startup: 1, waited: 2, bufRatio: 0.01 };

test('says by the kind of link how long the worst sessions wait, and how many wait long', () => {
  const lines: Kept[] = ['abr-star', STOCK, ...WHOLE].flatMap((abr) =>
    [1, 7].flatMap((buffer) =>
      ['3g-like-01/7', '3g-like-02/7', 'belgium-4g/report_bus_0001'].map((trace) => {
        const worst = abr === 'abr-star' ? 20 : 40;
        return { ...figures, trace, abr, buffer, sessions: 10, waits: [worst, 1, 1, 1, 1, 1, 1, 1, 1, 1] };
      }),
    ),
  );
  const text = tailsTables(lines);
  expect(text).toMatch(/\| 3g-like \| 20 \| 20.0 \/ 20.0 \| 40.0 \/ 40.0 /);
  expect(text).toMatch(/\| belgium-4g \| 10 \| 20.0 \/ 20.0 /);
  expect(text).toMatch(/\| belgium-4g \| 10 \| 10.0 \/ 10.0 \| 10.0 \/ 10.0 /);
  expect(text).toMatch(/worst 5 %, s, 1 segment \| -20.0 /);
  expect(text).toMatch(/\| 7 \| `abr-star` \| 30 \| 10.0 \[0.0, 20.0\] \| 20.00 \[.*\| ≤ 2.90 \| – \| – \| 0.9000 \|/);
});

test('marks a higher score that is a slide show, where sessions say how pictures followed each other', () => {
  const line = (abr: string, score: number, pictures: number): Kept => ({
    ...{ ...figures, score, trace: '3g-like-01/7', abr, buffer: 1, sessions: 1 },
    ...{ waits: [1], startups: [1], longest: [0], stills: [0.1], pictures: [pictures] },
  });
  const text = tailsTables([line('abr-star', 0.95, 20), line(STOCK, 0.94, 24)]);
  expect(text).toContain('| 0.10 | 20.0 | 0.9500, slide show beside `dynamic` |');
  expect(text).toContain('| 0.10 | 24.0 | 0.9400 |');
  expect(text.split('All links together')[1]).not.toContain('NaN');
});

test('is silent where dash.js was not played', () => {
  expect(tailsTables([])).toBe('Not yet measured.');
});
