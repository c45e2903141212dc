// @ts-check
// `npm run site`: the site of the project's documents.
import { ensureNodePackages } from './setup/node.mjs';
import { runCommand, say } from './setup/process.mjs';
import { parseOptions, USAGE } from './site/options.mjs';

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(USAGE);
    return;
  }
  await ensureNodePackages();
  const { buildSite } = await import('./site/build.mjs');
  const { pages } = await buildSite(options);
  say(`${pages} pages in ${options.out}`);
  if (!options.serve) return;
  const { serveSite } = await import('./site/serve.mjs');
  console.log((await serveSite(options.out, options.port)).url);
});
