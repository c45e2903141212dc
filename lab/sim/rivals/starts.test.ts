import { expect, test } from 'vitest';
import type { Kept } from './kept.js';
import { BEFORE, FIRST_START_BUFFERS, inPieces, startsBars, startsTables, WHOLE } from './starts.js';

const means = { bufRatio: 0, score: 0.9, qoe: 0.8, felt: 0.7, soda: 0, switches: 20, startup: 1, waited: 2 };

/** Twelve traces; ours are half a second sooner, and .01 better in the first ten seconds. */
function lines(late = 0): Kept[] {
  return ['abr-star', BEFORE, ...WHOLE, ...WHOLE.map(inPieces)].flatMap((abr) =>
    [1, 7, ...FIRST_START_BUFFERS].flatMap((buffer) =>
      Array.from({ length: 12 }, (_, trace) => {
        const more = abr === 'abr-star' ? 1 : 0;
        const startup = 1 - 0.5 * more + late * more;
        const sessions = {
          startups: [startup, startup + 1],
          waits: [startup + 2, startup + 3],
          firsts: [0.9 + 0.01 * more, 0.95],
        };
        return { trace: `trace ${trace}`, abr, buffer, sessions: 2, ...means, ...sessions };
      }),
    ),
  );
}

const missed = (all: readonly Kept[]) =>
  startsBars(all)
    .filter(({ holds }) => !holds)
    .map(({ name }) => name);

test('what begins sooner and looks better misses nothing', () => {
  expect(missed(lines())).toEqual([]);
});

test('a later start than any one of the rivals is missed, and longer waits than before', () => {
  const late = missed(lines(0.6));
  expect(late.filter((name) => name.includes('start-up'))).toHaveLength(2 * WHOLE.length);
  expect(late.filter((name) => name.includes('waited'))).toHaveLength(4);
});

test('tables show as much as was kept', () => {
  const table = startsTables(lines());
  expect(table).toContain('336 sessions on 12 traces');
  expect(table).toContain('144 sessions on 12 traces, the first start of each trace');
  expect(table).toMatch(/\| `abr-star` +\| 1.00 \/ 1.00 /);
  expect(table).toContain('-0.50 [-0.50, -0.50]');
  expect(startsTables([{ ...lines()[0]!, startups: undefined! }])).toBe('Not yet measured.');
});
