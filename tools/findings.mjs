// @ts-check
// `npm run findings`: lists the scripts of findings/, or runs one of them.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCommandLine } from './setup/command-line.mjs';
import { root } from './setup/paths.mjs';
import { runCommand, UserError } from './setup/process.mjs';

const FOLDER = join(root, 'findings');

const USAGE = `Usage: npm run findings [-- NAME]

Runs findings/NAME.sh, which shows something surprising about another library, tool or format; without a name, lists all (findings/README.md).

  --help   this text

Exit codes: those of the script: 0 it is as it says, 1 it has changed, 2 the machine lacks something; 2 bad input.`;

/** What a script shows: its first comment line. @param {string} name */
const surpriseOf = (name) =>
  readFileSync(join(FOLDER, `${name}.sh`), 'utf8')
    .split('\n')[1]
    ?.replace(/^# /, '');

/** @returns {number} exit code */
function main() {
  const options = /** @type {const} */ ({ help: { type: 'boolean', short: 'h', default: false } });
  const { values, positionals } = parseCommandLine({ args: process.argv.slice(2), options, allowPositionals: true });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.sh') ? [file.slice(0, -'.sh'.length)] : []));
  const [name, ...more] = positionals;
  if (name === undefined) {
    for (const each of names) console.log(`${each}\n  ${surpriseOf(each)}`);
    return 0;
  }
  if (more.length > 0) throw new UserError('one finding at a time');
  if (!names.includes(name)) throw new UserError(`no finding is called '${name}': npm run findings lists them`);
  return spawnSync('bash', [join(FOLDER, `${name}.sh`)], { stdio: 'inherit' }).status ?? 1;
}

await runCommand(() => new Promise((resolve) => resolve(main())));
