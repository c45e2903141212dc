// @ts-check
// The reference of the public API as documents, from the declarations that are published (docs/api/*.d.ts).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { anchorOf } from './addresses.mjs';
import { root } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';

/** Files of docs/api by what a page imports. */
export const ENTRY_POINTS = {
  'voxel-dash': 'voxel-dash.d.ts',
  'voxel-dash/live': 'voxel-dash-live.d.ts',
  'voxel-dash/lab': 'voxel-dash-lab.d.ts',
  'voxel-dash/hls': 'voxel-hls.d.ts',
  'voxel-dash/element': 'voxel-video.d.ts',
  'voxel-repair': 'voxel-repair.d.ts',
};

/** @param {string} file */
const documentOf = (file) => `docs/api/${file.replace(/\.d\.ts$/, '.md')}`;

export const API_SECTION = {
  name: 'API reference',
  entries: Object.entries(ENTRY_POINTS).map(([title, file]) => ({ document: documentOf(file), title })),
};

const OVERVIEW = `# API reference

What a page can import, from the types of the packages; [EMBEDDING](../EMBEDDING.md) explains how to use it.

${Object.entries(ENTRY_POINTS)
  .map(([title, file]) => `- [\`${title}\`](${file.replace(/\.d\.ts$/, '.md')})`)
  .join('\n')}
`;

/** Anchors of headings that have that anchor anyway. @param {string} text */
const withoutRepeatedAnchors = (text) =>
  text.replaceAll(
    /<a id="([^"]*)"><\/a>\s+(?=#+ (.*))/g,
    (anchor, /** @type {string} */ id, /** @type {string} */ title) => (anchorOf(title) === id ? '' : anchor),
  );

/** @param {string} folder @returns {Promise<void>} */
async function writeMarkdown(folder) {
  const application = await Application.bootstrapWithPlugins({
    entryPoints: Object.values(ENTRY_POINTS).map((file) => join(root, 'docs/api', file)),
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(root, 'tools/site/tsconfig.api.json'),
    // Checked by the tests of the package.
    skipErrorChecking: true,
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    groupOrder: ['Functions', 'Interfaces', 'Type Aliases', 'Classes', '*'],
    logLevel: 'Error',
    out: folder,
    ...{
      router: 'module',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      useHTMLAnchors: true,
      expandObjects: true,
    },
    ...{ parametersFormat: 'table', interfacePropertiesFormat: 'table', typeAliasPropertiesFormat: 'table' },
  });
  const project = await application.convert();
  if (project === undefined) throw new UserError('typedoc cannot read docs/api/*.d.ts', 1);
  await application.outputs.writeOutput({ name: 'markdown', path: folder }, project);
}

/** @returns {Promise<Map<string, string>>} documents by the paths that they would have */
export async function apiDocuments() {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-api-'));
  try {
    await writeMarkdown(folder);
    const pages = Object.entries(ENTRY_POINTS).map(([title, file]) => {
      const text = readFileSync(join(folder, file.replace(/\.d\.ts$/, '.md')), 'utf8');
      return /** @type {const} */ ([documentOf(file), withoutRepeatedAnchors(text).replace(/^# .*$/m, `# ${title}`)]);
    });
    return new Map([['docs/api/README.md', OVERVIEW], ...pages]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
