// @ts-check
// `npm run fuzz -- LANGUAGE [--seconds N] [--target NAME]`: coverage-guided fuzzing of everything that reads what a network sends. Each module
// beside this one is a language and exports `targets` and `fuzz`.
import { readdirSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { choiceOption, parseCommandLine } from '../../tools/setup/command-line.mjs';
import { runCommand, UserError } from '../../tools/setup/process.mjs';

/**
 * @typedef {{ targets: readonly string[],
 *   fuzz: (targets: readonly string[], secondsEach: number) => Promise<boolean> }} Fuzzer `fuzz` resolves with false after a finding
 */

const languages = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.mjs') && file !== basename(import.meta.filename))
  .map((file) => parse(file).name);

const USAGE = `Usage: npm run fuzz -- LANGUAGE [--seconds N] [--target NAME]...

Fuzzes the targets of LANGUAGE (${languages.join(', ')}) one after the other with libFuzzer. Inputs that cover more code and findings end up in
output/fuzz/LANGUAGE/; a finding belongs with the seeds, and the tests run it from then on. --seconds: for all targets together,
60 by default. --target: these only. Exit codes: 0 nothing found, 1 a finding, 2 bad input or a missing tool.`;

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = parseCommandLine({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      target: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [language = '', ...rest] = positionals;
  if (!languages.includes(language) || rest.length > 0) {
    throw new UserError(`the only argument must be one of ${languages.join(', ')}, got '${positionals.join(' ')}'`);
  }
  const file = pathToFileURL(join(import.meta.dirname, `${language}.mjs`));
  const { targets, fuzz } = /** @type {Fuzzer} */ (await import(file.href));
  const chosen = values.target ?? targets;
  for (const name of chosen) choiceOption('target', name, targets);
  const seconds = Number(values.seconds);
  if (!(seconds >= chosen.length)) {
    throw new UserError(`--seconds must be at least ${chosen.length}, one for each target, got '${values.seconds}'`);
  }
  return (await fuzz(chosen, Math.floor(seconds / chosen.length))) ? 0 : 1;
}

await runCommand(main);
