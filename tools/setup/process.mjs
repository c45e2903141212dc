// @ts-check
import { spawn, spawnSync } from 'node:child_process';

/** An error that is the user's to read: one line, and the exit code to end with. */
export class UserError extends Error {
  /**
   * @param {string} message empty where a program that we ran has said it already
   * @param {number} exitCode 2 for bad input or a machine that lacks something, 1 for the rest
   */
  constructor(message, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Progress for people goes to standard error; standard output belongs to results. @param {string} text */
export const say = (text) => void process.stderr.write(`${text}\n`);

/**
 * Runs a program to its end with its output on standard error. Rejects with a `UserError` when it fails: `step` names a
 * program that is a step of ours; a `tool` of ours says itself what is wrong, and its exit code is passed on.
 * @param {string} command @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, output?: 'show' | 'on-failure', kind?: 'step' | 'tool' }} [options]
 * @returns {Promise<void>}
 */
export function run(command, args, { cwd, env, output = 'show', kind = 'step' } = {}) {
  return new Promise((resolve, reject) => {
    const quiet = output === 'on-failure';
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', quiet ? 'pipe' : 2, quiet ? 'pipe' : 2] });
    // A command that ends early, as at Ctrl-C or on `kill`, leaves nothing running.
    const stop = () => void child.kill();
    process.once('exit', stop);
    /** @type {Buffer[]} */
    const printed = [];
    child.stdout?.on('data', (/** @type {Buffer} */ chunk) => printed.push(chunk));
    child.stderr?.on('data', (/** @type {Buffer} */ chunk) => printed.push(chunk));
    child.on('error', (error) => reject(new UserError(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      process.removeListener('exit', stop);
      if (code === 0) {
        resolve();
        return;
      }
      process.stderr.write(Buffer.concat(printed));
      const failure = `${command} ${args[0] ?? ''} failed (${signal ?? `exit code ${code}`})`;
      reject(kind === 'tool' && code !== null ? new UserError('', code) : new UserError(failure, 1));
    });
  });
}

/** @param {string} command @param {string[]} args @returns the program's standard output, or undefined where it fails */
export function outputOf(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** What package.json asks for. */
const OLDEST_NODE = 20;

/** @param {string} version of Node @returns {string | undefined} what is wrong with it */
export function nodeProblem(version) {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return undefined;
  return `Node ≥ ${OLDEST_NODE} is required, found ${version} (README.md, "Try it", says where to get one)`;
}

/**
 * The frame of every command: prints a `UserError` as one line and ends with its code; anything else is a bug and shows
 * its stack.
 * @param {() => Promise<number | void>} main @returns {Promise<void>}
 */
export async function runCommand(main) {
  try {
    const problem = nodeProblem(process.versions.node);
    if (problem !== undefined) throw new UserError(problem);
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof UserError)) console.error(error);
    else if (error.message) say(`error: ${error.message}`);
    process.exitCode = error instanceof UserError ? error.exitCode : 1;
  }
}
