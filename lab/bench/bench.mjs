// @ts-check
// `npm run bench -- NAME [options]`: runs the module NAME beside this one. It exports `options` as `parseArgs` takes them, `main`,
// which receives their values, measures and prints, and `usage` for --help.
import { readdirSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseCommandLine } from '../../tools/setup/command-line.mjs';
import { ensureTypeScript } from '../../tools/setup/node.mjs';
import { runCommand, UserError } from '../../tools/setup/process.mjs';
import { ensurePython } from '../../tools/setup/python.mjs';

const folder = import.meta.dirname;
const self = basename(import.meta.filename);

/**
 * @typedef {void | readonly import('../sim/report/bar.js').Bar[]} BarList where a figure misses its bar, the exit code is 1
 * @typedef {{ usage: string, options: NonNullable<import('node:util').ParseArgsConfig['options']>,
 *   main: (values: Record<string, unknown>) => Promise<BarList> | BarList }} Bench
 */

/** @param {string[]} args @returns {Promise<void>} */
async function bench([name, ...args]) {
  const modules = readdirSync(folder).filter((file) => /^[\w-]+\.(ts|mjs)$/.test(file) && file !== self);
  const module = modules.find((file) => parse(file).name === name);
  if (!module) {
    const names = modules.map((file) => parse(file).name).join(', ');
    if (name === '--help' || name === '-h') {
      console.log(`npm run bench -- NAME [--help], NAME one of ${names}`);
      return;
    }
    throw new UserError(`the first argument must be one of ${names}, got ${name === undefined ? 'none' : `'${name}'`}`);
  }
  await ensureTypeScript();
  const { usage, options, main } = /** @type {Bench} */ (await import(pathToFileURL(join(folder, module)).href));
  const help = /** @type {const} */ ({ type: 'boolean', short: 'h' });
  /** @type {{ values: Record<string, unknown> }} */
  const { values } = parseCommandLine({ args, options: { ...options, help } });
  if (values.help) {
    console.log(usage);
    return;
  }
  await ensurePython('run');
  const bars = await main(values);
  const { complaintOf } = await import('../sim/report/bar.js');
  const complaint = complaintOf(bars ?? []);
  if (complaint !== undefined) throw new UserError(complaint, 1);
}

await runCommand(() => bench(process.argv.slice(2)));
