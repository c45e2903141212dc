import { describe, expect, it } from 'vitest';
import { keptCells, type Cell } from './kept.js';
import { KEPT_OUT_SET, SETS } from './sets.js';
import { CONTROLS, BUFFERS, RULES, ruleName, setTables, verdictOn, verdictsTables } from './tables.js';

const SESSIONS = 40;

/** Sessions of two links that wait for about as long as `waited` says, some for longer. */
function cell(rule: string, waited: number, felt: number): Cell {
  const spread = (value: number, width: number) =>
    Array.from({ length: SESSIONS }, (_, index) => value + width * ((index % 7) - 3));
  return {
    ...{ set: 'wifi', control: 'cubic', rule, buffer: 1, traces: [SESSIONS / 2, SESSIONS / 2] },
    ...{ waited: spread(waited, 0.1), longest: spread(1, 0.1), score: spread(0.95, 0.001), felt: spread(felt, 0.001) },
  };
}

const streams = cell(ruleName('bola', 'streams'), 5, 0.9);
const datagrams = (waited: number, felt: number) => cell(ruleName('bola', 'parity'), waited, felt);

describe('verdictOn', () => {
  it.each([
    [datagrams(5, 0.9), 'equal'],
    [datagrams(5, 0.92), 'better'],
    [datagrams(4, 0.9), 'better'],
    [datagrams(6, 0.9), 'worse'],
    [datagrams(5, 0.88), 'worse'],
    [datagrams(6, 0.92), 'mixed'],
  ] as const)('says what datagrams are beside streams: %#', (ours, verdict) => {
    expect(verdictOn(ours, streams)).toBe(verdict);
  });
});

it('shows a setting once all of it is there', () => {
  const bare = cell(ruleName('bola', 'datagrams'), 4.5, 0.9);
  expect(setTables([streams, datagrams(4, 0.92)], 'wifi')).not.toContain('| cubic |');
  const table = setTables([streams, bare, datagrams(4, 0.92)], 'wifi');
  expect(table).toMatch(/\| cubic \| `bola` \| 1 \| 40 \| 4.99 .*\| -1\.00 \[-1\.00, -1\.00\] .*\| better \|/);
  expect(table).toContain('Without parity: at most 0.50 s and 0.0000 of SSIM from that.');
  expect(verdictsTables([streams, bare, datagrams(4, 0.92)], ['wifi'])).toMatch(/\| wifi \| *\| *\| 1 better \| *\|/);
});

it('has every cell that the page speaks of', () => {
  const cells = keptCells();
  expect(cells).toHaveLength((SETS.length + 1) * CONTROLS.length * RULES.length * 3 * BUFFERS.length);
  for (const { set, waited, traces } of cells) {
    expect([...SETS, KEPT_OUT_SET]).toContain(set);
    expect(waited.length).toBeGreaterThanOrEqual(30);
    expect(traces.reduce((sum, count) => sum + count)).toBe(waited.length);
  }
});
