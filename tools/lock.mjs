// @ts-check
// `npm run lock`: writes requirements/*.txt, every Python package with its version and the hashes of its files.
import { root } from './setup/paths.mjs';
import { run, runCommand } from './setup/process.mjs';
import { ensurePythonTools } from './setup/python.mjs';

const OPTIONS = ['--quiet', '--universal', '--generate-hashes', '--python-version', '3.11', '--no-emit-index-url'];
const PACKAGES = ['manifests/pyproject.toml', 'server/aioquic/pyproject.toml', 'requirements/run.in'];

/** Versions that are in the file already stay, as long as the inputs allow them. @type {Record<string, string[]>} */
const LOCKS = {
  'requirements/run.txt': PACKAGES,
  // The same versions as for `run`, so that one environment serves both.
  'requirements/tests.txt': [...PACKAGES, '--all-extras', 'requirements/tests.in', '-c', 'requirements/run.txt'],
  // What container images are made of: of the same versions what each of them needs.
  'requirements/serve.txt': ['server/aioquic/pyproject.toml', '-c', 'requirements/run.txt'],
  'requirements/prepare.txt': ['manifests/pyproject.toml', '-c', 'requirements/run.txt'],
  'requirements/build.txt': ['requirements/run.in', '-c', 'requirements/run.txt'],
  'requirements/fuzzing.txt': ['requirements/fuzzing.in', '-c', 'requirements/tests.txt'],
  'requirements/study.txt': ['requirements/study.in', '-c', 'requirements/tests.txt'],
  'requirements/tools.txt': ['requirements/tools.in'],
};

await runCommand(async () => {
  const program = await ensurePythonTools();
  const upgrade = process.argv.slice(2);
  for (const [file, inputs] of Object.entries(LOCKS)) {
    const command = ['--custom-compile-command', 'npm run lock'];
    await run(program('uv'), ['pip', 'compile', ...OPTIONS, ...command, ...upgrade, ...inputs, '-o', file], {
      cwd: root,
    });
  }
});
