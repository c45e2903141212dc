// @ts-check
import { join } from 'node:path';
import { root } from './paths.mjs';
import { outputOf, run, say, UserError } from './process.mjs';
import { digestOf, once } from './stamp.mjs';
import { installSystemPackages } from './system-packages.mjs';

const OLDEST = [3, 11];
const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];

/** @returns a Python of at least the oldest version we support */
function findPython() {
  for (const candidate of CANDIDATES) {
    const version = outputOf(candidate, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
    const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
    if (major === OLDEST[0] && minor >= /** @type {number} */ (OLDEST[1])) return candidate;
  }
  throw new UserError(`Python ≥ ${OLDEST.join('.')} is required, found none as ${CANDIDATES.join(', ')}`);
}

/** @param {string} python @param {string} folder */
async function createEnvironment(python, folder) {
  // Debian ships `venv` without `ensurepip` unless python3-venv is installed.
  if (outputOf(python, ['-c', 'import ensurepip, venv']) === undefined) {
    await installSystemPackages(['python3-venv'], "Python's venv module is missing");
  }
  await run(python, ['-m', 'venv', '--clear', folder], { output: 'on-failure' });
}

/** Nothing is built on the way: a package's build would bring packages that no lock file names. */
const LOCKED = ['--require-hashes', '--only-binary', ':all:'];

/** @param {string} folder of an environment @param {string[]} args */
async function pipInstall(folder, ...args) {
  const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...args];
  await run(join(folder, 'bin', 'python'), install, { cwd: root, output: 'on-failure' });
}

/** Makes an environment if there is none. @param {string} folder */
async function ensureEnvironment(folder) {
  // An interrupted creation leaves a Python without pip.
  const usable = outputOf(join(folder, 'bin', 'python'), ['-m', 'pip', '--version']) !== undefined;
  if (!usable) await createEnvironment(findPython(), folder);
}

/** The packages of this repository. */
const PACKAGES = ['manifests', 'server/aioquic'];

/** What is installed for each purpose: lock files that `npm run lock` writes. */
const LOCK_FILES = {
  run: ['requirements/run.txt'],
  tests: ['requirements/tests.txt'],
  fuzzing: ['requirements/tests.txt', 'requirements/fuzzing.txt'],
};

/**
 * Makes `.venv` hold voxel-prepare and voxel-serve, for `tests` also what checks and tests need.
 * @param {keyof typeof LOCK_FILES} purpose @returns {Promise<void>}
 */
export async function ensurePython(purpose) {
  const folder = join(root, '.venv');
  const files = LOCK_FILES[purpose];
  const inputs = [...files, ...PACKAGES.map((name) => `${name}/pyproject.toml`)];
  await once(join(folder, `.installed-for-${purpose}`), digestOf(inputs), async () => {
    say('installing Python packages …');
    await ensureEnvironment(folder);
    await pipInstall(folder, ...LOCKED, ...files.flatMap((file) => ['-r', file]));
    const editable = PACKAGES.flatMap((name) => ['-e', `./${name}`]);
    await pipInstall(folder, '--no-index', '--no-deps', '--no-build-isolation', ...editable);
  });
}

/** Programs that lock and audit, in an environment of their own. @returns {Promise<(name: string) => string>} their paths */
export function ensurePythonTools() {
  return ensureOwnEnvironment('tools');
}

/** What analyses the votes of a study, in an environment of its own. @returns {Promise<string>} path of its Python */
export async function ensureStudyPython() {
  const program = await ensureOwnEnvironment('study');
  return program('python');
}

/** @param {'tools' | 'study'} name of the lock file @returns {Promise<(name: string) => string>} paths of programs */
async function ensureOwnEnvironment(name) {
  const folder = join(root, '.venv', name);
  const lock = `requirements/${name}.txt`;
  await once(join(folder, '.installed'), digestOf([lock]), async () => {
    say(`installing Python packages (${lock}) …`);
    await ensureEnvironment(folder);
    await pipInstall(folder, ...LOCKED, '-r', lock);
  });
  return (name) => join(folder, 'bin', name);
}
