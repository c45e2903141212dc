// @ts-check
// `npm run check`: formatters, linters and type checkers of every language.
import { ensureNodePackages } from './setup/node.mjs';
import { root, venvProgram } from './setup/paths.mjs';
import { run, runCommand, say, UserError } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';
import { canBuildQuiche, cargo, hasCargo } from './setup/rust.mjs';

/** @type {[name: string, command: string, args: string[]][]} */
const CHECKS = [
  ['prettier', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['types', 'npx', ['tsc', '-p', 'tsconfig.json']],
  ['types of tests and tools', 'npx', ['tsc', '-p', 'tsconfig.node.json']],
  ['eslint', 'npx', ['eslint', '--max-warnings', '0', '.']],
  ['ruff format', venvProgram('ruff'), ['format', '--check', '-q', '.']],
  ['ruff', venvProgram('ruff'), ['check', '-q', '.']],
  // One run each: both have a conftest.
  ['mypy: manifests', venvProgram('mypy'), ['manifests']],
  ['mypy: server/aioquic', venvProgram('mypy'), ['server/aioquic']],
  ['mypy: server/conformance', venvProgram('mypy'), ['server/conformance']],
];

const CLIPPY = ['clippy', '--quiet', '--locked', '--all-targets'];
const STRICT = ['--', '-D', 'warnings'];

/** @returns {[name: string, project: string, args: string[]][]} */
function rustChecks() {
  const quiche = canBuildQuiche();
  if (!quiche) say('check: no cmake or libclang here, of the quiche server only the protocol is checked');
  const parts = quiche ? ['--workspace'] : ['-p', 'voxel-protocol'];
  return [
    ['rustfmt: test/link', 'test/link', ['fmt', '--check']],
    ['clippy: test/link', 'test/link', [...CLIPPY, ...STRICT]],
    ['rustfmt: server/quiche', 'server/quiche', ['fmt', '--check', '--all']],
    // With the profile of the server itself: BoringSSL takes minutes to build.
    ['clippy: server/quiche', 'server/quiche', [...CLIPPY, '--release', ...parts, ...STRICT]],
  ];
}

/** Runs every check even when one fails, so that one run shows everything. @returns {Promise<void>} */
export async function check() {
  await Promise.all([ensurePython('tests'), ensureNodePackages()]);
  /** @type {string[]} */
  const failed = [];
  for (const [name, command, args] of CHECKS) {
    say(`check: ${name}`);
    await run(command, args, { cwd: root }).catch(() => failed.push(name));
  }
  if (!hasCargo()) say('check: no cargo here, the Rust programs are left out');
  for (const [name, project, args] of hasCargo() ? rustChecks() : []) {
    say(`check: ${name}`);
    await cargo(project, args).catch(() => failed.push(name));
  }
  if (failed.length > 0) throw new UserError(`checks failed: ${failed.join(', ')}`, 1);
}

if (process.argv[1] === import.meta.filename) await runCommand(check);
