// @ts-check
// `npm run trials`: installs what is missing, then runs main.ts.
import { ensureTypeScript } from '../../tools/setup/node.mjs';
import { runCommand } from '../../tools/setup/process.mjs';
import { ensurePython } from '../../tools/setup/python.mjs';

await runCommand(async () => {
  await Promise.all([ensureTypeScript(), ensurePython('run')]);
  const { main } = await import('./main.js');
  return main(process.argv.slice(2));
});
