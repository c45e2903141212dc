// @ts-check
// The crates: packed, read, compiled in an empty workspace with the locked dependencies, used there.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf, run, UserError } from '../setup/process.mjs';
import { root } from '../setup/paths.mjs';
import { cargoEnvironment, canBuildQuiche, ensureQuicheTools, hasCargo, noRust } from '../setup/rust.mjs';
import { check, contentProblems, licenceProblems, report } from './artefact.mjs';
import { useVoxelServe } from './use-python.mjs';

/** @typedef {import('./artefact.mjs').Report} Report */

/** In the order in which they are published: the second depends on the first. */
const CRATES = /** @type {const} */ (['voxel-protocol', 'voxel-quiche']);

const workspace = join(root, 'server/quiche');
const quiet = /** @type {const} */ ({ output: 'on-failure', env: cargoEnvironment });

/**
 * @param {string} out folder for the crates @param {string} version @param {{ isFull: boolean, media?: string }} options `isFull`: builds the
 *   server, and has it serve `media`; otherwise it is only type-checked @returns {Promise<Report[]>}
 */
export async function releaseCrates(out, version, { isFull, media }) {
  const reports = CRATES.map((name) => report(`${name}-${version}.crate`));
  const [ofProtocol, ofServer] = /** @type {[Report, Report]} */ (reports);
  if (!hasCargo('server/quiche')) return reports.map((of) => ({ ...of, leftOut: [noRust('server/quiche')] }));
  await ensureQuicheTools();
  const work = mkdtempSync(join(tmpdir(), 'voxel-crates-'));
  try {
    if (!(await check(ofProtocol, 'package', () => pack(out, version)))) return reports;
    for (const [index, of] of reports.entries()) await examine(of, out, work, `${CRATES[index]}-${version}`);
    makeWorkspace(work, version);
    await check(ofProtocol, 'runs its README', () => runReadme(work));
    if (!canBuildQuiche()) ofServer.leftOut.push('compiles: cmake, c++ or libclang is missing');
    else if (!isFull) await check(ofServer, 'compiles', () => cargo(work, 'check', '-p', 'voxel-quiche'));
    else await check(ofServer, 'serves a clip', () => serve(work, media));
    return reports;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Both at once: cargo resolves what is not on the registry yet among them. They are compiled in another place. @param {string} out @param {string} version */
async function pack(out, version) {
  // What is locked and not here yet. From here on nothing is asked of a registry, which does not have these versions.
  const [, host = ''] = /^host: (.+)$/m.exec(outputOf('rustc', ['-vV']) ?? '') ?? [];
  await run('cargo', ['fetch', '--locked', '--quiet', ...(host ? ['--target', host] : [])], {
    cwd: workspace,
    ...quiet,
  });
  const packages = CRATES.flatMap((name) => ['-p', name]);
  const target = join(out, 'cargo');
  const options = ['--locked', '--offline', '--no-verify', '--allow-dirty', '--quiet', '--target-dir', target];
  await run('cargo', ['package', ...options, ...packages], { cwd: workspace, ...quiet });
  for (const name of CRATES)
    cpSync(join(target, 'package', `${name}-${version}.crate`), join(out, `${name}-${version}.crate`));
  rmSync(target, { recursive: true });
}

/** Unpacks a crate and looks at what is in it. @param {Report} of @param {string} out @param {string} work @param {string} stem */
async function examine(of, out, work, stem) {
  const path = join(out, `${stem}.crate`);
  await run('tar', ['-xzf', path, '-C', work], quiet);
  const folder = join(work, stem);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
  Object.assign(of, { bytes: statSync(path).size, files: files.length });
  await check(of, 'contents', () => {
    const expected = [
      'Cargo.toml',
      'Cargo.lock',
      'Cargo.toml.orig',
      'README.md',
      'LICENSE',
      /^\.cargo_vcs_info\.json$/,
      /^src\/.*\.rs$/,
    ];
    return contentProblems(files, expected);
  });
  await check(of, 'licence', () => {
    const [, licence] = /^license = "(.*)"$/m.exec(readFileSync(join(folder, 'Cargo.toml'), 'utf8')) ?? [];
    return [
      ...(licence === 'Apache-2.0' ? [] : [`license must be Apache-2.0, got ${licence}`]),
      ...licenceProblems(readFileSync(join(folder, 'LICENSE'), 'utf8')),
    ];
  });
}

/** A workspace of the unpacked crates and a program that uses the protocol, each crate standing in for its version on the registry. @param {string} work @param {string} version */
function makeWorkspace(work, version) {
  const [protocol, server] = CRATES.map((name) => `${name}-${version}`);
  const readme = readFileSync(join(work, protocol ?? '', 'README.md'), 'utf8');
  const [, program] = /^```rust\n([^]*?)^```/m.exec(readme) ?? [];
  if (program === undefined) throw new UserError(`README.md of ${protocol} has no program`);
  mkdirSync(join(work, 'consumer/src'), { recursive: true });
  writeFileSync(join(work, 'consumer/src/main.rs'), program);
  const manifest = [
    '[package]',
    'name = "consumer"',
    'edition = "2024"',
    '[dependencies]',
    `voxel-protocol = "=${version}"`,
  ];
  writeFileSync(join(work, 'consumer/Cargo.toml'), `${manifest.join('\n')}\n`);
  const patch = ['[patch.crates-io]', `voxel-protocol = { path = "${protocol}" }`];
  const whole = ['[workspace]', 'resolver = "3"', `members = ["consumer", "${server}"]`, ...patch];
  writeFileSync(join(work, 'Cargo.toml'), `${whole.join('\n')}\n`);
  cpSync(join(workspace, 'Cargo.lock'), join(work, 'Cargo.lock'));
}

/** In the folder of the repository's own builds, with the same versions and profile: BoringSSL is not built again. @param {string} work @param {string[]} args */
const cargo = (work, ...args) => run('cargo', [...args, '--release', '--offline', '--quiet'], { cwd: work, ...quiet });

/** @param {string} work */
async function runReadme(work) {
  await cargo(work, 'build', '-p', 'consumer');
  const printed = outputOf(join(cargoEnvironment.CARGO_TARGET_DIR, 'release', 'consumer'), []);
  return printed === '2 ranges, 600 bytes' ? [] : [`it must print 2 ranges, 600 bytes, got ${printed ?? 'nothing'}`];
}

/** @param {string} work @param {string | undefined} media */
async function serve(work, media) {
  await cargo(work, 'build', '-p', 'voxel-quiche');
  const program = join(cargoEnvironment.CARGO_TARGET_DIR, 'release', 'voxel-quiche');
  if (media === undefined || !existsSync(media)) throw new UserError('there is no clip to serve');
  return useVoxelServe(program, media);
}
