import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'voxel-simulate-'));
afterAll(() => rmSync(folder, { recursive: true }));

function simulate(...args: string[]) {
  return spawnSync('node', [join(import.meta.dirname, 'simulate.mjs'), ...args], { encoding: 'utf8' });
}

const SHIFTS = 2;
const SMALL = `--traces 3g-like --abr bola-e,abr-star-2021 --buffers 1,7 --segments 5 --shifts ${SHIFTS}`.split(' ');

describe('npm run simulate', () => {
  it('writes a line for each session, a summary and a report, alike for any number of threads', () => {
    const outputs = ['1', '2'].map((jobs) => {
      const out = join(folder, jobs);
      const { status, stdout } = simulate(...SMALL, '--jobs', jobs, '--out', out);
      expect(status).toBe(0);
      expect(stdout).toContain('bola-e');
      return ['sessions.jsonl', 'summary.csv', 'report.html'].map((name) => readFileSync(join(out, name), 'utf8'));
    });
    expect(outputs[0]).toEqual(outputs[1]);
    const [sessions, summary, report] = outputs[0] as [string, string, string];
    const lines = sessions
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(10 * SHIFTS * 2 * 2);
    expect(lines[0]).toMatchObject({ trace: '3g-like-01', shift: 0, abr: 'bola-e', buffer: 1 });
    for (const name of ['bufRatio', 'score', 'bitrate', 'stalls', 'switches']) {
      expect(lines.every((line) => Number.isFinite(line[name]))).toBe(true);
    }
    expect(summary.trim().split('\n')).toHaveLength(1 + 2 * 2);
    expect(report).toContain('<polyline');
    expect(report).not.toMatch(/NaN|undefined|https?:/);
  });

  it('says in one line what is wrong with its input, and ends with 2', () => {
    const bad = join(folder, 'bad.csv');
    writeFileSync(bad, 'second,mbps\n0,fast\n');
    const { status, stderr } = simulate('--traces', bad, '--out', join(folder, 'bad'));
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: bad:2: .*\n$/);
  });

  it('prints its usage', () => {
    const { status, stdout } = simulate('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--buffers');
  });
});
