// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
import { seedOf } from './seed.mjs';

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

/**
 * @param {string} name @param {string} folder @param {string} about
 * @param {{ setUp?: () => Promise<unknown>, files?: string[], hasClock?: (file: string) => boolean, properties?: boolean } & Partial<Part>} [settings]
 *   `files`: those of the folder's that it runs, all where it is absent; `hasClock`: which of them have a second chance, none where it is absent;
 *   `properties`: it has property tests
 * @returns {Part}
 */
function pytestPart(name, folder, about, settings = {}) {
  const { setUp = ensurePackages, files: chosen = [folder], hasClock, properties = false, ...others } = settings;
  /** @param {import('./part.mjs').Job} job @param {string[]} args */
  const pytest = async (job, ...args) => {
    await ensurePackages();
    await setUp();
    const report = join(job.folder, 'pytest.xml');
    const seed = properties ? [`--hypothesis-seed=${seedOf(process.env.SEED)}`] : [];
    const succeeded = await job.exec(venvProgram('pytest'), ['-q', ...seed, `--junitxml=${report}`, ...args]);
    return countsOf(succeeded, () => pytestCounts(readFileSync(report, 'utf8')), job);
  };
  return {
    name,
    about,
    ...others,
    async run(job) {
      const { files = [], ...counts } = await pytest(job, ...chosen);
      const inFolder = files.map((file) => ({ ...file, file: join(folder, file.file) }));
      return { ...counts, files: inFolder.filter(({ file }) => hasClock?.(file)) };
    },
    // Without workers beside it.
    ...(hasClock && { again: (job, file) => pytest(job, '-n', '0', file) }),
  };
}

/**
 * @param {string} name of the project in vitest.config.ts @param {string} about @param {(() => Promise<unknown>)[]} setUp
 * @param {{ hasClock?: boolean } & Partial<Part>} [settings] `hasClock`: its files have a second chance
 * @returns {Part}
 */
