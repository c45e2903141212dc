// @ts-check
// `npm run audit`: known vulnerabilities of every locked package.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cargoReport, npmReport, pipReport } from './audit/reports.mjs';
import { parseCommandLine } from './setup/command-line.mjs';
import { root } from './setup/paths.mjs';
import { runCommand, UserError } from './setup/process.mjs';
import { ensurePythonTools } from './setup/python.mjs';
import { cargoEnvironment } from './setup/rust.mjs';

const USAGE = `Usage: npm run audit

Looks up every locked package, of Node, Python and Rust, in the databases of known vulnerabilities. A database that cannot be reached, or a
missing program, is one line and no failure. Exit codes: 0 no finding, 1 a finding, 2 bad input.`;

const CLIENTS = 'server/conformance/clients';
const PYTHON_LOCKS = [
  ...['tests', 'fuzzing', 'tools', 'study'].map((name) => `requirements/${name}.txt`),
  `${CLIENTS}/pywebtransport.txt`,
];
const RUST_FOLDERS = ['server/quiche', 'server/quiche/fuzz', 'lab/link', `${CLIENTS}/rust`];

/** @typedef {import('./audit/reports.mjs').Report & { name: string }} Audit */

/** @param {string} command @param {string[]} args @param {string} [folder] */
function outputOf(command, args, folder = '.') {
  const options = { cwd: join(root, folder), env: cargoEnvironment, maxBuffer: 2 ** 26 };
  const { stdout, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' });
  return error ? { stdout: '', stderr: error.message } : { stdout, stderr };
}

/** @returns {Audit} */
function auditNode() {
  const { stdout, stderr } = outputOf('npm', ['audit', '--json', '--package-lock-only']);
  return { name: 'npm', ...npmReport(stdout, stderr) };
}

/** @returns {Promise<Audit[]>} */
async function auditPython() {
  try {
    const program = await ensurePythonTools();
    return PYTHON_LOCKS.map((file) => {
      const args = ['-r', file, '--require-hashes', '--disable-pip', '--progress-spinner', 'off', '-f', 'json'];
      const { stdout, stderr } = outputOf(program('pip-audit'), args);
      return { name: `pip, ${file}`, ...pipReport(stdout, stderr) };
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ name: 'pip', findings: [], skipped: `pip-audit cannot be installed: ${error.message}` }];
  }
}

/** @param {string} folder of a Cargo.lock @returns {Audit} */
function auditCargo(folder) {
  const name = `cargo, ${folder}/Cargo.lock`;
  if (!outputOf('cargo', ['deny', '--version']).stdout) {
    return { name, findings: [], skipped: 'cargo-deny is not installed (cargo install --locked cargo-deny)' };
  }
  return {
    name,
    ...cargoReport(outputOf('cargo', ['deny', '--format', 'json', 'check', 'advisories'], folder).stderr),
  };
}

/** @param {Audit} audit */
function print({ name, findings, skipped }) {
  for (const finding of findings) console.log(`${name}: ${finding}`);
  if (skipped !== undefined) console.log(`${name}: skipped: ${skipped}`);
  else if (findings.length === 0) console.log(`${name}: nothing found`);
}

await runCommand(async () => {
  const { values } = parseCommandLine({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const audits = [auditNode(), ...(await auditPython()), ...RUST_FOLDERS.map(auditCargo)];
  audits.forEach(print);
  return audits.some(({ findings }) => findings.length > 0) ? 1 : 0;
});
