// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cacheFolder, root } from './paths.mjs';
import { outputOf, run, say, UserError } from './process.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** What the Rust programs say in their Cargo.toml (`rust-version`). */
const OLDEST = '1.85';

/** Build outputs outlive a clone. */
const targetFolder = join(cacheFolder, 'cargo-target');

/** With rustup's folder, which a login shell adds to the path but other parents of this process may not. */
const env = {
  ...process.env,
  CARGO_TARGET_DIR: targetFolder,
  PATH: [process.env.PATH ?? '', join(homedir(), '.cargo', 'bin')].join(delimiter),
};

/** Everything but the Rust programs works without Rust: their checks and tests are left out where it is absent. */
export const hasCargo = () => outputOf('env', [`PATH=${env.PATH}`, 'cargo', '--version']) !== undefined;

/**
 * Runs cargo in a folder of the checkout.
 * @param {string} project @param {string[]} args @param {{ output?: 'show' | 'on-failure' }} [options]
 * @returns {Promise<void>}
 */
export async function cargo(project, args, options = {}) {
  if (!hasCargo()) {
    throw new UserError(`Rust ≥ ${OLDEST} is needed for ${project}: rustup.rs installs it, or the package cargo`);
  }
  await run('cargo', args, { cwd: join(root, project), env, ...options });
}

/**
 * Builds the link emulator, which costs nothing when it is built.
 * @returns {Promise<{ linkemu: string, probe: string }>} paths of the programs
 */
export async function ensureLinkEmulator() {
  say('building the link emulator …');
  await cargo('test/link', ['build', '--release', '--locked', '--quiet'], { output: 'on-failure' });
  const program = (/** @type {string} */ name) => join(targetFolder, 'release', name);
  return { linkemu: program('linkemu'), probe: program('link-probe') };
}

const quicheServer = join(targetFolder, 'release', 'voxel-quiche');

/** quiche brings BoringSSL, which is built with cmake and whose bindings are made with libclang. */
const hasQuicheTools = () => outputOf('cmake', ['--version']) !== undefined && hasLibclang();

function hasLibclang() {
  if (process.env.LIBCLANG_PATH) return true;
  const folders = [
    '/usr/lib',
    '/usr/lib64',
    '/usr/local/lib',
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
  ];
  const llvm = filesOf('/usr/lib').filter((name) => name.startsWith('llvm'));
  return [...folders, ...llvm.map((name) => join('/usr/lib', name, 'lib'))].some((folder) =>
    filesOf(folder).some((name) => /^libclang(-[\d.]+)?\.so/.test(name)),
  );
}

/** @param {string} folder */
const filesOf = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

/** Whether the quiche server can be built here, or is built: what needs it is left out where it cannot. */
export const canBuildQuiche = () => hasCargo() && (existsSync(quicheServer) || hasQuicheTools());

/**
 * Builds the quiche server: about five minutes the first time, nothing when it is built.
 * @returns {Promise<string>} path of the program
 */
export async function ensureQuicheServer() {
  if (!canBuildQuiche())
    await installSystemPackages(['cmake', 'libclang-dev'], 'the quiche server needs cmake and libclang');
  say(existsSync(quicheServer) ? 'building the quiche server …' : 'building the quiche server (some minutes) …');
  return buildQuiche('voxel-quiche');
}

/**
 * Builds the client of another stack that servers are measured with.
 * @returns {Promise<string>} path of the program
 */
export async function ensureQuicheProbe() {
  say('building the probe …');
  return buildQuiche('voxel-probe');
}

/** @param {string} name of the package and its program */
async function buildQuiche(name) {
  await cargo('server/quiche', ['build', '--release', '--locked', '--quiet', '-p', name], { output: 'on-failure' });
  return join(targetFolder, 'release', name);
}
