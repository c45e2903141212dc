import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../../tools/setup/process.mjs';
import { ensureLinkEmulator } from '../../../tools/setup/rust.mjs';

/** Why no link can be emulated here; undefined where one can. */
export async function obstacleToLinks(): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-bench-'));
  const direction = {
    trace: { mbps: 1 },
    queue: { discipline: 'drop-tail', limit: { packets: 1 } },
    delayMs: 0,
  };
  try {
    const { linkemu } = await ensureLinkEmulator();
    const file = join(folder, 'link.json');
    writeFileSync(file, JSON.stringify({ paths: [{ down: direction, up: direction }] }));
    const args = ['run', file, '--log', folder, '--', 'sleep', '1', '---', 'true'];
    const { status, stderr } = spawnSync(linkemu, args, { encoding: 'utf8' });
    return status === 0 ? undefined : stderr.trim();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
