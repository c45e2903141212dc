// @ts-check
// The Python packages: built, read, installed into empty environments from locked wheels, used there.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { cacheFolder, root, venvProgram } from '../setup/paths.mjs';
import { outputOf, run, UserError } from '../setup/process.mjs';
import { ensurePython } from '../setup/python.mjs';
import { digestOf, once } from '../setup/stamp.mjs';
import { check, contentProblems, licenceProblems, report } from './artefact.mjs';
import { useVoxelPrepare, useVoxelServe } from './use-python.mjs';

/** @typedef {import('./artefact.mjs').Report} Report */

/** Folders of the projects, and the packages in them. */
const PROJECTS = [
  { folder: 'manifests', module: 'voxel_prepare' },
  { folder: 'server/aioquic', module: 'voxel_serve' },
];

const quiet = /** @type {const} */ ({ output: 'on-failure' });

/** Test files of server/conformance that the installed server is put to: a client's requests, or all that it does. */
const CONFORMANCE = {
  quick: ['test_requests'],
  full: ['test_session', 'test_requests', 'test_http', 'test_parity', 'test_follow'],
};

/**
 * @param {string} out folder for the distributions @param {string} version
 * @param {{ isFull: boolean, media: string }} options `media`: the folder for a clip, which others use after
 * @returns {Promise<Report[]>}
 */
export async function releasePython(out, version, { isFull, media }) {
  await ensurePython('tests');
  const wheels = await lockedWheels();
  const work = mkdtempSync(join(tmpdir(), 'voxel-wheels-'));
  try {
    /** @type {Report[]} */
    const reports = [];
    /** @type {Record<string, string>} */
    const programs = {};
    for (const { folder, module } of PROJECTS) {
      const { sdist, wheel } = await build(folder, module, version, { out, work });
      const ofWheel = examine(wheel, version, [RegExp(`^${module}/[\\w/]+\\.py$`), `${module}/py.typed`, DIST_INFO]);
      const ofSource = examine(sdist, version, [
        'pyproject.toml',
        'README.md',
        'LICENSE',
        'PKG-INFO',
        '.gitignore',
        /^src\//,
      ]);
      reports.push(await ofSource, await ofWheel);
      const of = await ofWheel;
      programs[module] = join(work, module, 'bin');
      await check(of, 'clean install', () => install(join(work, module), wheel, wheels));
    }
    const [, ofPrepare, , ofServe] = /** @type {[Report, Report, Report, Report]} */ (reports);
    const isPrepared = await check(ofPrepare, 'prepares a clip', () =>
      useVoxelPrepare(programs.voxel_prepare ?? '', media, work),
    );
    if (isPrepared)
      await check(ofServe, 'serves it', () => useVoxelServe(join(programs.voxel_serve ?? '', 'voxel-serve'), media));
    else ofServe.leftOut.push('serves it: there is no clip');
    const tests = isFull ? CONFORMANCE.full : CONFORMANCE.quick;
    await check(ofServe, 'conformance', () => conform(join(programs.voxel_serve ?? '', 'voxel-serve'), tests));
    return reports;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const DIST_INFO = /^\w+-[\d.]+\.dist-info\/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses\/LICENSE)$/;

/** Builds the source distribution, and the wheel from what is in that: it is complete then. @param {string} folder @param {string} module @param {string} version @param {{ out: string, work: string }} folders */
async function build(folder, module, version, { out, work }) {
  const hatchling = (/** @type {string} */ cwd, /** @type {string} */ target) =>
    run(venvProgram('hatchling'), ['build', '-t', target, '-d', out], { cwd, ...quiet });
  await hatchling(join(root, folder), 'sdist');
  const sdist = join(out, `${module}-${version}.tar.gz`);
  await run(venvProgram('python'), ['-m', 'tarfile', '-e', sdist, work], quiet);
  await hatchling(join(work, `${module}-${version}`), 'wheel');
  return { sdist, wheel: join(out, `${module}-${version}-py3-none-any.whl`) };
}

/**
 * What check_distributions.py prints of a file.
 * @typedef {{ version: string, licence: string | null, licenceText: string, files: string[], problems: string[] }} Distribution
 */

/** @param {string} path @param {string} version @param {(string | RegExp)[]} contents @returns {Promise<Report>} */
async function examine(path, version, contents) {
  const of = { ...report(path), bytes: statSync(path).size };
  await check(of, 'metadata', () => {
    const printed = outputOf(venvProgram('python'), [join(import.meta.dirname, 'check_distributions.py'), path]);
    if (printed === undefined) throw new UserError(`${basename(path)} cannot be read`);
    const found = /** @type {Distribution} */ (JSON.parse(printed));
    of.files = found.files.length;
    return [
      ...found.problems,
      ...(found.version === version ? [] : [`version must be ${version}, got ${found.version}`]),
      ...(found.licence === 'Apache-2.0' ? [] : [`licence must be Apache-2.0, got ${found.licence}`]),
      ...licenceProblems(found.licenceText),
      ...contentProblems(found.files, contents),
    ];
  });
  return of;
}

/** What the packages depend on, as the lock file has it: downloaded once, with hashes. @returns {Promise<string>} a folder of wheels */
async function lockedWheels() {
  const lock = 'requirements/run.txt';
  const digest = digestOf([lock]);
  const folder = join(cacheFolder, 'wheels', digest.slice(0, 16));
  mkdirSync(folder, { recursive: true });
  await once(join(folder, '.downloaded'), digest, () => {
    const download = ['-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--require-hashes'];
    return run(venvProgram('python'), [...download, '--only-binary', ':all:', '-r', lock, '-d', folder], {
      cwd: root,
      ...quiet,
    });
  });
  return folder;
}

/** Into a new environment, without an index: nothing but what the wheel asks for. @param {string} environment @param {string} wheel @param {string} wheels */
async function install(environment, wheel, wheels) {
  await run(venvProgram('python'), ['-m', 'venv', '--without-pip', environment], quiet);
  const python = join(environment, 'bin', 'python');
  const pip = ['-m', 'pip', '--python', python, 'install', '-q', '--disable-pip-version-check', '--no-compile'];
  await run(venvProgram('python'), [...pip, '--no-index', '--find-links', wheels, wheel], quiet);
}

/** @param {string} program @param {string[]} tests of server/conformance */
async function conform(program, tests) {
  const paths = tests.map((name) => `server/conformance/${name}.py`);
  const env = { ...process.env, VOXEL_SERVE: program };
  await run(venvProgram('pytest'), ['-q', '-k', 'aioquic', ...paths], { cwd: root, env, ...quiet });
}
