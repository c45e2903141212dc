// @ts-check
// `npm run screenshots`: the pictures of README and of the tutorials, which are followed to the letter for it.
import { join } from 'node:path';
import { parseCommandLine } from '../../tools/setup/command-line.mjs';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { ensureNodePackages } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { run, runCommand } from '../../tools/setup/process.mjs';

const USAGE = `Usage: npm run screenshots [-- --only NAME]

Makes docs/demo.webp and docs/tutorials/*.webp anew. For it the tutorials are followed to the letter: with what takes minutes, and what
installs packages; some half an hour. --only: demo, or one tutorial. Exit codes: 0 made, 1 something failed, 2 bad input.`;

await runCommand(async () => {
  const options = { only: { type: /** @type {const} */ ('string') }, help: { type: /** @type {const} */ ('boolean') } };
  const { only, help } = parseCommandLine({ options }).values;
  if (help) {
    console.log(USAGE);
    return;
  }
  await ensureNodePackages();
  if (only === undefined || only === 'demo') {
    // Losses that are only repaired, so that they are seen.
    const lossy = ['--loss', '2', '--delivery', 'datagrams', '--no-refetch'];
    const play = ['--headless', '--seconds', '12', ...lossy, '--screenshot', 'docs/demo.webp'];
    await run('node', ['tools/start.mjs', ...play], { cwd: root });
  }
  if (only === 'demo') return;
  const env = { ...process.env, CHROME: await ensureChrome(), VOXEL_SCREENSHOTS: 'write', VOXEL_TUTORIALS: 'full' };
  const filter = only === undefined ? [] : ['-t', `docs/tutorials/${only}.md`];
  await run(join(root, 'node_modules/.bin/vitest'), ['run', '--project', 'tutorials', ...filter], { cwd: root, env });
});
