import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../tools/setup/paths.mjs';

const WORDS = ['--traces', 'lte-like', '--abr', 'tput', '--buffers', '1', '--segments', '3'];

interface Job {
  readonly spec: {
    readonly completions: number;
    readonly template: { readonly spec: { readonly containers: Container[] } };
  };
}

interface Container {
  readonly command: [string, ...string[]];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** A checkout whose results are its own. */
let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'voxel-fleet-'));
  for (const name of ['package.json', 'lab', 'node_modules']) symlinkSync(join(root, name), join(checkout, name));
});

afterEach(() => rmSync(checkout, { recursive: true }));

function run([program, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string>>): void {
  execFileSync(program, args, { cwd: checkout, env: { ...process.env, ...env }, stdio: 'ignore' });
}

const sessionsOf = (share: number) =>
  readFileSync(join(checkout, `output/fleet/${share}/sessions.jsonl`), 'utf8')
    .trim()
    .split('\n');

it('plays each share once in a Slurm array', () => {
  const script = join(root, 'lab/fleet/array.sbatch');
  for (const share of ['1', '2'])
    run(['bash', script, 'simulate', ...WORDS], { SLURM_ARRAY_TASK_ID: share, SLURM_ARRAY_TASK_COUNT: '2' });
  expect(new Set([...sessionsOf(1), ...sessionsOf(2)])).toHaveProperty('size', 10);
  expect(() => run(['bash', script, 'simulate', ...WORDS], {})).toThrow();
});

it('plays each share once in a Kubernetes Indexed Job', () => {
  const { spec } = parse(readFileSync(join(root, 'lab/fleet/job.yaml'), 'utf8')) as Job;
  const [container] = spec.template.spec.containers;
  const env = Object.fromEntries(container!.env.map(({ name, value }) => [name, value]));
  expect(Number(env['SHARDS'])).toBe(spec.completions);
  for (const index of ['0', '1'])
    run(container!.command, { WORDS: WORDS.join(' '), SHARDS: '2', JOB_COMPLETION_INDEX: index });
  expect(new Set([...sessionsOf(0), ...sessionsOf(1)])).toHaveProperty('size', 10);
});
