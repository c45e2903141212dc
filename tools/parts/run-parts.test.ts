import { describe, expect, it } from 'vitest';
import { chosenParts } from './run-parts.mjs';
import { inLanes } from './schedule.mjs';
import { tableOf } from './table.mjs';

const part = (name: string) => ({ name, about: '', run: () => Promise.reject(new Error()) });

describe('the choice of parts', () => {
  const parts = ['tsc', 'oxlint', 'unit'].map(part);
  const groups = { checks: ['tsc', 'oxlint'] };
  const chosen = (...names: string[]) => chosenParts(parts, names, groups).map(({ name }) => name);

  it('is all of them, or those that are named, groups as their members, in the order of the list', () => {
    expect(chosen()).toEqual(['tsc', 'oxlint', 'unit']);
    expect(chosen('unit', 'oxlint')).toEqual(['oxlint', 'unit']);
    expect(chosen('checks')).toEqual(['tsc', 'oxlint']);
  });

  it('refuses a name that is not known in one line', () => {
    expect(() => chosen('units')).toThrow("--only must be one of checks, tsc, oxlint, unit, got 'units'");
  });
});

describe('lanes', () => {
  interface Item {
    readonly name: string;
    readonly plays?: boolean;
    readonly serial?: boolean;
    readonly givesWay?: boolean;
  }

  /** What began (`+`) and ended (`-`), where they end in that order. */
  async function eventsOf(items: readonly Item[], ends: string): Promise<string> {
    const events: string[] = [];
    const gates = new Map<string, () => void>();
    const all = inLanes(items, 2, async ({ name }) => {
      events.push(`+${name}`);
      await new Promise<void>((resolve) => gates.set(name, resolve));
      events.push(`-${name}`);
    });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    for (const name of ends) {
      gates.get(name)!();
      await settled();
    }
    await all;
    return events.join(' ');
  }

  const serial = ['x', 'y'].map((name) => ({ name, serial: true }));

  it('run as many at once as there are lanes, in order, one that plays beside them, and the serial ones alone at the end', async () => {
    const others = ['a', 'b', 'c'].map((name) => ({ name }));
    const playing = ['p', 'q'].map((name) => ({ name, plays: true }));
    expect(await eventsOf([...serial, ...others, ...playing], 'bpaqcxy')).toBe(
      '+p +a +b -b +c -p +q -a -q -c +x -x +y -y',
    );
  });

  it('have beside serial ones what gives way, and nothing else', async () => {
    const items = [{ name: 'a' }, ...serial, ...['b', 'c'].map((name) => ({ name, givesWay: true }))];
    expect(await eventsOf(items, 'baxcy')).toBe('+a +b -b +c -a +x -x +y -c -y');
    expect(await eventsOf([...serial, { name: 'b', givesWay: true }], 'xyb')).toBe('+b +x -x +y -y -b');
  });
});

describe('the table', () => {
  const row = {
    name: 'unit',
    seconds: 12.4,
    cpu: 20.2,
    passed: 100,
    failed: 1,
    skipped: 2,
    leftOut: ['Rust is missing'],
    failures: [],
    unsteady: [],
  };

  it('ends with what failed, so that the end of a log is enough', () => {
    const failures = Array.from({ length: 22 }, (_, index) => `a.test.ts: test ${index}: wrong\nat line 1`);
    const lines = tableOf([{ ...row, failures }]).split('\n');
    expect(lines.slice(5, 7)).toEqual(['failed in unit: a.test.ts: test 0: wrong', 'at line 1']);
    expect(lines.slice(-3)).toEqual(['failed in unit: 2 more', '', '100 passed, 1 failed, 2 skipped']);
  });

  it('says where there are too many unsteady files', () => {
    const unsteady = ['a', 'b', 'c'].map((file) => ({ file, failures: [`${file}: one`] }));
    const lines = tableOf([{ ...row, unsteady }]).split('\n');
    expect(lines.at(-3)).toBe('failed: more than 2 unsteady files');
  });

  it('has a row for each part, what was left out, and the sum as its last line', () => {
    expect(
      tableOf([
        row,
        {
          ...row,
          name: 'browser-serial',
          cpu: undefined,
          skipped: 0,
          leftOut: [],
          unsteady: [{ file: 'a', failures: ['one:\n  wrong'] }],
        },
      ]),
    ).toBe(
      [
        'part            seconds  cpu  passed  failed  skipped  unsteady',
        'unit                 12   20     100       1        2         0',
        'browser-serial       12          100       1        0         1',
        '',
        'left out of unit: Rust is missing',
        '',
        'unsteady in browser-serial: a',
        '  one: wrong',
        '',
        '200 passed, 2 failed, 2 skipped',
      ].join('\n'),
    );
  });
});