function vitestPart(name, about, setUp, { hasClock = false, ...settings } = {}) {
  /** @param {import('./part.mjs').Job} job @param {string[]} files */
  const vitest = async (job, ...files) => {
    await ensurePackages();
    for (const ensure of setUp) await ensure();
    const report = join(job.folder, 'vitest.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const env = setUp.includes(chrome) ? { ...process.env, CHROME: await chrome() } : process.env;
    const program = join(root, 'node_modules', '.bin', 'vitest');
    const succeeded = await job.exec(program, ['run', '--project', name, ...reporters, ...files], { env });
    return countsOf(succeeded, () => vitestCounts(JSON.parse(readFileSync(report, 'utf8')), job.output), job);
  };
  return { name, about, ...settings, run: (job) => vitest(job), ...(hasClock && { again: vitest }) };
}

/**
 * @param {string} name @param {import('../setup/rust.mjs').Project} folder @param {string} about @param {string} needs
 * @param {() => Promise<{ args: string[], leftOut: string[] }>} settings
 * @param {(module: string) => boolean} [hasClock] which of its modules have a second chance, none where it is absent
 * @returns {Part}
 */
function cargoPart(name, folder, about, needs, settings, hasClock) {
  /** @param {import('./part.mjs').Job} job @param {string[]} filter */
  const cargo = async (job, ...filter) => {
    if (!hasCargo(folder)) throw new LeftOut(noRust(folder));
    const { args, leftOut } = await settings();
    const test = ['test', '--release', '--locked', '--quiet', '--no-fail-fast', ...args, '--', ...filter];
    const cwd = join(root, folder);
    claimTargetFolder(cwd);
    const env = { ...cargoEnvironment, PROPTEST_RNG_SEED: String(seedOf(process.env.SEED)) };
    const succeeded = await job.exec('cargo', test, { cwd, env });
    const { files = [], ...counts } = countsOf(succeeded, () => cargoCounts(job.output), job);
    return {
      ...{ ...counts, skipped: counts.skipped + leftOut.length, leftOut: [...counts.leftOut, ...leftOut] },
      files: files.filter(({ file }) => hasClock?.(file)),
    };
  };
  return {
    ...{ name, about, needs, run: (job) => cargo(job) },
    ...(hasClock && { again: (job, module) => cargo(job, `${module}::`, '--test-threads=1') }),
  };
}

/** @param {string} file a test of voxel-serve @returns {boolean} whether sockets or processes are in it */
const usesServer = (file) =>
  /: (?:Server|VoxelClient)\b|\brunning\(|\bsubprocess\b/.test(readFileSync(join(root, file), 'utf8'));

/** @param {string} module of voxel-quiche @returns {boolean} whether sockets, threads or timers are in its tests */
function usesSockets(module) {
  const path = join(root, 'server/quiche/server/src', ...module.split('::'));
  const sources = [`${path}.rs`, join(path, 'tests.rs'), join(path, 'mod.rs')].filter((file) => existsSync(file));
  return sources.some((file) => /tokio::test|UdpSocket|TcpListener|TcpStream/.test(readFileSync(file, 'utf8')));
}

const PREPARATION = 'manifests/tests';
const preparation = readdirSync(join(root, PREPARATION))
  .filter((name) => /^test_\w+\.py$/.test(name))
  .map((name) => join(PREPARATION, name));

/** @param {string} file a test of voxel-prepare @returns {boolean} whether it waits for processes or threads, for so long at most */
const hasLimits = (file) => /\btimeout=|\bwait_for\(|\bsleep\(|\bPopen\(/.test(readFileSync(join(root, file), 'utf8'));

const BROWSER = 'Chrome or Chromium (installed from the packages of Debian and Ubuntu); Firefox for its own tests';

/** @param {import('./part.mjs').Job} job @param {string[]} args @returns {Promise<Counts>} each trial is a test */
async function smokeTrials(job, ...args) {
  if (!hasCargo('lab/link')) throw new LeftOut(noRust('lab/link'));
  await sample();
  await quicheServer();
  const out = join(job.folder, 'trials');
  const command = [join(root, 'lab/trials/trials.mjs'), '--smoke', '--out', out, ...args];
  const succeeded = await job.exec(process.execPath, command, { env: { ...process.env, CHROME: await chrome() } });
  return countsOf(succeeded, () => smokeCounts(job.output), job);
}

/** Short trials of every rule, way that segments travel, server and control. @type {Part} */
const trials = {
  name: 'trials',
  about: 'ten seconds of every rule, way, server and control of the trials',
  needs: `Rust; /dev/net/tun and namespaces; ${BROWSER}`,
  plays: true,
  run: (job) => smokeTrials(job, '--jobs', '5'),
  again: (job, system) => smokeTrials(job, '--only', system),
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

/** What fails fastest, in this order: formatters, then types. */
const FIRST = ['prettier', 'ruff', 'rustfmt', 'tsc', 'oxlint'];

const first = FIRST.flatMap((name) => CHECKS.filter((part) => part.name === name));

/** Nothing in them waits for anybody: they have all of the machine where the others wait for playback. @param {Part} part @returns {Part} */
const givingWay = (part) => ({ ...part, givesWay: true });

/**
 * In the order in which they are started: what fails fastest, then what has limits of time or is long, and at the end, beside the serial ones,
 * what gives way.
 * @type {readonly Part[]}
 */
export const PARTS = [
  ...first,
  vitestPart('unit', 'the cores, the simulator, trials and tools, without a browser', [sample]),
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
    usesSockets,
  ),
  pytestPart('manifests-runs', 'manifests', 'voxel-prepare and voxel-live as they run, are ended and fail', {
    files: preparation.filter(hasLimits),
    properties: true,
    hasClock: () => true,
  }),
  pytestPart('conformance', 'server/conformance', 'both servers, seen from outside', {
    needs: 'for the quiche server Rust, cmake and libclang',
    setUp: quicheServer,
    hasClock: () => true,
  }),
  pytestPart('aioquic', 'server/aioquic', 'voxel-serve: the server in Python', {
    properties: true,
    hasClock: usesServer,
  }),
  vitestPart('messages', 'what programs say about bad input', [linkEmulator, quicheServer], {
    needs: 'for those of the link emulator and the quiche server Rust',
  }),
  vitestPart('tutorials', 'every command and file of docs/tutorials/', [build, sample, chrome], {
    needs: BROWSER,
    hasClock: true,
  }),
  vitestPart('examples', 'examples/, built and played', [build, chrome], { needs: BROWSER, hasClock: true }),
  pytestPart('study', 'lab/study', 'clips, sheets and analysis of studies with viewers', { setUp: ensureStudyPython }),
  cargoPart(
    'link',
    'lab/link',
    'the link emulator',
    'Rust; /dev/net/tun and namespaces for its tests in networks',
    () => Promise.resolve({ args: [], leftOut: [] }),
  ),
  vitestPart('package', 'the package as it is published', [build]),
  pytestPart('fuzz-python', 'test/fuzz/python', 'the kept inputs of the fuzz targets in Python'),
  vitestPart('browser', 'playback in a browser', [build, sample, chrome, firefox], {
    needs: BROWSER,
    plays: true,
    hasClock: true,
  }),
  trials,
  vitestPart('browser-serial', 'playback that others would disturb', [build, sample, chrome, quicheServer], {
    needs: BROWSER,
    serial: true,
    hasClock: true,
  }),
  givingWay(
    pytestPart('manifests', 'manifests', 'voxel-prepare: content preparation', {
      files: preparation.filter((file) => !hasLimits(file)),
      properties: true,
    }),
  ),
  ...CHECKS.filter((part) => !first.includes(part) && !isClippy(part)).map(givingWay),
  ...CHECKS.filter(isClippy).map(givingWay),
  // After it: its compiler has read the dependencies of voxel-quiche then.
  givingWay(release),
];

/** @type {Readonly<Record<string, readonly string[]>>} */
export const GROUPS = { checks: CHECKS.map(({ name }) => name) };
