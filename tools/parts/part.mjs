// @ts-check
// One part of `npm test`: a group of checks, or the tests of one folder. Whatever goes wrong in a part is that part's failure.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, stripVTControlCharacters } from 'node:util';
import { root } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';

/**
 * `needs`: what set-up cannot install into the checkout. `plays`: it plays in real time, so no other that plays runs beside it. `serial`: it
 * measures time or needs the whole machine, so nothing runs beside it but what gives way. `givesWay`: it takes what processors the others leave,
 * however long it waits for them. `again`: runs one of its test files once more; only parts with a clock in them have it, where a busy machine
 * may fail what is right.
 * @typedef {import('./counts.mjs').Counts} Counts
 * @typedef {{ name: string, about: string, needs?: string, plays?: boolean, serial?: boolean, givesWay?: boolean,
 *   run(job: Job): Promise<Counts>, again?(job: Job, file: string): Promise<Counts> }} Part
 */

/**
 * How a part ended. `cpu`: seconds of processors that its commands took, with all processes that they waited for; undefined where the
 * system does not tell. `unsteady`: files that failed, and passed when they ran again, with what had failed.
 * @typedef {Counts & { name: string, seconds: number, cpu: number | undefined, failures: string[],
 *   unsteady: Pick<import('./counts.mjs').FailedFile, 'file' | 'failures'>[] }} Row
 */

/** Thrown by a part that cannot run on this machine: the message is the reason. */
export class LeftOut extends Error {}

/**
 * How nice the commands of a part are: of a processor that what plays wants, each part beside it gets a third of what that gets, and what gives way
 * a seventieth. With equal shares two compilers leave four browsers two thirds of one of two processors.
 * @param {Pick<Part, 'plays' | 'serial' | 'givesWay'>} part @returns {number}
 */
export const nicenessOf = ({ plays, serial, givesWay }) => (givesWay ? 19 : plays || serial ? 0 : 5);

/**
 * Runs its arguments as a command that is as nice as `$0` says. Each command is a session, and where Linux has groups for sessions, nice has no
 * say between them, but the group's own value has (sched(7), autogroup); Linux takes one in a tenth of a second.
 */
const NICE =
  '{ echo "$0" >/proc/self/autogroup || { sleep 0.3; echo "$0" >/proc/self/autogroup; }; } 2>/dev/null; exec nice -n "$0" "$@"';

/** Runs its other arguments as a command, and writes what `times` says of it into the file that is the first: the second line counts. */
const TIMED = '"$@"; code=$?; times > "$0"; exit $code';

/** The exit code with which a shell says that there is no such program. */
const NOT_FOUND = 127;

/** Above it an exit code of a shell is that of a signal. */
const SIGNALLED = 128;

/** What a part works with: a folder for reports, and commands whose output is collected. */
export class Job {
  /** Everything that the part's commands printed. */
  output = '';
  /** Seconds of processors so far; undefined where they cannot be had. @type {number | undefined} */
  cpu = 0;
  /** Whether a command was ended by a signal: what its report says may be half of it. */
  crashed = false;
  /** Emptied when the part is done. */
  folder = mkdtempSync(join(tmpdir(), 'voxel-test-'));
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #niceness;

  /** @param {number} niceness of its commands, as `nice` has it */
  constructor(niceness = 0) {
    this.#niceness = niceness;
  }

  /**
   * Runs a command in the checkout, in a process group of its own.
   * @param {string} command @param {string[]} args @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
   * @returns {Promise<boolean>} whether it succeeded
   */
  exec(command, args, { cwd = root, env = process.env } = {}) {
    return new Promise((resolve) => {
      const times = join(this.folder, 'times');
      rmSync(times, { force: true });
      const timed = ['sh', '-c', TIMED, times, command, ...args];
      const nice = ['sh', '-c', NICE, String(this.#niceness), ...timed];
      const [program = '', ...words] = this.#niceness === 0 ? timed : nice;
      const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      this.#child = child;
      child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (this.output += text));
      child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (this.output += text));
      child.on('error', (error) => {
        this.output += `cannot run ${command}: ${error.message}\n`;
        resolve(false);
      });
      child.on('close', (code, signal) => {
        const took = existsSync(times) ? secondsOf(readFileSync(times, 'utf8')) : undefined;
        this.cpu = this.cpu === undefined || took === undefined ? undefined : this.cpu + took;
        if (signal !== null || (code ?? 0) > SIGNALLED) this.crashed = true;
        if (code === NOT_FOUND) this.output += `cannot run ${command}\n`;
        if (code !== 0) this.output += `${command} ended with ${signal ?? `exit code ${code}`}\n`;
        resolve(code === 0);
      });
    });
  }

  /** Ends the command that is running, with the processes that it has started. */
  stop() {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    process.kill(-pid, 'SIGTERM');
  }

  close() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @param {string} times as the shell's `times` prints them: of itself, then of its children, user and system @returns those of the children, s */
export function secondsOf(times) {
  const [, children = ''] = times.split('\n');
  const found = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  );
  return found.length === 2 ? found.reduce((sum, value) => sum + value, 0) : undefined;
}

/** Of the output of a part that failed without naming a test: a linter's last complaints, or why a program ended. */
const LAST_LINES = 20;

/** @param {Part} part @param {Job} job @returns {Promise<Row>} never rejects; one that failed has `failures` */
export async function runPart(part, job) {
  const started = performance.now();
  /** @type {Counts} */
  const counts = await part.run(job).catch((/** @type {unknown} */ error) => {
    if (error instanceof LeftOut) return { passed: 0, failed: 0, skipped: 1, leftOut: [error.message] };
    job.output += `${error instanceof UserError ? `error: ${error.message}` : inspect(error)}\n`;
    return { passed: 0, failed: 1, skipped: 0, leftOut: [] };
  });
  const { failed, failures = [] } = counts;
  const last = () => stripVTControlCharacters(job.output).trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  return {
    name: part.name,
    seconds: (performance.now() - started) / 1000,
    cpu: job.cpu,
    unsteady: [],
    ...counts,
    failures: failed > 0 && failures.length === 0 ? [last()] : failures,
  };
}

/**
 * The counts of a test runner; where it failed without a failed test, that is one failure, and so is a report that is
 * missing or cannot be read. Of one that crashed no file is known to have failed alone.
 * @param {boolean} succeeded @param {() => Counts} read @param {Job} job @returns {Counts}
 */
export function countsOf(succeeded, read, job) {
  try {
    const counts = read();
    if (!Number.isFinite(counts.passed + counts.failed + counts.skipped)) throw new Error('it has no counts');
    if (job.crashed) return { ...counts, failed: counts.failed + 1, files: [] };
    return succeeded || counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } catch (error) {
    job.output += `the report of the test runner cannot be read: ${error instanceof Error ? error.message : String(error)}\n`;
    return { passed: 0, failed: 1, skipped: 0, leftOut: [] };
  }
}
