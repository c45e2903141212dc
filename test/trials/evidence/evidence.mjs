// @ts-check
// `npm run evidence`: installs what is missing, then runs main.ts.
import { ensureNodePackages } from '../../../tools/setup/node.mjs';
import { runCommand } from '../../../tools/setup/process.mjs';

await runCommand(async () => {
  await ensureNodePackages();
  const { register } = await import('tsx/esm/api');
  register();
  const { main } = await import('./main.js');
  return main(process.argv.slice(2));
});
