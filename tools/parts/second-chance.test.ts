import { expect, it } from 'vitest';
import type { Part, Row } from './part.mjs';
import { hasFailed, MOST_UNSTEADY, withSecondChances } from './second-chance.mjs';

const counts = (passed: number, failed: number) => ({ passed, failed, skipped: 0, leftOut: [] });
const file = (name: string, ...failures: string[]) => ({ file: name, failed: failures.length, failures });

const part = (name: string, settings: Partial<Part> = {}): Part => ({
  ...{ name, about: '', run: () => Promise.reject(new Error()) },
  ...settings,
});
const again = () => Promise.reject(new Error());

const row = (name: string, settings: Partial<Row>): Row => ({
  ...{ name, seconds: 1, cpu: 1, failures: [], unsteady: [], ...counts(10, 0) },
  ...settings,
});

/** What became of the parts when files ran again, and which did. `passing`: files that pass then. */
async function chances(rows: Map<Part, Row>, passing: readonly string[]) {
  const ran: string[] = [];
  const after = await withSecondChances(rows, (_, { file }) => {
    ran.push(file);
    return Promise.resolve(passing.includes(file) ? counts(3, 0) : counts(2, 1));
  });
  return { ran, rows: [...after.values()] };
}

it('what passes the second time counts as passed and is unsteady, what fails again has failed', async () => {
  const failures = ['a: one', 'a: two', 'b: one'];
  const files = [file('a', 'a: one', 'a: two'), file('b', 'b: one')];
  const failed = row('browser', { ...counts(10, 3), failures, files });
  const { ran, rows } = await chances(new Map([[part('browser', { again }), failed]]), ['a']);
  expect(ran).toEqual(['a', 'b']);
  expect(rows).toMatchObject([
    { passed: 12, failed: 1, failures: ['b: one'], unsteady: [{ file: 'a', failures: ['a: one', 'a: two'] }] },
  ]);
  expect(hasFailed(rows)).toBe(true);
});

it('a part without a clock has no second chance', async () => {
  const failed = row('unit', { ...counts(10, 1), failures: ['a: one'], files: [file('a', 'a: one')] });
  const { ran, rows } = await chances(new Map([[part('unit'), failed]]), ['a']);
  expect([ran, rows]).toEqual([[], [failed]]);
});

it('a failure in no file stays one, such as that of a runner that died', async () => {
  const failed = row('browser', { ...counts(10, 2), failures: ['a: one'], files: [file('a', 'a: one')] });
  const { rows } = await chances(new Map([[part('browser', { again }), failed]]), ['a']);
  expect(rows).toMatchObject([{ failed: 1, unsteady: [{ file: 'a', failures: ['a: one'] }] }]);
  expect(hasFailed(rows)).toBe(true);
});

it('where more files failed than a busy machine explains, none runs again', async () => {
  const files = Array.from({ length: 6 }, (_, index) => file(`${index}`, `${index}: one`));
  const failed = row('browser', { ...counts(10, 6), files });
  const { ran, rows } = await chances(new Map([[part('browser', { again }), failed]]), ['0']);
  expect([ran, rows]).toEqual([[], [failed]]);
});

it('more than two unsteady files fail the run, whichever parts they are of', () => {
  expect(MOST_UNSTEADY).toBe(2);
  const unsteady = (...names: string[]) => ({ unsteady: names.map((name) => file(name)) });
  expect(hasFailed([row('browser', unsteady('a')), row('trials', unsteady('b'))])).toBe(false);
  expect(hasFailed([row('browser', unsteady('a')), row('trials', unsteady('b', 'c'))])).toBe(true);
});
