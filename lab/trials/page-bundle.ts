import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { bundleWorker } from '../../tools/package/worker-source.mjs';
import { root } from '../../tools/setup/paths.mjs';

/** What the trial's page is made of. None of it travels over the emulated link. */
export interface PageFiles {
  readonly html: string;
  readonly dashjs: string;
  /** The page's own script with the plugin in it. */
  readonly script: string;
}

const HTML = `<!doctype html><meta charset="utf-8"><title>trial</title><link rel="icon" href="data:,">
<style>body { margin: 0 } video { width: 100vw; height: 100vh }</style>
<video></video><script src="dash.js"></script><script src="page.js"></script>`;

/** Builds the page as this checkout has it; what changes later does not change trials that run. */
export async function bundlePage(): Promise<PageFiles> {
  const output = await build({
    configFile: false,
    root,
    logLevel: 'error',
    define: { VOXEL_WORKER_SOURCE: JSON.stringify(await bundleWorker('lab')) },
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, 'page/main.ts'), formats: ['iife'], name: 'trial' },
    },
  });
  const [bundle] = [output].flat();
  if (!bundle || !('output' in bundle)) throw new Error('the page has no bundle');
  return {
    html: HTML,
    dashjs: readFileSync(join(root, 'node_modules/dashjs/dist/modern/umd/dash.all.min.js'), 'utf8'),
    script: bundle.output[0].code,
  };
}
