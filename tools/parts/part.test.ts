import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../setup/process.mjs';
import { countsOf, Job, LeftOut, runPart } from './part.mjs';

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

  it('that does not exist fails', async () => {
    expect(await job.exec('/nonexistent', [])).toBe(false);
    expect(job.output).toContain('cannot run /nonexistent');
  });

  it('of a part that gives way has a lower priority', async () => {
    const patient = new Job({ givesWay: true });
    const script = "console.log(require('node:os').getPriority())";
    await patient.exec(process.execPath, ['-e', script]);
    await job.exec(process.execPath, ['-e', script]);
    patient.close();
    expect(Number(patient.output)).toBeGreaterThan(Number(job.output));
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

  it('are a failure where the report is missing or has no counts', () => {
    const missing = () => {
      throw new Error('no such file');
    };
    expect(countsOf(true, missing, job)).toEqual({ ...NOTHING, failed: 1 });
    expect(countsOf(true, () => ({ ...NOTHING, passed: NaN }), job).failed).toBe(1);
  });
});
