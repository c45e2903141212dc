// @ts-check
// `npm run lab`: packs `voxel-lab`.
import { mkdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { packPackage } from './package/consumer.mjs';
import { parseCommandLine } from './setup/command-line.mjs';
import { ensureBuild, ensureNodePackages } from './setup/node.mjs';
import { runCommand, say } from './setup/process.mjs';

const USAGE = `Usage: npm run lab [-- --to FOLDER]

Packs voxel-lab, which compares a bitrate rule with ours in simulation, as it would be published, and prints its file
(packages/lab/README.md): npx ./voxel-lab-VERSION.tgz compare --rule FILE

--to     where; the current folder by default. A file of that name is replaced.
--help   this text

Exit codes: 0 it is there, 1 something failed, 2 bad input.`;

await runCommand(async () => {
  const { values } = parseCommandLine({
    options: { to: { type: 'string', default: '.' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const folder = resolve(values.to);
  mkdirSync(folder, { recursive: true });
  await ensureNodePackages();
  await ensureBuild();
  const { path, bytes } = packPackage('voxel-lab', folder);
  say(`${(bytes / 1000).toFixed(0)} kB`);
  console.log(relative(process.cwd(), path));
  return 0;
});
