import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import type { Report } from '../../../demo/report.js';
import { root } from '../../../tools/setup/paths.mjs';

const SECONDS = 8;
/** Live streams leave nothing behind in it. */
const folder = mkdtempSync(join(tmpdir(), 'voxel-start-live-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** `npm start` as a newcomer types it. Rejects with `code` and `stderr` where it fails. */
const start = (...options: string[]) =>
  promisify(execFile)('npm', ['start', '--silent', '--', ...options], {
    ...{ cwd: root, env: { ...process.env, TMPDIR: folder } },
    maxBuffer: 2 ** 26,
  });

it('plays live from one command, with latency and chunks in its report', async () => {
  const { stdout } = await start('--live', '--headless', '--seconds', String(SECONDS), '--json');
  const report = JSON.parse(stdout) as Report;
  expect(report.errors).toEqual([]);
  expect(report.playedSeconds).toBeGreaterThanOrEqual(SECONDS);
  expect(report.stalls).toBeGreaterThanOrEqual(0);
  expect(report.latencyTarget).toBe(1);
  // Of the machine, not of the player, if it is more than a few times the target; less cannot be.
  expect(report.latency).toBeGreaterThan(0.1);
  expect(report.latencyP95).toBeGreaterThanOrEqual(report.latency! / 2);
  expect(report.chunks!.delivered).toBeGreaterThan(SECONDS);
  expect(report.chunks!.repaired).toBeLessThanOrEqual(report.chunks!.delivered);
  expect(report.transport).toBe('webtransport-datagrams');
  expect(report.segments.length).toBeGreaterThan(SECONDS / 2);
  expect(report.segments.every(({ score, frames }) => score! > 0 && frames.length > 0)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('voxel-live-'))).toEqual([]);
}, 600_000);

it('says in one line why the encoder failed', async () => {
  const failure: unknown = await start('--live', '--video', join(root, 'package.json')).catch(
    (error: unknown) => error,
  );
  const { code, stderr } = failure as { code: number; stderr: string };
  expect(code).toBe(2);
  expect(stderr.trim().split('\n').at(-1)).toMatch(/package\.json: cannot be opened/);
}, 600_000);
