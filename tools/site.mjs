// @ts-check
// `npm run site`: the site of the project's documents.
import { join } from 'node:path';
import { ensureNodePackages } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { run, runCommand, say } from './setup/process.mjs';
import { parseOptions, USAGE } from './site/options.mjs';

/** Where `--record` keeps the comparison that it has played. */
const RECORDED = join(root, 'output/recorded');

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(USAGE);
    return;
  }
  await ensureNodePackages();
  const { buildSite } = await import('./site/build.mjs');
  if (options.record) await run('node', [join(root, 'tools/compare.mjs'), '--record', RECORDED], { kind: 'tool' });
  const { pages } = await buildSite({ ...options, recording: options.record ? RECORDED : options.recording });
  say(`${pages} pages in ${options.out}`);
  if (!options.serve) return;
  const { serveSite } = await import('./site/serve.mjs');
  console.log((await serveSite(options.out, options.port)).url);
});
