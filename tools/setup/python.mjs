// @ts-check
import { join } from 'node:path';
import { root, venvProgram } from './paths.mjs';
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

/** @param {string} python */
async function createEnvironment(python) {
  // Debian ships `venv` without `ensurepip` unless python3-venv is installed.
  if (outputOf(python, ['-c', 'import ensurepip, venv']) === undefined) {
    await installSystemPackages(['python3-venv'], "Python's venv module is missing");
  }
  await run(python, ['-m', 'venv', '--clear', join(root, '.venv')], { output: 'on-failure' });
}

/**
 * Makes `.venv` hold voxel-prepare and voxel-serve, for `tests` also what checks and tests need.
 * @param {'run' | 'tests'} purpose @returns {Promise<void>}
 */
export async function ensurePython(purpose) {
  const requirements = purpose === 'tests' ? 'requirements-dev.txt' : 'requirements.txt';
  const inputs = ['requirements.txt', requirements, 'manifests/pyproject.toml', 'server/aioquic/pyproject.toml'];
  await once(join(root, '.venv', `.installed-for-${purpose}`), digestOf(inputs), async () => {
    say('installing Python packages …');
    // An interrupted creation leaves a Python without pip.
    const usable = outputOf(venvProgram('python'), ['-m', 'pip', '--version']) !== undefined;
    if (!usable) await createEnvironment(findPython());
    await run(
      venvProgram('python'),
      ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', requirements],
      {
        cwd: root,
        output: 'on-failure',
      },
    );
  });
}
