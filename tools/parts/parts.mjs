// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS, ensurePackages } from '../check.mjs';
import { ensureChrome } from '../setup/chrome.mjs';
import { ensureFirefox } from '../setup/firefox.mjs';
import { memoize } from '../setup/memoize.mjs';
import { ensureBuild } from '../setup/node.mjs';
import { root, venvProgram } from '../setup/paths.mjs';
import { ensureStudyPython } from '../setup/python.mjs';
import {
  cargoEnvironment,
  claimTargetFolder,
  ensureLinkEmulator,
  ensureQuicheServer,
  ensureQuicheTools,
  hasCargo,
  noRust,
  quicheWorkspace,
} from '../setup/rust.mjs';
import { ensureSample } from '../start/sample.mjs';
import { cargoCounts, pytestCounts, releaseCounts, smokeCounts, vitestCounts } from './counts.mjs';
import { countsOf, LeftOut } from './part.mjs';

/** @typedef {import('./part.mjs').Part} Part */
/** @typedef {import('./part.mjs').Counts} Counts */

/** What parts share is set up once, by whichever needs it first. */
const build = memoize(async () => {
  await ensurePackages();
  await ensureBuild();
});
const sample = memoize(async () => {
  await ensurePackages();
  await ensureSample();
});
const chrome = memoize(ensureChrome);
const firefox = memoize(ensureFirefox);
const quicheTools = memoize(ensureQuicheTools);
/** @returns a reason where the server cannot be built here */
const quicheServer = memoize(async () => {
  const { leftOut } = await quicheTools().then(quicheWorkspace);
  if (leftOut.length === 0) await ensureQuicheServer();
  return leftOut;
});

const linkEmulator = memoize(async () => {
  if (hasCargo('lab/link')) await ensureLinkEmulator();
});

/** @param {string} name @param {string} folder @param {string} about @param {() => Promise<unknown>} [setUp] @returns {Part} */
function pytestPart(name, folder, about, setUp = ensurePackages) {
  return {
    name,
    about,
    async run(job) {
      await ensurePackages();
      await setUp();
      const report = join(job.folder, 'pytest.xml');
      const succeeded = await job.exec(venvProgram('pytest'), ['-q', `--junitxml=${report}`, folder]);
      return countsOf(succeeded, () => pytestCounts(readFileSync(report, 'utf8')), job);
    },
  };
}

/**
 * @param {string} name of the project in vitest.config.ts @param {string} about @param {(() => Promise<unknown>)[]} setUp
 * @param {Partial<Part>} [settings] @returns {Part}
 */
function vitestPart(name, about, setUp, settings) {
  return {
    name,
    about,
    ...settings,
    async run(job) {
      await ensurePackages();
      for (const ensure of setUp) await ensure();
      const report = join(job.folder, 'vitest.json');
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
      const env = setUp.includes(chrome) ? { ...process.env, CHROME: await chrome() } : process.env;
      const program = join(root, 'node_modules', '.bin', 'vitest');
      const succeeded = await job.exec(program, ['run', '--project', name, ...reporters], { env });
      return countsOf(succeeded, () => vitestCounts(JSON.parse(readFileSync(report, 'utf8')), job.output), job);
    },
  };
}

/**
 * @param {string} name @param {import('../setup/rust.mjs').Project} folder @param {string} about @param {string} needs
 * @param {() => Promise<{ args: string[], leftOut: string[] }>} settings @returns {Part}
 */
function cargoPart(name, folder, about, needs, settings) {
  return {
    name,
    about,
    needs,
    async run(job) {
      if (!hasCargo(folder)) throw new LeftOut(noRust(folder));
      const { args, leftOut } = await settings();
      const test = ['test', '--release', '--locked', '--quiet', '--no-fail-fast', ...args];
      const cwd = join(root, folder);
      claimTargetFolder(cwd);
      const succeeded = await job.exec('cargo', test, { cwd, env: cargoEnvironment });
      const counts = countsOf(succeeded, () => cargoCounts(job.output), job);
      return { ...counts, skipped: counts.skipped + leftOut.length, leftOut: [...counts.leftOut, ...leftOut] };
    },
  };
}

