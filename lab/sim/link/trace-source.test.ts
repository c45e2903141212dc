import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTraces } from './trace-source.js';
import { meanRate } from './trace.js';

const folder = mkdtempSync(join(tmpdir(), 'voxel-traces-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('readTraces', () => {
  it('reads the trace files of a folder by name and leaves the rest alone', () => {
    writeFileSync(join(folder, 'b.csv'), 'second,mbps\n0,1\n');
    writeFileSync(join(folder, 'a.sum'), '1 125000\n');
    writeFileSync(join(folder, 'NOTES.md'), 'not a trace');
    expect(readTraces(folder, 1).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(readTraces(join(folder, 'b.csv'), 1)).toHaveLength(1);
  });

  it('reads what others have recorded, and says what it took for what', () => {
    const rows = Array.from({ length: 10 }, (_, n) => `2019.12.14_10.16.${30 + n},${n}`);
    writeFileSync(join(folder, 'b.csv'), ['Timestamp,DL_bitrate', ...rows].join('\n'));
    const said: string[] = [];
    expect(readTraces(join(folder, 'b.csv'), 1, (line) => said.push(line))).toHaveLength(1);
    expect(said.join('\n')).toMatch(/^b: took Timestamp for the time, DL_bitrate for kbit\/s/);
  });

  it('makes constants and steps', () => {
    expect(meanRate(readTraces('constant:10.5', 1)[0]!)).toBe(10.5e6);
    const [step] = readTraces('step:10.75,10.5@70', 1);
    expect([step!.rates[69], step!.rates[70]]).toEqual([10.75e6, 10.5e6]);
  });

  it.each(['3g-like', 'lte-like'])('generates %s, the same for the same seed', (source) => {
    const traces = readTraces(source, 7);
    expect(traces).toEqual(readTraces(source, 7));
    expect(traces).not.toEqual(readTraces(source, 8));
    const outages = traces.map(({ rates }) => rates.filter((rate) => rate === 0).length / rates.length);
    expect(Math.max(...outages)).toBeLessThan(0.3);
    expect(Math.max(...outages)).toBeGreaterThan(0);
  });

  it.each(['no/such/folder', 'constant:', 'constant:0', join(folder, 'NOTES.md')])(
    'refuses %s in one line',
    (source) => {
      expect(() => readTraces(source, 1)).toThrow(/^.*$/);
    },
  );
});
