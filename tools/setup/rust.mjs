// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { memoize } from './memoize.mjs';
import { cacheFolder, root } from './paths.mjs';
import { outputOf, run, say, UserError } from './process.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** What the Rust programs say in their Cargo.toml (`rust-version`). */
const OLDEST = '1.85';

/** Build outputs outlive a clone, and all clones share it. */
const targetFolder = join(cacheFolder, 'cargo-target');

/** With rustup's folder, which a login shell adds to the path but other parents of this process may not. */
export const cargoEnvironment = {
  ...process.env,
  CARGO_TARGET_DIR: targetFolder,
  PATH: [process.env.PATH ?? '', join(homedir(), '.cargo', 'bin')].join(delimiter),
};

const isNewEnough = memoize(() => {
  const version = outputOf('env', [`PATH=${cargoEnvironment.PATH}`, 'cargo', '--version']) ?? '';
  const [major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
});

/** Why the checks and tests of the Rust programs are left out; everything else works without Rust. */
export const NO_RUST = `Rust ≥ ${OLDEST} (cargo) is not installed`;

/** Whether there is a Rust that is new enough. */
export const hasCargo = () => isNewEnough();

/**
 * To be called before every build. Cargo goes by the times of files: what another clone has built last would count as made of this
 * clone's older sources. So these are touched then; the dependencies, which take minutes, stay built.
 * @param {string} project folder of its sources @param {string} [target]
 */
export function claimTargetFolder(project, target = targetFolder) {
  const owner = join(target, `${basename(project)}.clone`);
  if (existsSync(owner) && readFileSync(owner, 'utf8') === project) return;
  const now = new Date();
  for (const file of readdirSync(project, { recursive: true, encoding: 'utf8' })) {
    if (/\.(rs|toml)$/.test(file)) utimesSync(join(project, file), now, now);
  }
  mkdirSync(target, { recursive: true });
  writeFileSync(owner, project);
}

/**
 * Runs cargo in a folder of the checkout.
 * @param {string} project @param {string[]} args @param {{ output?: 'show' | 'on-failure' }} [options]
 * @returns {Promise<void>}
 */
export async function cargo(project, args, options = {}) {
  if (!hasCargo()) {
    throw new UserError(`${project} needs Rust ≥ ${OLDEST}, found none (install it from rustup.rs)`);
  }
  const cwd = join(root, project);
  claimTargetFolder(cwd);
  await run('cargo', args, { cwd, env: cargoEnvironment, ...options });
}

export const linkemu = join(targetFolder, 'release', 'linkemu');

/**
 * Builds the link emulator, which costs nothing when it is built.
 * @returns {Promise<{ linkemu: string, probe: string }>} paths of the programs
 */
export async function ensureLinkEmulator() {
  say('building the link emulator …');
  await cargo('test/link', ['build', '--release', '--locked', '--quiet'], { output: 'on-failure' });
  return { linkemu, probe: join(targetFolder, 'release', 'link-probe') };
}

export const quicheServer = join(targetFolder, 'release', 'voxel-quiche');

/** quiche brings BoringSSL, which is built with cmake and a C++ compiler and whose bindings are made with libclang. */
const hasQuicheTools = () =>
  ['cmake', 'c++'].every((name) => outputOf(name, ['--version']) !== undefined) && hasLibclang();

const QUICHE_PACKAGES = ['cmake', 'g++', 'libclang-dev'];

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

/** Installs what the quiche server is built with; where that cannot be done, `quicheWorkspace` says so. @returns {Promise<void>} */
export async function ensureQuicheTools() {
  if (!hasCargo() || canBuildQuiche()) return;
  try {
    await installSystemPackages(QUICHE_PACKAGES, 'the quiche server is built with cmake, a C++ compiler and libclang');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say(error.message);
  }
}

/** @returns {{ packages: string[], leftOut: string[] }} cargo's options for what can be built here, and a reason for the rest */
export function quicheWorkspace() {
  if (!hasCargo()) return { packages: [], leftOut: [`voxel-quiche: ${NO_RUST}`] };
  if (canBuildQuiche()) return { packages: [], leftOut: [] };
  const byHand = `sudo apt-get install ${QUICHE_PACKAGES.join(' ')}`;
  return {
    packages: ['-p', 'voxel-protocol'],
    leftOut: [`voxel-quiche: cmake, c++ or libclang is missing (${byHand})`],
  };
}

/**
 * Builds the quiche server: about five minutes the first time, nothing when it is built.
 * @returns {Promise<string>} path of the program
 */
export async function ensureQuicheServer() {
  if (!canBuildQuiche())
    await installSystemPackages(QUICHE_PACKAGES, 'the quiche server needs cmake, c++ and libclang');
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
