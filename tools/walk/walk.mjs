// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

/** @typedef {import('./blocks.mjs').Block} Block */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** What is typed otherwise than it is printed, such as ports that are free here. @typedef {readonly (readonly [printed: RegExp | string, typed: string])[]} Replacements */

/**
 * Where a reader types: a terminal in a folder, with a search path, of this machine or of another root.
 * @typedef {(script: string, terminal: { folder: string, path: string }) => { command: string, args: string[], cwd?: string, env: NodeJS.ProcessEnv }} Place
 */

/** Standard input is no terminal, at which bash may read the user's start-up file, which may put other programs first. */
export const BASH = ['--norc', '-c'];

/** A server's address, which it prints when it is ready. */
const ADDRESS = /https?:\/\/[\w.]+:\d+/;

/** The end of a file that is typed: no line of a document is it. */
const END = 'END_OF_THE_BLOCK';

/** Goes through a document as a reader with one terminal, and a second one for each server. */
export class Walk {
  #folder;
  #path;
  #place;
  #replacements;
  #hear;
  /** @type {ChildProcess[]} */
  #servers = [];
  /** @type {ChildProcess | undefined} what is run at the moment */
  #running;

  /**
   * @param {Place} place @param {{ folder: string, path: string, replacements?: Replacements, hear?: (text: string) => void }} begin
   * `path`: for programs; `hear` gets what is typed and what programs print
   */
  constructor(place, { folder, path, replacements = [], hear = () => undefined }) {
    this.#place = place;
    this.#folder = folder;
    this.#path = path;
    this.#replacements = replacements;
    this.#hear = hear;
  }

  /** Where the reader's terminal is. */
  get folder() {
    return this.#folder;
  }

  /** Does what the block is for. Throws where a command fails. @param {Block} block @returns {Promise<void>} */
  async follow({ language, use, code }) {
    const typed = this.#typed(code);
    if (language === 'diff') await this.type(`git apply <<'${END}'\n${typed}${END}`);
    else if (language !== 'sh') await this.#save(use ?? '', typed);
    else if (use === 'server') await this.#serve(typed.trim());
    else if (use === 'each') for (const line of typed.split('\n').filter(isCommand)) await this.#try(line);
    else await this.type(typed);
  }

  /** Runs a script to its end: folder and path hold for what is typed next. @param {string} script @returns {Promise<void>} */
  async type(script) {
    // What a terminal is left with comes back on a channel of its own.
    const text = `set -euo pipefail\n${script}\nprintf '%s\\n%s' "$PWD" "$PATH" >&3\n`;
    const child = this.#start(text, 'pipe');
    let state = '';
    child.stdio[3]?.on('data', (/** @type {Buffer} */ chunk) => (state += chunk.toString()));
    const output = this.#outputOf(child);
    this.#running = child;
    const code = await endOf(child);
    this.#running = undefined;
    if (code !== 0) throw new Error(`${script.trim()}\nends with ${code}:\n${output().slice(-4000)}`);
    const [folder = this.#folder, path = this.#path] = state.split('\n');
    this.#folder = folder;
    this.#path = path;
  }

  /** Ends what runs at the moment, which then fails. */
  interrupt() {
    if (this.#running) signal(this.#running, 'SIGKILL');
  }

  /** Ends the servers. @returns {Promise<void>} */
  async end() {
    for (const server of this.#servers.splice(0).reverse()) await stop(server);
  }

  /** @param {string} code */
  #typed(code) {
    return this.#replacements.reduce((text, [printed, typed]) => text.replaceAll(printed, typed), code);
  }

  /** @param {string} file @param {string} text */
  #save(file, text) {
    return this.type(`mkdir -p '${dirname(file)}'\ncat > '${file}' <<'${END}'\n${text}${END}`);
  }

  /** @param {string} text @param {'ignore' | 'pipe'} channel */
  #start(text, channel) {
    this.#hear(`\n$ ${text}\n`);
    const { command, args, cwd, env } = this.#place(text, { folder: this.#folder, path: this.#path });
    return spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe', channel] });
  }

  /** Waits for the address that servers print when they are ready. @param {string} command */
  async #serve(command) {
    const child = this.#start(command, 'ignore');
    this.#servers.push(child);
    const code = await this.#untilAddress(child);
    if (code !== undefined) throw new Error(`${command}\nended:\n${code.output}`);
  }

  /** A command that ends by itself, or serves until its reader has seen it. @param {string} command */
  async #try(command) {
    const child = this.#start(command, 'ignore');
    this.#running = child;
    const ended = await this.#untilAddress(child);
    this.#running = undefined;
    if (ended === undefined) await stop(child);
    else if (ended.code !== 0) throw new Error(`${command}\nends with ${ended.code}:\n${ended.output.slice(-4000)}`);
  }

  /** @param {ChildProcess} child @returns {Promise<{ code: number | null, output: string } | undefined>} how it ended; undefined: it serves */
  #untilAddress(child) {
    const output = this.#outputOf(child);
    return new Promise((resolve) => {
      const look = () => {
        if (ADDRESS.test(output())) resolve(undefined);
      };
      child.stdout?.on('data', look);
      child.stderr?.on('data', look);
      child.on('close', (code) => resolve({ code, output: output() }));
    });
  }

  /** @param {ChildProcess} child @returns {() => string} */
  #outputOf(child) {
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (/** @type {Buffer} */ chunk) => {
        text += chunk.toString();
        this.#hear(chunk.toString());
      });
    return () => text;
  }
}

/** How long output is waited for that what a script has left running may hold open. */
const LAST_WORDS_MS = 2000;

/** Waits for the end of a script. What it has left running ends with it where it failed. @param {ChildProcess} child @returns {Promise<number | null>} its exit code */
async function endOf(child) {
  const closed = once(child, 'close');
  const [code] = /** @type {[number | null]} */ (await once(child, 'exit'));
  if (code !== 0) signal(child, 'SIGKILL');
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref())]);
  return code;
}

/** @param {string} line */
const isCommand = (line) => line.trim() !== '' && !line.startsWith('#');

/** Sends a signal to a process and all that it has started. @param {ChildProcess} child @param {NodeJS.Signals} name */
function signal(child, name) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** @param {ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  signal(child, 'SIGTERM');
  await ended;
}
