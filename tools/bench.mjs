// @ts-check
// `npm run bench -- <name> [--json] [--quick]`: runs tools/bench/<name>.*, whose `main(args)` measures and prints.
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureNodePackages } from './setup/node.mjs';
import { runCommand, UserError } from './setup/process.mjs';

const folder = join(import.meta.dirname, 'bench');

/** @param {string[]} args @returns {Promise<number | void>} */
async function bench([name, ...args]) {
  const modules = readdirSync(folder).filter((file) => /^[\w-]+\.(ts|mjs)$/.test(file));
  const module = modules.find((file) => parse(file).name === name);
  if (!module)
    throw new UserError(`npm run bench -- NAME, one of ${modules.map((file) => parse(file).name).join(', ')}`);
  await ensureNodePackages();
  const { register } = await import('tsx/esm/api');
  register();
  const { main } = await import(pathToFileURL(join(folder, module)).href);
  return main(args);
}

await runCommand(() => bench(process.argv.slice(2)));
