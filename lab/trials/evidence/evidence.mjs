// @ts-check
// `npm run evidence`: installs what is missing, then runs main.ts.
import { ensureTypeScript } from '../../../tools/setup/node.mjs';
import { runCommand } from '../../../tools/setup/process.mjs';

await runCommand(async () => {
  await ensureTypeScript();
  const { main } = await import('./main.js');
  return main(process.argv.slice(2));
});
