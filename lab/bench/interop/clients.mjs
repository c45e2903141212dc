// @ts-check
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChrome } from '../../../tools/setup/chrome.mjs';
import { findFirefox } from '../../../tools/setup/firefox.mjs';
import { cacheFolder, root, venvProgram } from '../../../tools/setup/paths.mjs';
import { outputOf, run, UserError } from '../../../tools/setup/process.mjs';

/**
 * A client of the matrix: a program that takes ENDPOINT and HASH, or a browser.
 * @typedef {{ name: string, command: string[] }} Program
 * @typedef {{ name: string, browser: 'chrome' | 'firefox', path: string }} Browser
 * @typedef {{ name: string, missing: string }} Missing why it is left out
 */

const sources = join(root, 'server', 'conformance', 'clients');
const built = join(cacheFolder, 'interop');
const quiet = /** @type {const} */ ({ output: 'on-failure' });

/** @returns {Promise<(Program | Browser | Missing)[]>} all clients, built where that can be done */
export async function prepareClients() {
  mkdirSync(built, { recursive: true });
  return [
    browser('Chromium', 'chrome', findChrome()),
    browser('Firefox', 'firefox', findFirefox()),
    await tried('webtransport-go 0.10.0', () =>
      goProgram('0.10', ['-modfile=webtransport-go-0.10.mod', '-tags=dialer']),
    ),
    await tried('webtransport-go 0.13.0', () => goProgram('0.13', [])),
    await tried(`wtransport ${locked('wtransport')}`, () => rustProgram('wtransport')),
    await tried(`web-transport-quinn ${locked('web-transport-quinn')}`, () => rustProgram('web-transport-quinn')),
    {
      name: 'aioquic 1.7.2',
      command: ['env', `PYTHONPATH=${root}`, venvProgram('python'), join(sources, 'aioquic_client.py')],
    },
    await tried('pywebtransport 0.8.1', pythonProgram),
  ];
}

/** @param {string} name @param {() => Promise<string[]>} prepare @returns {Promise<Program | Missing>} */
async function tried(name, prepare) {
  try {
    return { name, command: await prepare() };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { name, missing: error.message };
  }
}

/** @param {string} name @param {'chrome' | 'firefox'} kind @param {string | undefined} path @returns {Browser | Missing} */
function browser(name, kind, path) {
  if (path === undefined) return { name, missing: `${name} is not installed` };
  const [version = ''] = /\d+\.[\d.]+\w*/.exec(outputOf(path, ['--version']) ?? '') ?? [];
  return { name: `${name} ${version}`, browser: kind, path };
}

/** @param {string} version @param {string[]} options */
async function goProgram(version, options) {
  if (outputOf('go', ['version']) === undefined) throw new UserError('go is not installed');
  const program = join(built, `webtransport-go-${version}`);
  await run('go', ['build', ...options, '-o', program, '.'], { cwd: join(sources, 'webtransport-go'), ...quiet });
  return [program];
}

/** @param {string} name */
async function rustProgram(name) {
  if (outputOf('cargo', ['--version']) === undefined) throw new UserError('Rust (cargo) is not installed');
  const target = join(built, 'rust');
  const env = { ...process.env, CARGO_TARGET_DIR: target };
  await run('cargo', ['build', '--release', '--locked', '--quiet'], { cwd: join(sources, 'rust'), env, ...quiet });
  return [join(target, 'release', name)];
}

/** @param {string} name of a package in the lock file @returns its version */
function locked(name) {
  const text = readFileSync(join(sources, 'rust', 'Cargo.lock'), 'utf8');
  return new RegExp(`name = "${name}"\nversion = "(.+)"`).exec(text)?.[1] ?? '';
}

/** In an environment of its own: it pins older versions of what is in the checkout's. */
async function pythonProgram() {
  const venv = join(built, 'pywebtransport');
  const python = join(venv, 'bin', 'python');
  if (!existsSync(python)) await run(venvProgram('python'), ['-m', 'venv', venv], quiet);
  const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--require-hashes'];
  await run(python, ['-m', 'pip', 'install', ...options, '-r', join(sources, 'pywebtransport.txt')], quiet);
  return [python, join(sources, 'pywebtransport_client.py')];
}
