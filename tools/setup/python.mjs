// @ts-check
import { join } from 'node:path';
import { root } from './paths.mjs';
import { outputOf, run, say, UserError } from './process.mjs';
import { digestOf, once } from './stamp.mjs';
import { installSystemPackages } from './system-packages.mjs';

const OLDEST = [3, 11];
const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];

/** @param {string} program @returns its version, such as 3.11; undefined where it is no Python */
function versionOf(program) {
  return outputOf(program, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
}

/**
 * Chooses a Python of at least the oldest version we support: the one that is named, or the first of the usual ones.
 * @param {string | undefined} named @param {(program: string) => string | undefined} version @returns {string}
 */
export function choosePython(named, version) {
  const candidates = named ? [named] : CANDIDATES;
  for (const candidate of candidates) {
    const [major = 0, minor = 0] = (version(candidate) ?? '').split('.').map(Number);
    if (major === OLDEST[0] && minor >= /** @type {number} */ (OLDEST[1])) return candidate;
  }
  if (named) throw new UserError(`PYTHON must name a Python ≥ ${OLDEST.join('.')}, got ${named}`);
  throw new UserError(`Python ≥ ${OLDEST.join('.')} is required, found none as ${CANDIDATES.join(', ')}`);
}

/** The Python that the user wants environments of; undefined: any that is there stays. */
const wanted = () => process.env.PYTHON || undefined;

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

/** Makes an environment if there is none, or one of another Python than is wanted. @param {string} folder */
async function ensureEnvironment(folder) {
  const own = join(folder, 'bin', 'python');
  // An interrupted creation leaves a Python without pip.
  const usable = outputOf(own, ['-m', 'pip', '--version']) !== undefined;
  const python = wanted();
  if (usable && (python === undefined || versionOf(own) === versionOf(python))) return;
  await createEnvironment(choosePython(python, versionOf), folder);
}

/** What an environment is made of. @param {string[]} inputs files */
function contentsOf(inputs) {
  const python = wanted();
  return digestOf(inputs) + (python === undefined ? '' : ` ${versionOf(python)}`);
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
  await once(join(folder, `.installed-for-${purpose}`), contentsOf(inputs), async () => {
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
  await once(join(folder, '.installed'), contentsOf([lock]), async () => {
    say(`installing Python packages (${lock}) …`);
    await ensureEnvironment(folder);
    await pipInstall(folder, ...LOCKED, '-r', lock);
  });
  return (name) => join(folder, 'bin', name);
}
