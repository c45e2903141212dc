// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { memoize } from './memoize.mjs';
import { cacheFolder, root } from './paths.mjs';
import { outputOf, run, say, UserError } from './process.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** @typedef {'lab/link' | 'server/quiche'} Project folder of Rust programs in the checkout */

/** Build outputs outlive a clone, and all clones share it. */
const targetFolder = join(cacheFolder, 'cargo-target');

/** With rustup's folder, which a login shell adds to the path but other parents of this process may not. */
export const cargoEnvironment = {
  ...process.env,
  CARGO_TARGET_DIR: targetFolder,
  PATH: [process.env.PATH ?? '', join(homedir(), '.cargo', 'bin')].join(delimiter),
};

/** What cargo says of its version; empty where there is none. */
const cargoVersion = memoize(() => outputOf('env', [`PATH=${cargoEnvironment.PATH}`, 'cargo', '--version']) ?? '');

/** @param {Project} project @returns the oldest Rust that can build it, as its Cargo.toml says */
function oldestRust(project) {
  const [, version = ''] =
    /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, project, 'Cargo.toml'), 'utf8')) ?? [];
  return version;
}

/** @param {string} version as cargo prints it @param {string} oldest */
export function isNewEnough(version, oldest) {
  const [[major = 0, minor = 0], [oldestMajor = 0, oldestMinor = 0]] = [numbersOf(version), numbersOf(oldest)];
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** @param {string} version @returns {number[]} major and minor */
const numbersOf = (version) => /(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];

/** Why a project's checks and tests are left out; everything else works without Rust. @param {Project} project */
export const noRust = (project) => `Rust ≥ ${oldestRust(project)} (cargo) is not installed`;

/** Whether there is a Rust that is new enough. @param {Project} project */
export const hasCargo = (project) => isNewEnough(cargoVersion(), oldestRust(project));

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
 * @param {Project} project @param {string[]} args @param {{ output?: 'show' | 'on-failure' }} [options]
 * @returns {Promise<void>}
 */
export async function cargo(project, args, options = {}) {
  if (!hasCargo(project)) {
    const found = cargoVersion() || 'none';
    throw new UserError(`${project} needs Rust ≥ ${oldestRust(project)}, found ${found} (install it from rustup.rs)`);
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
  await cargo('lab/link', ['build', '--release', '--locked', '--quiet'], { output: 'on-failure' });
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
export const canBuildQuiche = () => hasCargo('server/quiche') && (existsSync(quicheServer) || hasQuicheTools());

/** Installs what the quiche server is built with; where that cannot be done, `quicheWorkspace` says so. @returns {Promise<void>} */
export async function ensureQuicheTools() {
  if (!hasCargo('server/quiche') || canBuildQuiche()) return;
  try {
    await installSystemPackages(QUICHE_PACKAGES, 'the quiche server is built with cmake, a C++ compiler and libclang');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say(error.message);
  }
}

/** @returns {{ packages: string[], leftOut: string[] }} cargo's options for what can be built here, and a reason for the rest */
export function quicheWorkspace() {
  if (!hasCargo('server/quiche')) return { packages: [], leftOut: [`voxel-quiche: ${noRust('server/quiche')}`] };
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

/**
 * Builds the least server of that other stack, which ours is measured beside.
 * @returns {Promise<string>} path of the program
 */
export async function ensurePeer() {
  await ensureQuicheProbe();
  return join(targetFolder, 'release', 'voxel-peer');
}

/** @param {string} name of the package and its program */
async function buildQuiche(name) {
  await cargo('server/quiche', ['build', '--release', '--locked', '--quiet', '-p', name], { output: 'on-failure' });
  return join(targetFolder, 'release', name);
}
