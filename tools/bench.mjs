// @ts-check
// `npm run bench -- <name> [options]`: runs tools/bench/<name>.*, whose `main` measures and prints, told the values of its `options`;
// its `usage` is for --help.
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseCommandLine } from './setup/command-line.mjs';
import { ensureNodePackages } from './setup/node.mjs';
import { runCommand, UserError } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';

const folder = join(import.meta.dirname, 'bench');

/** @param {string[]} args @returns {Promise<number | void>} */
async function bench([name, ...args]) {
  const modules = readdirSync(folder).filter((file) => /^[\w-]+\.(ts|mjs)$/.test(file));
  const module = modules.find((file) => parse(file).name === name);
  if (!module) {
    const names = modules.map((file) => parse(file).name).join(', ');
    const usage = `npm run bench -- NAME [--help], NAME one of ${names}`;
    if (name === '--help' || name === '-h') return console.log(usage);
    throw new UserError(usage);
  }
  await ensureNodePackages();
  const { register } = await import('tsx/esm/api');
  register();
  const { usage, options, main } = await import(pathToFileURL(join(folder, module)).href);
  const help = /** @type {const} */ ({ type: 'boolean', short: 'h' });
  const values = /** @type {Record<string, unknown>} */ (
    parseCommandLine({ args, options: { ...options, help } }).values
  );
  if (values.help) return console.log(usage);
  await ensurePython('run');
  return main(values);
}

await runCommand(() => bench(process.argv.slice(2)));
