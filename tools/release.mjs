// @ts-check
// `npm run release`: builds, checks and tries every package as it would be published.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { check, report } from './release/artefact.mjs';
import { changelogProblems } from './release/changelog.mjs';
import { publishingCommands, publishingProblems } from './release/publishing.mjs';
import { releaseTable } from './release/table.mjs';
import { FILES_WITH_VERSIONS, versionProblems, versionsIn, withVersion } from './release/versions.mjs';
import { parseCommandLine } from './setup/command-line.mjs';
import { ensureNodePackages } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { outputOf, runCommand, say, UserError } from './setup/process.mjs';

/** @typedef {import('./release/artefact.mjs').Report} Report */

const KINDS = /** @type {const} */ (['python', 'npm', 'crates']);

const USAGE = `Usage: npm run release -- --dry-run [--full] [--only KIND[,KIND]] [--out FOLDER]
       npm run release -- --set VERSION
       npm run release

Builds every package as it would be published (npm: voxel-dash, voxel-repair, voxel-lab; PyPI: voxel-prepare, voxel-serve; crates: voxel-protocol,
voxel-quiche), checks versions, CHANGELOG.md, contents, metadata and licences, installs each into an empty project, uses it there, and prints a
table. Nothing is uploaded, ever.

--dry-run   what is said above. Without it also --full, and then the commands that publish are printed, or the reasons why this
            commit is not to be published.
--full      also builds voxel-quiche from its crate, has it serve, and runs more of server/conformance against the installed voxel-serve
--only      ${KINDS.join(', ')}: some of the packages
--out       folder for the packages; output/release by default
--set       writes a version everywhere where one of the packages has its version

Exit codes: 0 all passed, 1 something failed, or is not to be published; 2 bad input.`;

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8');

/** @returns {{ file: string, text: string }[]} */
function filesWithVersions() {
  const listed = outputOf('git', ['-C', root, 'ls-files', '--', ...FILES_WITH_VERSIONS]);
  if (listed === undefined) throw new UserError('npm run release needs a git checkout');
  return listed.split('\n').map((file) => ({ file, text: read(file) }));
}

/** @param {string} version */
function setVersion(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new UserError(`--set must be a version like 1.2.3, got '${version}'`);
  for (const { file, text } of filesWithVersions()) {
    const changed = withVersion(file, text, version);
    if (changed === text) continue;
    writeFileSync(join(root, file), changed);
    console.log(file);
  }
}

/** @param {string} version @param {boolean} isFinal @returns {Promise<Report>} */
async function checkRepository(version, isFinal) {
  const of = report(`voxel-dash ${version}`);
  await check(of, 'versions', () => {
    return versionProblems(
      filesWithVersions().flatMap(({ file, text }) => versionsIn(file, text)),
      version,
    );
  });
  await check(of, 'changelog', () => changelogProblems(read('CHANGELOG.md'), version, { isFinal }));
  if (!isFinal) return of;
  await check(of, 'ready to publish', () => {
    const status = outputOf('git', ['-C', root, 'status', '--porcelain']) ?? '';
    const tags = (outputOf('git', ['-C', root, 'tag', '--points-at', 'HEAD']) ?? '').split('\n');
    const manifests = ['package.json', 'packages/repair/package.json', 'packages/lab/package.json'].map((file) => ({
      file,
      ...JSON.parse(read(file)),
    }));
    return publishingProblems({ version, status, tags, manifests });
  });
  return of;
}

/** What a release leaves in its folder, finished or not. */
const ARTEFACT = /\.(whl|tar\.gz|tgz|crate)$|^(clip|cargo)$/;

/** Makes the folder for the packages, or empties it: of packages only, whatever else may have been given. @param {string} out */
function emptyFolder(out) {
  const foreign = existsSync(out) && readdirSync(out).find((name) => !ARTEFACT.test(name));
  if (foreign) throw new UserError(`--out must be a folder for packages alone, but ${join(out, foreign)} is there`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}

/**
 * @param {string} version @param {string} out @param {{ kinds: readonly string[], isFull: boolean }} options
 * @returns {Promise<Report[]>}
 */
async function checkPackages(version, out, { kinds, isFull }) {
  emptyFolder(out);
  const media = join(out, 'clip');
  /** @type {Report[]} */
  const reports = [];
  if (kinds.includes('python')) {
    say('building and trying the Python packages …');
    const { releasePython } = await import('./release/python.mjs');
    reports.push(...(await releasePython(out, version, { media, isFull })));
  }
  if (kinds.includes('npm')) {
    say('packing and trying the npm packages …');
    const { releaseNpm } = await import('./release/npm.mjs');
    reports.push(...(await releaseNpm(out)));
  }
  if (kinds.includes('crates')) {
    say('packing and trying the crates …');
    const { releaseCrates } = await import('./release/crates.mjs');
    reports.push(...(await releaseCrates(out, version, { media, isFull })));
  }
  rmSync(media, { recursive: true, force: true });
  return reports;
}

/** @param {string[]} args */
function parseOptions(args) {
  const { values } = parseCommandLine({
    args,
    options: {
      'dry-run': { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: join(root, 'output/release') },
      set: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const kinds = values.only.flatMap((list) => list.split(','));
  const unknown = kinds.find((kind) => KINDS.every((each) => each !== kind));
  if (unknown !== undefined) throw new UserError(`--only must be one of ${KINDS.join(', ')}, got '${unknown}'`);
  const isDry = values['dry-run'];
  if (!isDry && kinds.length > 0) throw new UserError('--only needs --dry-run: a release is of all packages');
  return {
    ...values,
    isDry,
    isFull: values.full || !isDry,
    kinds: kinds.length > 0 ? kinds : KINDS,
    out: resolve(values.out),
  };
}

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else if (options.set !== undefined) setVersion(options.set);
  if (options.help || options.set !== undefined) return 0;
  const { version } = /** @type {{ version: string }} */ (JSON.parse(read('package.json')));
  const repository = await checkRepository(version, !options.isDry);
  // The rest takes minutes, and would be in vain.
  const isWorthIt = options.isDry || repository.failed.length === 0;
  if (isWorthIt) await ensureNodePackages();
  const reports = [repository, ...(isWorthIt ? await checkPackages(version, options.out, options) : [])];
  console.log(releaseTable(reports));
  if (reports.some(({ failed }) => failed.length > 0)) return 1;
  if (options.isDry) return 0;
  console.log(`\nNothing has been published. From here on it cannot be taken back:\n`);
  console.log(publishingCommands(version, relative(root, options.out)));
  return 0;
});
