// @ts-check
// `npm run data`: the videos and recorded links that configurations of trials name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { obtain } from './data/obtain.mjs';
import { parseCommandLine } from './setup/command-line.mjs';
import { root } from './setup/paths.mjs';
import { runCommand, say } from './setup/process.mjs';

/** Beside the checkout, so that clones share it: configurations, tests and benches name it. */
const FOLDER = join(root, '../shared/data');

const USAGE = `Usage: npm run data [-- --from DIR] [--to DIR]

Brings the videos and recorded links that configurations of trials and benches name to ../shared/data: each from its public address,
converted and checked by SHA-256 (tools/data/manifest.json). What is there already is only checked.

  --from DIR   copies at hand, laid out like the result; they go first, and are the only way for files without an address
  --to DIR     another folder than ../shared/data

Exit codes: 0 all files are there, 1 one is missing or is not what the manifest says, 2 bad input.`;

await runCommand(async () => {
  const { values } = parseCommandLine({
    options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'data/manifest.json'), 'utf8'));
  const { sets } = /** @type {{ sets: import('./data/obtain.mjs').DataSet[] }} */ (manifest);
  const folders = { from: values.from, to: values.to ?? FOLDER };
  let missing = 0;
  for (const set of sets) {
    /** @type {import('./data/obtain.mjs').Result[]} */
    const results = [];
    for (const file of set.files) results.push(await obtain(set, file, folders));
    const absent = set.files.filter((_, index) => results[index] === 'missing');
    missing += absent.length;
    say(`${set.folder}: ${results.length - absent.length} of ${results.length} files`);
    if (absent.length > 0)
      say(`  no address for ${absent.map(({ name }) => name).join(', ')}: see ${set.home}, then --from DIR`);
  }
  return missing > 0 ? 1 : 0;
});
