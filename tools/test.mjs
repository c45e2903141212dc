// @ts-check
// `npm test`: every check and every test of every language, from a fresh clone.
import { runCommand } from './setup/process.mjs';
import { ensurePackages } from './check.mjs';
import { GROUPS, PARTS } from './parts/parts.mjs';
import { partsCommand } from './parts/run-parts.mjs';

const USAGE = `Usage: npm test [-- --only PART[,PART]]...

Runs every check and every test, whatever fails, and prints a table: part, seconds, passed, failed, skipped. What is missing is
installed into the checkout, or from the system's packages where that is possible without a password. --only: some parts;
'checks' stands for those of \`npm run check\`. Exit codes: 0 all passed, 1 something failed, 2 bad input.`;

await runCommand(() =>
  partsCommand(process.argv.slice(2), PARTS, { usage: USAGE, groups: GROUPS, setUp: ensurePackages }),
);
