// @ts-check
// The npm packages: packed, read, installed into an empty project, used there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installTarballs, NPM_PACKAGES, packPackage } from '../package/consumer.mjs';
import { ensureBuild } from '../setup/node.mjs';
import { check, contentProblems, licenceProblems, report } from './artefact.mjs';

/** @typedef {import('./artefact.mjs').Report} Report */
/** @typedef {import('../package/consumer.mjs').NpmPackage} NpmPackage */

/** @typedef {{ license: string, version: string, exports: Record<string, unknown>, bin?: Record<string, string>, files: string[], dependencies?: object }} Manifest */

/** What a page imports from each, and what runs where there is no page. @type {Record<NpmPackage, { entry: string, name: string }[]>} */
const ENTRIES = {
  'voxel-dash': [
    { entry: 'voxel-dash', name: 'attachVoxel' },
    { entry: 'voxel-dash/live', name: 'attachVoxel' },
    { entry: 'voxel-dash/lab', name: 'attachVoxel' },
    { entry: 'voxel-dash/full', name: 'attachVoxel' },
    { entry: 'voxel-dash/hls', name: 'attachVoxelHls' },
    { entry: 'voxel-dash/element', name: 'defineVoxelVideo' },
  ],
  'voxel-repair': [{ entry: 'voxel-repair', name: 'createRepairer' }],
  'voxel-lab': [],
};

/** @param {string} out folder for the tarballs @returns {Promise<Report[]>} */
export async function releaseNpm(out) {
  await ensureBuild();
  const names = /** @type {NpmPackage[]} */ (Object.keys(NPM_PACKAGES));
  const packed = names.map((name) => ({ name, tarball: packPackage(name, out) }));
  const project = installTarballs(packed.map(({ tarball }) => tarball));
  try {
    return await Promise.all(packed.map((each) => examine(each, project)));
  } finally {
    project.remove();
  }
}

/**
 * @param {{ name: NpmPackage, tarball: import('../package/consumer.mjs').Tarball }} packed
 * @param {import('../package/consumer.mjs').Project} project
 */
async function examine({ name, tarball }, project) {
  const of = { ...report(tarball.path), bytes: tarball.bytes, files: tarball.files.length };
  const installed = join(project.folder, 'node_modules', name);
  const manifest = /** @type {Manifest} */ (JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')));
  await check(of, 'contents', () => {
    const built = [/^(dist\/)?(umd\/)?voxel-[a-z-]+\.(js|js\.map|d\.ts)$/, /^(dist\/)?umd\/package\.json$/];
    return contentProblems(tarball.files, [
      'package.json',
      'README.md',
      'LICENSE',
      ...filesOf(manifest.exports),
      ...(manifest.bin ? manifest.files : []),
      ...built,
    ]);
  });
  await check(of, 'licence', () => [
    ...(manifest.license === 'Apache-2.0' ? [] : [`license must be Apache-2.0, got ${manifest.license}`]),
    ...licenceProblems(readFileSync(join(installed, 'LICENSE'), 'utf8')),
  ]);
  await check(of, 'no dependencies', () => Object.keys(manifest.dependencies ?? {}));
  await check(of, 'publint', async () => {
    const { publint } = await import('publint');
    const { formatMessage } = await import('publint/utils');
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    return messages.map((message) => formatMessage(message, manifest) ?? message.code);
  });
  await check(of, 'every entry is imported', () => {
    const imported = ENTRIES[name].map(({ entry }) => entry.replace(name, '.'));
    return modulesOf(manifest.exports).filter((entry) => !imported.includes(entry));
  });
  for (const { entry, name: exported } of ENTRIES[name]) {
    await check(of, `import ${entry}`, () => {
      project.write('use.mjs', `import { ${exported} } from '${entry}'; console.log(typeof ${exported});`);
      const printed = project.run('node', 'use.mjs');
      return printed === 'function\n' ? [] : [printed.trim()];
    });
  }
  for (const [program, file] of Object.entries(manifest.bin ?? {})) {
    await check(of, `run ${program}`, () => {
      const printed = project.run('node', join(installed, file), '--version').trim();
      return printed === manifest.version ? [] : [printed];
    });
  }
  return of;
}

/** @param {Manifest['exports']} exports of a package.json @returns {string[]} those that pages import: the others are plain files */
const modulesOf = (exports) => Object.keys(exports).filter((entry) => typeof exports[entry] === 'object');

/** @param {unknown} exports @returns {string[]} the files that `exports` of a package.json names */
function filesOf(exports) {
  if (typeof exports === 'string') return [exports.replace('./', '')];
  return Object.values(/** @type {object} */ (exports)).flatMap(filesOf);
}
