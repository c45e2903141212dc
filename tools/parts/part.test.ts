import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../setup/process.mjs';
import { countsOf, Job, nicenessOf, LeftOut, runPart, secondsOf } from './part.mjs';

const NOTHING = { passed: 0, failed: 0, skipped: 0, leftOut: [] };

let job: Job;

beforeEach(() => {
  job = new Job();
});

afterEach(() => {
  job.close();
});

const part = (run: () => Promise<typeof NOTHING>) => ({ name: 'part', about: '', run });

describe('a part', () => {
  it('that cannot be set up has failed, and says why', async () => {
    const row = await runPart(
      part(() => Promise.reject(new UserError('no Chrome found'))),
      job,
    );
    expect(row).toMatchObject({ ...NOTHING, name: 'part', failed: 1 });
    expect(job.output).toBe('error: no Chrome found\n');
    expect(row.failures).toEqual(['error: no Chrome found']);
  });

  it('that failed without naming a test ends with its last lines, else with the tests', async () => {
    job.output = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
    const counts = { ...NOTHING, failed: 1 };
    const [unnamed] = (
      await runPart(
        part(() => Promise.resolve(counts)),
        job,
      )
    ).failures;
    expect(unnamed).toMatch(/^line 10\n[^]*\nline 29$/);
    const named = { ...counts, failures: ['a test'] };
    expect(
      (
        await runPart(
          part(() => Promise.resolve(named)),
          job,
        )
      ).failures,
    ).toEqual(['a test']);
  });

  it('that cannot run on this machine is skipped with its reason', async () => {
    const row = await runPart(
      part(() => Promise.reject(new LeftOut('no Rust'))),
      job,
    );
    expect(row).toMatchObject({ ...NOTHING, skipped: 1, leftOut: ['no Rust'] });
  });
});

describe('a command', () => {
  it('succeeds or fails by its exit code, and its output is collected', async () => {
    const script = (code: number) => `console.log('out'); console.error('error'); process.exitCode = ${code}`;
    expect(await job.exec(process.execPath, ['-e', script(0)])).toBe(true);
    expect(job.output.split('\n').sort()).toEqual(['', 'error', 'out']);
    expect(await job.exec(process.execPath, ['-e', script(3)])).toBe(false);
    expect(job.output).toContain('ended with exit code 3');
  });

  it('takes seconds of processors, with the processes that it waited for', async () => {
    const busy = 'let sum = 0; for (let n = 0; n < 2e8; n++) sum += n;';
    const script = `require('node:child_process').spawnSync(process.execPath, ['-e', '${busy}'])`;
    await job.exec(process.execPath, ['-e', script]);
    const first = job.cpu!;
    expect(first).toBeGreaterThan(0.1);
    await job.exec(process.execPath, ['-e', busy]);
    expect(job.cpu).toBeGreaterThan(first + 0.05);
  });

  it('has no seconds where the shell does not tell', () => {
    expect(secondsOf('0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n')).toBe(62.75);
    expect(secondsOf('')).toBeUndefined();
  });

  it('that a signal ends has crashed', async () => {
    await job.exec('false', []);
    expect(job.crashed).toBe(false);
    await job.exec('sh', ['-c', 'kill -SEGV $$']);
    expect(job.crashed).toBe(true);
  });

  it('that does not exist fails', async () => {
    expect(await job.exec('/nonexistent', [])).toBe(false);
    expect(job.output).toContain('cannot run /nonexistent');
  });

  it('has a lower priority beside a part that plays, and the lowest in one that gives way', async () => {
    const script = "console.log(require('node:os').getPriority())";
    const parts = [{ plays: true }, { serial: true }, {}, { givesWay: true }];
    const [playing, serial, other, giving] = await Promise.all(
      parts.map(async (part) => {
        const job = new Job(nicenessOf(part));
        await job.exec(process.execPath, ['-e', script]);
        job.close();
        return Number(job.output);
      }),
    );
    expect(serial).toBe(playing);
    expect(other).toBeGreaterThan(playing!);
    expect(giving).toBeGreaterThan(other!);
  });

  it('is stopped with its children', async () => {
    const child = "require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit' })";
    const ended = job.exec(process.execPath, ['-e', `${child}; console.log('started'); setInterval(() => {}, 1000)`]);
    while (!job.output.includes('started')) await new Promise((resolve) => setTimeout(resolve, 5));
    // The command's output ends only when its child has gone, too.
    job.stop();
    expect(await ended).toBe(false);
  });
});

describe('the counts of a test runner', () => {
  const passed = { ...NOTHING, passed: 3 };

  it('are those of its report', () => {
    expect(countsOf(true, () => passed, job)).toBe(passed);
  });

  it('have a failure where the runner failed, even if no test did', () => {
    expect(countsOf(false, () => passed, job)).toEqual({ ...passed, failed: 1 });
    expect(countsOf(false, () => ({ ...passed, failed: 2 }), job).failed).toBe(2);
  });

  it('have a failure more and no file to run again where the runner crashed, whatever it reported', async () => {
    await job.exec('sh', ['-c', 'kill -SEGV $$']);
    const files = [{ file: 'a', failed: 1, failures: ['a'] }];
    expect(countsOf(false, () => ({ ...passed, failed: 1, files }), job)).toEqual({ ...passed, failed: 2, files: [] });
  });

  it('are a failure where the report is missing or has no counts', () => {
    const missing = () => {
      throw new Error('no such file');
    };
    expect(countsOf(true, missing, job)).toEqual({ ...NOTHING, failed: 1 });
    expect(countsOf(true, () => ({ ...NOTHING, passed: NaN }), job).failed).toBe(1);
  });
});
