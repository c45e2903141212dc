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

  it('plays under the delays and losses of a record', () => {
    const record = join(folder, 'record.csv');
    writeFileSync(record, 'second,delay_ms,loss_percent\n0,100,20\n');
    const scores = [[], ['--conditions', record]].map((options, index) => {
      const out = join(folder, `conditions-${index}`);
      expect(simulate(...SMALL, ...options, '--out', out).status).toBe(0);
      const lines = readFileSync(join(out, 'sessions.jsonl'), 'utf8').trim().split('\n');
      return lines.reduce((sum, line) => sum + (JSON.parse(line) as { score: number }).score, 0) / lines.length;
    });
    expect(scores[1]).toBeLessThan(scores[0]! - 0.02);
    expect(readFileSync(join(folder, 'conditions-1', 'report.html'), 'utf8')).toContain(`delays and losses: ${record}`);
  });

  it('says in one line what is wrong with its input, and ends with 2', () => {
    const bad = join(folder, 'bad.csv');
    writeFileSync(bad, 'second,mbps\n0,fast\n');
    const { status, stderr } = simulate('--traces', bad, '--out', join(folder, 'bad'));
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: bad:2: .*\n$/);
  });

  it.each([
    [['--conditions', 'satellite-like', '--loss', '1'], '--conditions and --loss exclude each other'],
    [['--conditions', 'satellite-like', '--transport', 'flat'], '--conditions can only be used with --transport quic'],
    [['--conditions', 'no/such.csv'], "no traces at 'no/such.csv'"],
  ])('refuses %j', (options, message) => {
    const { status, stderr } = simulate(...SMALL, ...options, '--out', join(folder, 'refused'));
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('prints its usage', () => {
    const { status, stdout } = simulate('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--buffers');
  });
});
