import { expect, it } from 'vitest';
import { surprises, table, withTable, type Row } from './table.mjs';

const passed = { session: '', streams: '', datagrams: '', reset: '', close: '', again: '' };
const both = (outcome: Row['outcomes']['voxel-serve']): Row['outcomes'] => ({
  'voxel-serve': outcome,
  'voxel-quiche': outcome,
});

it('what failed without a known reason is named, also what was not reached', () => {
  const rows: Row[] = [
    { client: 'Chromium 156', outcomes: both(passed) },
    { client: 'Firefox 153', outcomes: { 'voxel-serve': passed, 'voxel-quiche': { session: 'closed' } } },
  ];
  expect(surprises(rows).slice(0, 2)).toEqual([
    'Firefox 153, voxel-quiche, session: closed',
    'Firefox 153, voxel-quiche, streams: not reached',
  ]);
  expect(surprises(rows.slice(0, 1))).toEqual([]);
});

it('a known reason counts for its client, server and step alone', () => {
  const refused = { session: 'no partial delivery' };
  const go = (version: string, outcomes: Row['outcomes']): Row => ({ client: `webtransport-go ${version}`, outcomes });
  expect(surprises([go('0.13.0', { 'voxel-quiche': refused })])).toEqual([]);
  expect(surprises([go('0.13.0', { 'voxel-serve': refused })])).not.toEqual([]);
  expect(surprises([go('0.10.0', { 'voxel-quiche': refused })])).not.toEqual([]);
  const unheard = both({ ...passed, close: 'not heard', reset: 'broke' });
  expect(surprises([{ client: 'wtransport 0.7.2', outcomes: unheard }])).toEqual([
    'wtransport 0.7.2, voxel-serve, reset: broke',
    'wtransport 0.7.2, voxel-quiche, reset: broke',
  ]);
});

it('the table has a mark where both servers pass, and the reason below where one does not', () => {
  const text = table([
    { client: 'a', outcomes: both(passed) },
    { client: 'b', outcomes: { 'voxel-serve': { ...passed, reset: 'broke' }, 'voxel-quiche': passed } },
    { client: 'c', outcomes: {}, missing: 'go is not installed' },
  ]);
  expect(text).toContain('| a | ✓ | ✓ | ✓ | ✓ | ✓ | ✓ |');
  expect(text).toContain('| b | ✓ | ✓ | ✓ | voxel-serve: – (1) | ✓ | ✓ |');
  expect(text).toContain('1. broke\n2. go is not installed');
  expect(text).toContain('| c | – (2) |');
});

it('the document gets the table between its marks', () => {
  const [begin, end] = ['<!-- interop: npm run bench -- interop --write -->', '<!-- /interop -->'];
  expect(withTable(`a\n${begin}\nold\n${end}\nb`, 'new')).toBe(`a\n${begin}\n\nnew\n\n${end}\nb`);
  expect(() => withTable('a', 'new')).toThrow('the document has no');
});
