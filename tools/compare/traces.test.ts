import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { recordedTrace, underConditions } from './traces.mjs';

const folder = mkdtempSync(join(tmpdir(), 'voxel-compare-traces-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'table.csv');
  writeFileSync(path, text);
  return path;
}

it('reads a part of a recorded link', () => {
  const path = file('second,mbps\n0,1\n1,2\n2,3\n3,4\n');
  expect(recordedTrace(path, { start: 1, seconds: 2, scale: 0.5 })).toEqual({ step: 1, rates: [1e6, 1.5e6] });
});

it('puts a trace under the delays and losses of a record, which repeats', () => {
  const path = file('second,delay_ms,loss_percent\n0,10,0\n1,20,5\n');
  expect(underConditions({ step: 0.5, rates: [1, 2, 3, 4] }, path, 1).conditions).toEqual([
    { delayMs: 20, lossPercent: 5 },
    { delayMs: 20, lossPercent: 5 },
    { delayMs: 10, lossPercent: 0 },
    { delayMs: 10, lossPercent: 0 },
  ]);
});

it('says what a file should be', () => {
  expect(() => underConditions({ step: 1, rates: [1] }, file('second,mbps\n0,1\n'), 0)).toThrow(
    'expected lines of second,delay_ms,loss_percent under that header',
  );
});
