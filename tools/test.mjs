// @ts-check
// `npm test`: every check and every test of every language, from a fresh clone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, say } from './setup/process.mjs';
import { ensurePackages } from './check.mjs';
import { GROUPS, PARTS } from './parts/parts.mjs';
import { partsCommand } from './parts/run-parts.mjs';
import { seedOf } from './parts/seed.mjs';

const USAGE = `Usage: npm test [-- --only PART[,PART]]...

Runs every check and every test, whatever fails, and prints a table: part, seconds, seconds of processors,
passed, failed, skipped, unsteady. What is missing is
installed into the checkout, or from the system's packages where that is possible without a password. --only: some parts;
'checks' stands for those of \`npm run check\`. In parts that play in real time or race processes, files that failed run once more at the
end: what passes then is unsteady, and more than two such files fail the run (test/unsteady.md). Property tests have a fixed seed:
SEED=random looks for new cases, SEED=NUMBER repeats. Exit codes: 0 all passed, 1 something failed, 2 bad input.`;

await runCommand(async () => {
  // All parts have the same, also where it is random.
  process.env.SEED = String(seedOf(process.env.SEED));
  // As are the clips that browsers play: each is prepared once.
  const clips = mkdtempSync(join(tmpdir(), 'voxel-clips-'));
  process.env.VOXEL_TEST_CLIPS = clips;
  const code = await partsCommand(process.argv.slice(2), PARTS, {
    usage: USAGE,
    groups: GROUPS,
    setUp: ensurePackages,
  }).finally(() => rmSync(clips, { recursive: true }));
  if (code === 1) say(`The property tests had SEED=${process.env.SEED}.`);
  return code;
});
