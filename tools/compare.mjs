// @ts-check
// `npm run compare`: from a fresh clone to three players side by side. Runs before anything is installed, so the first steps import
// nothing from node_modules.
import { prepareContent } from './compare/content.mjs';
import { startControlServer } from './compare/control-server.mjs';
import { checkPort } from './compare/listen.mjs';
import { parseOptions, USAGE } from './compare/options.mjs';
import { presets } from './compare/presets.mjs';
import { startPrograms } from './compare/programs.mjs';
import { makeRunFolder, sizeOfRecording, writeRecordedPage } from './compare/recording.mjs';
import { runsTable } from './compare/table.mjs';
import { ensureChrome } from './setup/chrome.mjs';
import { ensureBuild, ensureNodePackages } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { outputOf, runCommand, say, UserError } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';
import { ensureQuicheServer } from './setup/rust.mjs';

const DEFAULT_PORT = 8090;

/** @typedef {import('./compare/options.mjs').CompareOptions} Options */

/** @param {Options} options */
const portOf = ({ port, headless }) => port ?? (headless ? 0 : DEFAULT_PORT);

/** What would otherwise be found after minutes. @param {Options} options */
async function checkPlaces(options) {
  if (options.record !== undefined) makeRunFolder(options.record);
  await checkPort(portOf(options));
}

/** @param {Options} options @returns {Promise<{ chrome: string | undefined, program: string | undefined }>} */
async function setUp(options) {
  const [chrome, program] = await Promise.all([
    options.headless ? ensureChrome() : undefined,
    options.server === 'quiche' ? ensureQuicheServer() : undefined,
    ensurePython('run'),
    ensureNodePackages().then(ensureBuild),
  ]);
  return { chrome, program };
}

/** The servers of media and page. @param {Options} options @param {string} film @param {string | undefined} program */
async function serve(options, film, program) {
  const programs = await startPrograms(film, program);
  try {
    const page = `${root}/dist/compare`;
    const control = await startControlServer({
      ...{ page, presets: presets(), program: (isLive) => programs.program(isLive) },
      port: portOf(options),
      recordTo: options.record === undefined ? undefined : writeRecordedPage(options.record, page),
      content: { commit: commit(), server: options.server, records: options.record !== undefined },
    });
    const stop = async () => {
      control.close();
      await programs.stop();
    };
    return { url: control.url, exited: programs.exited, stop };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

/** Of the checkout; `+`: something has been changed since. */
function commit() {
  const changed = outputOf('git', ['-C', root, 'status', '--porcelain', '--untracked-files=no']) ? '+' : '';
  return `${outputOf('git', ['-C', root, 'rev-parse', '--short', 'HEAD']) ?? 'unknown'}${changed}`;
}

/** @param {string} base @param {Options} options */
function pageUrl(base, { preset, scale, buffer, seed, headless }) {
  const url = new URL(base);
  for (const [name, value] of Object.entries({ preset, scale, buffer, seed, autoplay: headless ? 1 : undefined })) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** @param {Options} options @param {string} url @param {string} chrome @returns {Promise<number>} exit code */
async function playHeadless(options, url, chrome) {
  const { compareHeadless } = await import('./compare/headless.mjs');
  const reports = [];
  for (let run = 1; run <= options.runs; run++) {
    const report = await compareHeadless({
      ...{ chrome, url, width: options.width, record: options.record !== undefined },
      screenshot: run === options.runs ? options.screenshot : undefined,
      onProgress(elapsed) {
        if (process.stderr.isTTY) process.stderr.write(`\rrun ${run} of ${options.runs}: ${elapsed.toFixed(0)} s `);
      },
    });
    if (process.stderr.isTTY) process.stderr.write('\r');
    if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    reports.push(report);
  }
  say(runsTable(reports));
  if (options.record !== undefined) {
    const { files, bytes } = sizeOfRecording(options.record);
    say(`recorded to ${options.record}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB; any static server shows it`);
  }
  const failed = reports.flatMap(({ players }) => players).filter(({ errors }) => errors.length > 0);
  for (const { id, errors } of failed) say(`playback of ${id} failed: ${errors[0]}`);
  return failed.length === 0 ? 0 : 1;
}

/** @param {string} url @param {Promise<string | undefined>} exited of the media's server @returns {Promise<number>} exit code */
async function untilInterrupted(url, exited) {
  say(`\n  Three players are compared at  ${url}\n\n  Ctrl-C ends it.`);
  const interrupted = new Promise((resolve) => ['SIGINT', 'SIGTERM'].map((signal) => process.once(signal, resolve)));
  const ended = await Promise.race([
    interrupted,
    exited.then((line) => new UserError(`the server ended: ${line ?? 'without a message'}`, 1)),
  ]);
  if (ended instanceof UserError) throw ended;
  return 0;
}

await runCommand(async () => {
  const links = presets();
  const options = parseOptions(
    process.argv.slice(2),
    links.map(({ id }) => id),
  );
  if (options.help || options.list) {
    console.log(options.help ? USAGE : links.map(({ id, title }) => `${id.padEnd(18)}${title}`).join('\n'));
    return 0;
  }
  await checkPlaces(options);
  const { chrome, program } = await setUp(options);
  const { url, exited, stop } = await serve(options, await prepareContent(), program);
  try {
    const page = pageUrl(url, options);
    return chrome === undefined ? await untilInterrupted(page, exited) : await playHeadless(options, page, chrome);
  } finally {
    await stop();
  }
});
