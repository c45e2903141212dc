import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import type { Block } from './blocks.js';

/** What is typed otherwise than it is printed, such as ports that are free here. */
export type Replacements = readonly (readonly [printed: RegExp | string, typed: string])[];

/** Standard input is a socket here, at which bash reads the user's start-up file, which may put other programs first. */
const BASH = ['--norc', '-c'];

/** Goes through a tutorial as a reader with one terminal, and a second one for each server. */
export class Walk {
  #folder: string;
  #path = [join(root, '.venv/bin'), process.env.PATH].join(delimiter);
  readonly #replacements: Replacements;
  readonly #servers: ChildProcess[] = [];

  readonly #variables: NodeJS.ProcessEnv;

  /** `variables`: of the environment, beside this process' own. */
  constructor(folder: string, replacements: Replacements, variables: NodeJS.ProcessEnv = {}) {
    this.#folder = folder;
    this.#replacements = replacements;
    this.#variables = variables;
  }

  /** Where the reader's terminal is. */
  get folder(): string {
    return this.#folder;
  }

  /** Does what the block is for. Throws where a command fails. */
  async follow({ language, use, code }: Block): Promise<void> {
    const typed = this.#typed(code);
    if (language === 'diff') await this.#run(`patch -p1 <<'END'\n${typed}END`);
    else if (language !== 'sh') this.#save(use!, typed);
    else if (use === 'server') await this.#serve(typed.trim());
    else await this.#run(typed);
  }

  /** Ends the servers. */
  async end(): Promise<void> {
    for (const server of this.#servers.reverse()) {
      if (server.exitCode !== null || server.signalCode !== null) continue;
      const ended = once(server, 'exit');
      process.kill(-server.pid!, 'SIGTERM');
      await ended;
    }
  }

  #typed(code: string): string {
    return this.#replacements.reduce((text, [printed, typed]) => text.replaceAll(printed, typed), code);
  }

  #save(file: string, text: string): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...this.#variables,
      PATH: this.#path,
      PYTHONUNBUFFERED: '1',
      FORCE_COLOR: undefined,
      VITEST: undefined,
    };
  }

  /** Folder and PATH hold for what is typed next. */
  async #run(script: string): Promise<void> {
    const state = join(dirname(this.#folder), `.after-${process.pid}`);
    const text = `set -euo pipefail\n${script}\nprintf '%s\\n%s' "$PWD" "$PATH" > '${state}'\n`;
    const child = spawn('bash', [...BASH, text], { cwd: this.#folder, env: this.#environment() });
    const output = outputOf(child);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${script.trim()}\nends with ${code}:\n${output().slice(-4000)}`);
    [this.#folder, this.#path] = readFileSync(state, 'utf8').split('\n') as [string, string];
  }

  /** Waits for the address that servers print when they are ready. */
  async #serve(command: string): Promise<void> {
    const child = spawn('bash', [...BASH, command], { cwd: this.#folder, env: this.#environment(), detached: true });
    this.#servers.push(child);
    const output = outputOf(child);
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (/https?:\/\/[\w.]+:\d+/.test(output())) resolve();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(`${command}\nended:\n${output()}`)));
    });
  }
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
