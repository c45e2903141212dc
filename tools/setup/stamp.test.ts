import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { appendFileSync, existsSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockFile } from './exclusively.mjs';
import { once } from './stamp.mjs';

let folder: string;
let stamp: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stamp-'));
  [stamp, log] = [join(folder, 'stamp'), join(folder, 'log')];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Long enough for others to meet it. */
async function work(): Promise<void> {
  appendFileSync(log, 'begun ');
  await sleep(300);
  appendFileSync(log, 'done ');
}

const written = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');

it('works once for several that ask at the same time, in one process', async () => {
  await Promise.all([1, 2, 3].map(() => once(stamp, 'inputs', work)));
  expect(written()).toBe('begun done ');
  await once(stamp, 'other inputs', work);
  expect(written()).toBe('begun done begun done ');
});

it('works once for several processes, which wait until it is done', async () => {
  const script = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { once } from ${JSON.stringify(join(import.meta.dirname, 'stamp.mjs'))};
    await once(${JSON.stringify(stamp)}, 'inputs', async () => {
      appendFileSync(${JSON.stringify(log)}, 'begun ');
      await sleep(1000);
      appendFileSync(${JSON.stringify(log)}, 'done ');
    });
    appendFileSync(${JSON.stringify(log)}, 'on ');
  `;
  const processes = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '-e', script]));
  const said = await Promise.all(processes.map(({ stderr }) => text(stderr)));
  expect(written()).toBe('begun done on on on ');
  expect(said.join('')).toMatch(/^(waiting for process \d+, which sets up .*\n)*$/);
});

it('leaves alone the stamp of another checkout that shares the file', async () => {
  writeFileSync(stamp, 'former inputs');
  linkSync(stamp, join(folder, 'of another checkout'));
  await once(stamp, 'inputs', work);
  expect(readFileSync(join(folder, 'of another checkout'), 'utf8')).toBe('former inputs');
});

it('leaves the work to the next who asks where it fails', async () => {
  const failing = () => Promise.reject(new Error('disk full'));
  await expect(once(stamp, 'inputs', failing)).rejects.toThrow('disk full');
  await once(stamp, 'inputs', work);
  expect(written()).toBe('begun done ');
});

it('does not wait for a process that has ended at work', async () => {
  const ended = spawn('true');
  await event(ended, 'close');
  writeFileSync(lockFile(stamp), `${ended.pid}`);
  await Promise.all([1, 2].map(() => once(stamp, 'inputs', work)));
  expect(written()).toBe('begun done ');
  expect(existsSync(lockFile(stamp))).toBe(false);
});
