import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';
import { runCommand } from '../../../tools/setup/process.mjs';
import { main as lab } from '../../../lab/compare/main.js';
import { main as simulate } from '../../../lab/sim/main.js';
import { main as trials } from '../../../lab/trials/main.js';
import type { Prompt } from './transcript.js';

/** Commands whose main program is called in this process, in the command's frame: loading TypeScript costs a second each time. */
const MAINS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  'voxel-lab': lab,
  'npm run simulate --': simulate,
  'npm run trials --': trials,
};

/** The others are started as package.json says. */
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const SCRIPTS: Readonly<Record<string, string>> = {
  'npm start --': scripts.start!,
  'npm test --': scripts.test!,
  'npm run bench --': scripts.bench!,
  'npm run compare --': scripts.compare!,
  'npm run newcomer --': scripts.newcomer!,
  'npm run release --': scripts.release!,
  'npm run study --': scripts.study!,
};

/** Programs that are built, by their names; undefined: not built here. */
export type Programs = Readonly<Record<string, string | undefined>>;

/** Stands in transcripts for a port that somebody listens on. */
const TAKEN_PORT = '{taken port}';

/** Runs a command in a folder of its own; what it says last on standard error, and its exit code. */
export async function runInFolder(
  { text: command, fields }: Prompt,
  { programs, takenPort }: { readonly programs: Programs; readonly takenPort: number },
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-messages-'));
  try {
    for (const [name, content] of fields) writeFileSync(join(folder, name), content);
    const result = await run(command.replace(TAKEN_PORT, String(takenPort)), folder, programs);
    if (!result) return undefined;
    const last = result.stderr.trim().split('\n').at(-1)!.replaceAll(`${folder}/`, '').replaceAll(`${root}/`, '');
    return `${last.replace(`port ${takenPort}`, `port ${TAKEN_PORT}`)}\nexit code ${result.code}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Result {
  readonly stderr: string;
  readonly code: number | null;
}

async function run(command: string, folder: string, programs: Programs): Promise<Result | undefined> {
  const name = [...Object.keys(MAINS), ...Object.keys(SCRIPTS)].find((start) => command.startsWith(start));
  const words = command
    .slice(name?.length ?? 0)
    .split(' ')
    .filter(Boolean);
  const main = name && MAINS[name];
  if (main) return oneByOne(() => callMain(main, words, folder));
  if (name)
    return atOnce(() => execute(process.execPath, [join(root, SCRIPTS[name]!.replace('node ', '')), ...words], folder));
  const [program = '', ...args] = words;
  const path = Object.hasOwn(programs, program) ? programs[program] : venvProgram(program);
  return path === undefined ? undefined : atOnce(() => execute(path, args, folder));
}

/** Calls functions in the order of the calls, `lanes` at a time. */
function queue(lanes: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let free = lanes;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** Folder, standard error and exit code of this process are there once. */
const oneByOne = queue(1);
const atOnce = queue(availableParallelism());

async function callMain(
  main: (args: readonly string[]) => Promise<number>,
  args: readonly string[],
  folder: string,
): Promise<Result> {
  const { exitCode } = process;
  const before = process.cwd();
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  process.chdir(folder);
  try {
    await runCommand(() => main(args));
    return { stderr: said.mock.calls.map(([chunk]) => String(chunk)).join(''), code: Number(process.exitCode) };
  } finally {
    process.chdir(before);
    said.mockRestore();
    process.exitCode = exitCode;
  }
}

async function execute(program: string, args: readonly string[], cwd: string): Promise<Result> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { stderr: await text(child.stderr), code: await ended };
}