const BROWSER = 'Chrome or Chromium (installed from the packages of Debian and Ubuntu); Firefox for its own tests';

/** A short trial of every system, server and control: each counts as a test. @type {Part} */
const trials = {
  name: 'trials',
  about: 'ten seconds of every system, server and control of the trials',
  needs: `Rust; /dev/net/tun and namespaces; ${BROWSER}`,
  plays: true,
  async run(job) {
    if (!hasCargo('lab/link')) throw new LeftOut(noRust('lab/link'));
    await sample();
    await quicheServer();
    const out = join(job.folder, 'trials');
    const args = [join(root, 'lab/trials/trials.mjs'), '--smoke', '--jobs', '5', '--out', out];
    const succeeded = await job.exec(process.execPath, args, { env: { ...process.env, CHROME: await chrome() } });
    return countsOf(succeeded, () => smokeCounts(job.output), job);
  },
};

/** Every package, built, checked and tried: each check counts as a test. @type {Part} */
const release = {
  name: 'release',
  about: 'a release as a dry run: every package built, checked, installed and used',
  needs: 'for the crates Rust, for voxel-quiche also cmake and libclang',
  async run(job) {
    await build();
    const args = [join(root, 'tools/release.mjs'), '--dry-run', '--out', join(job.folder, 'release')];
    const succeeded = await job.exec(process.execPath, args);
    return countsOf(succeeded, () => releaseCounts(job.output), job);
  },
};

/** It would wait for the build of the server's tests: cargo runs one in a folder. @param {Part} part */
const isClippy = ({ name }) => name === 'clippy';

/** In the order in which they are started: the long ones first. @type {readonly Part[]} */
export const PARTS = [
  cargoPart(
    'quiche',
    'server/quiche',
    'the server in Rust',
    'Rust; for all but the protocol cmake and libclang',
    async () => {
      await quicheTools();
      const { packages, leftOut } = quicheWorkspace();
      return { args: packages, leftOut };
    },
  ),
  pytestPart('manifests', 'manifests', 'voxel-prepare: content preparation'),
  ...CHECKS.filter((part) => !isClippy(part)),
  pytestPart('aioquic', 'server/aioquic', 'voxel-serve: the server in Python'),
  pytestPart('study', 'lab/study', 'clips, sheets and analysis of studies with viewers', ensureStudyPython),
  pytestPart('fuzz-python', 'test/fuzz/python', 'the kept inputs of the fuzz targets in Python'),
  vitestPart('unit', 'the cores, the simulator, trials and tools, without a browser', [sample]),
  vitestPart('package', 'the package as it is published', [build]),
  {
    ...pytestPart('conformance', 'server/conformance', 'both servers, seen from outside', quicheServer),
    needs: 'for the quiche server Rust, cmake and libclang',
  },
  ...CHECKS.filter(isClippy),
  // After it: its compiler has read the dependencies of voxel-quiche then.
  release,
  cargoPart(
    'link',
    'lab/link',
    'the link emulator',
    'Rust; /dev/net/tun and namespaces for its tests in networks',
    () => Promise.resolve({ args: [], leftOut: [] }),
  ),
  vitestPart('messages', 'what programs say about bad input', [linkEmulator, quicheServer], {
    needs: 'for those of the link emulator and the quiche server Rust',
  }),
  vitestPart('examples', 'examples/, built and played', [build, chrome], { needs: BROWSER }),
  vitestPart('tutorials', 'every command and file of docs/tutorials/', [build, sample, chrome], { needs: BROWSER }),
  vitestPart('browser', 'playback in a browser', [build, sample, chrome, firefox], { needs: BROWSER, plays: true }),
  vitestPart('browser-serial', 'playback that others would disturb', [build, sample, chrome, quicheServer], {
    needs: BROWSER,
    serial: true,
  }),
  trials,
];

/** @type {Readonly<Record<string, readonly string[]>>} */
export const GROUPS = { checks: CHECKS.map(({ name }) => name) };
