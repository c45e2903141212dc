// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root, venvProgram } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';
import { ensurePython } from '../setup/python.mjs';

const USAGE = `npm run bench -- prepare [--json] [--full]: what preparation costs, what it gains, and whether what it says
is so, on 32 s of one clip; --full: of all clips, with the table of all orders and levels. --json: one object on standard
output.`;

/** Sample clips beside the checkout. */
const CLIPS = join(root, '../shared/data/videos');

/** @param {string[]} args @returns {Promise<number>} the exit code */
export async function main(args) {
  const { json, full } = parse(args);
  if (!existsSync(CLIPS)) throw new UserError(`${CLIPS}: no clips to measure`);
  await ensurePython('run');
  const program = join(import.meta.dirname, 'prepare', 'bench.py');
  const options = [...(json ? ['--json'] : []), ...(full ? ['--full'] : [])];
  const child = spawn(venvProgram('python'), [program, CLIPS, ...options], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** @param {string[]} args @returns {{ json: boolean, full: boolean }} */
function parse(args) {
  const options = /** @type {const} */ ({
    json: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
  });
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}
