// @ts-check
// `npm run check`: formatters, linters and type checkers of every language.
import { memoize } from './setup/memoize.mjs';
import { ensureNodePackages } from './setup/node.mjs';
import { root, venvProgram } from './setup/paths.mjs';
import { runCommand } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';
import { cargoEnvironment, claimTargetFolder, hasCargo, noRust, quicheWorkspace } from './setup/rust.mjs';
import { LeftOut } from './parts/part.mjs';
import { partsCommand } from './parts/run-parts.mjs';
import { join } from 'node:path';

/** @typedef {import('./parts/part.mjs').Part} Part */
/** @typedef {{ command: string, args: string[], cwd?: string, env?: NodeJS.ProcessEnv }} Command */

const USAGE = `Usage: npm run check -- [--only PART[,PART]]...

Runs formatters, linters and type checkers over every language, whatever fails, and prints a table: each command is one check.`;

const CACHE = join('node_modules', '.cache');

/** Installs what checks and tests need, once for all parts. */
export const ensurePackages = memoize(() => Promise.all([ensureNodePackages(), ensurePython('tests')]));

/** @param {string} name @param {string[]} args @returns {Command} */
const node = (name, ...args) => ({ command: join(root, 'node_modules', '.bin', name), args });

/** @param {string} name @param {string[]} args @returns {Command} */
const python = (name, ...args) => ({ command: venvProgram(name), args });

/** @param {string} project */
const tsc = (project) =>
  node(
    'tsc',
    '-p',
    `${project}.json`,
    '--incremental',
    '--tsBuildInfoFile',
    join(CACHE, 'tsc', `${project}.tsbuildinfo`),
  );

/** @param {string} folder @param {string[]} args @returns {Command} */
const cargo = (folder, ...args) => ({ command: 'cargo', args, cwd: join(root, folder), env: cargoEnvironment });

const CLIPPY = ['clippy', '--release', '--quiet', '--locked', '--all-targets'];
const STRICT = ['--', '-D', 'warnings'];

/** @param {string} name @param {string} about @param {() => { commands: Command[], leftOut?: string[] }} of @returns {Part} */
function checkPart(name, about, of) {
  return {
    name,
    about,
    async run(job) {
      await ensurePackages();
      const { commands, leftOut = [] } = of();
      const counts = { passed: 0, failed: 0, skipped: leftOut.length, leftOut };
      for (const { command, args, ...options } of commands) {
        if (await job.exec(command, args, options)) counts.passed++;
        else counts.failed++;
      }
      return counts;
    },
  };
}

/** @param {string} name @param {string} about @param {() => { commands: Command[], leftOut?: string[] }} of @returns {Part} */
function rustPart(name, about, of) {
  const part = checkPart(name, about, () => {
    if (!hasCargo('lab/link')) throw new LeftOut(noRust('lab/link'));
    return of();
  });
  return { ...part, needs: 'Rust; for the quiche server also cmake and libclang' };
}

/** @type {readonly Part[]} */
export const CHECKS = [
  checkPart('oxlint', 'TypeScript and JavaScript: lint rules, and types where there is Node', () => ({
    commands: [node('oxlint', '.')],
  })),
  checkPart('mypy', 'Python: types', () => ({
    // One run each: the packages have modules of the same name (conftest).
    commands: ['manifests', 'server/aioquic', 'server/conformance', 'test/fuzz/python', 'lab/study'].map((folder) =>
      python('mypy', folder),
    ),
  })),
  checkPart('tsc', 'TypeScript: types of what pages have, without those of Node and of tests', () => ({
    commands: [tsc('tsconfig.page')],
  })),
  checkPart('prettier', 'TypeScript, JavaScript, JSON and Markdown: format', () => ({
    commands: [node('prettier', '--check', '--log-level', 'warn', '--cache', '--cache-strategy', 'content', '.')],
  })),
  checkPart('ruff', 'Python: format and lint rules', () => ({
    commands: [python('ruff', 'format', '--check', '-q', '.'), python('ruff', 'check', '-q', '.')],
  })),
  rustPart('rustfmt', 'Rust: format', () => ({
    // It formats what it cannot build, too.
    commands: [cargo('lab/link', 'fmt', '--check'), cargo('server/quiche', 'fmt', '--check', '--all')],
  })),
  rustPart('clippy', 'Rust: lint rules', () => {
    const { packages, leftOut } = quicheWorkspace();
    for (const folder of ['lab/link', 'server/quiche']) claimTargetFolder(join(root, folder));
    return {
      // With the profile of tests and programs, or their dependencies would be built twice.
      commands: [
        cargo('lab/link', ...CLIPPY, ...STRICT),
        ...(hasCargo('server/quiche') ? [cargo('server/quiche', ...CLIPPY, ...packages, ...STRICT)] : []),
        ...(leftOut.length > 0 ? [] : [cargo('server/quiche', ...CLIPPY, '-p', 'voxel-probe', ...STRICT)]),
      ],
      leftOut,
    };
  }),
];

if (process.argv[1] === import.meta.filename) {
  await runCommand(() => partsCommand(process.argv.slice(2), CHECKS, { usage: USAGE, setUp: ensurePackages }));
}
