import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { nodeProblem } from './process.mjs';

const SCRIPT = `
import { run } from ${JSON.stringify(join(import.meta.dirname, 'process.mjs'))};
process.on('SIGINT', () => process.exit(130));
await run('sh', ['-c', 'echo $$ > part && mv part pid && exec sleep 600']);
`;

it('leaves nothing running when the command ends early', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'process-'));
  const file = join(folder, 'pid');
  try {
    const command = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], { cwd: folder });
    await vi.waitUntil(() => existsSync(file), { timeout: 60_000 });
    const step = Number(readFileSync(file, 'utf8'));
    expect(isRunning(step)).toBe(true);
    command.kill('SIGINT');
    expect(await once(command, 'exit')).toEqual([130, null]);
    await vi.waitUntil(() => !isRunning(step), { timeout: 60_000 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('names a Node that is too old, and the one that is needed', () => {
  expect(nodeProblem('18.20.4')).toMatch(/^Node ≥ 20 is required, found 18\.20\.4 /);
  expect(nodeProblem('20.0.0')).toBeUndefined();
  expect(nodeProblem('100.1.0')).toBeUndefined();
});
