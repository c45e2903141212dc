// @ts-check
// `npm run check`: formatters, linters and type checkers of every language.
import { ensureNodePackages } from './setup/node.mjs';
import { root, venvProgram } from './setup/paths.mjs';
import { run, runCommand, say, UserError } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';
import { cargo, hasCargo } from './setup/rust.mjs';

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
];

const RUST_PROJECT = 'test/link';

/** @type {[name: string, args: string[]][]} */
const RUST_CHECKS = [
  ['rustfmt', ['fmt', '--check']],
  ['clippy', ['clippy', '--quiet', '--locked', '--all-targets', '--', '-D', 'warnings']],
];

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
  for (const [name, args] of hasCargo() ? RUST_CHECKS : []) {
    say(`check: ${name}`);
    await cargo(RUST_PROJECT, args).catch(() => failed.push(name));
  }
  if (failed.length > 0) throw new UserError(`checks failed: ${failed.join(', ')}`, 1);
}

if (process.argv[1] === import.meta.filename) await runCommand(check);
