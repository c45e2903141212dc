// @ts-check
// `npm start`: from a fresh clone to a playing video. Runs before anything is installed, so the first steps import
// nothing from node_modules.
import { parseOptions, USAGE } from './start/options.mjs';
import { ensureChrome } from './setup/chrome.mjs';
import { ensureBuild, ensureNodePackages } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { runCommand, say, UserError } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';
import { ensureQuicheServer } from './setup/rust.mjs';
import { startEncoder } from './start/live.mjs';
import { prepareVideo, requireVideo } from './start/prepare.mjs';
import { startRelay } from './start/relay.mjs';
import { startServer } from './start/server.mjs';

const DEFAULT_PORT = 8080;

/** @param {import('./start/options.mjs').StartOptions} options @returns {Promise<string | undefined>} Chrome's path, if needed */
async function setUp(options) {
  const [chrome] = await Promise.all([
    options.headless ? ensureChrome() : undefined,
    ensurePython('run'),
    ensureNodePackages().then(ensureBuild),
  ]);
  return chrome;
}

/** The player's server, with the lossy relay before it when asked for. @param {import('./start/options.mjs').StartOptions} options @param {string} media */
async function serve(options, media) {
  const httpPort = options.port ?? (options.headless ? 0 : DEFAULT_PORT);
  const page = `${root}/dist/demo`;
  const folders = [page, '--mount', `/media=${media}`];
  const args = [...folders, '--http-port', String(httpPort), '--quic-port', '0'];
  const program = options.server === 'quiche' ? await ensureQuicheServer() : undefined;
  if (options.loss === undefined) return startServer(args, program);
  // The relay must know the server's port and the server must announce the relay's: reserve the relay's first.
  const relay = await startRelay({ lossPercent: options.loss, seed: options.seed });
  const server = await startServer([...args, '--public-endpoint', `https://127.0.0.1:${relay.port}/voxel`], program);
  relay.connect(server.ready.quicPort);
  return { ...server, stop: () => (relay.close(), server.stop()) };
}

/** @param {string} base @param {import('./start/options.mjs').StartOptions} options @returns {string} the page's address */
function pageUrl(base, options) {
  const url = new URL(base);
  const { rule, buffer, delivery, headless } = options;
  const settings = {
    ...{ manifest: '/media/manifest.mpd', rule, buffer, delivery },
    ...{ refetch: options.refetch ? undefined : 0, autoplay: headless ? 1 : undefined },
  };
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** @typedef {Awaited<ReturnType<typeof startEncoder>>} Encoder */

/** @param {import('./start/options.mjs').StartOptions} options @param {string} url @param {string} chrome @param {Encoder | undefined} encoder @returns {Promise<number>} exit code */
async function playAndReport(options, url, chrome, encoder) {
  const { playedOf, playHeadless } = await import('./start/headless.mjs');
  const report = await playHeadless({
    chrome,
    url,
    seconds: options.seconds,
    screenshot: options.screenshot,
    hasFailed: () => encoder?.failure() !== undefined,
    onProgress(played) {
      if (process.stderr.isTTY) process.stderr.write(`\rplaying … ${played.toFixed(1)} s `);
    },
  });
  const failure = encoder?.failure()?.message ?? playbackFailure(report, playedOf(report), options.seconds);
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  const segments = report.segments.length;
  say(
    failure ??
      `played ${report.playedSeconds.toFixed(1)} s over ${report.transport}: start-up ${Math.round(report.startupMs ?? NaN)} ms, ` +
        `${report.stalls} stalls (${report.stallSeconds.toFixed(2)} s), ${segments} segments${latencyText(report)}`,
  );
  return failure === undefined ? 0 : 1;
}

/** @param {import('../demo/report.js').Report} report */
function latencyText({ latency, latencyP95 }) {
  return latency === null ? '' : `, latency ${latency.toFixed(2)} s (p95 ${latencyP95?.toFixed(2)} s)`;
}

/** @param {import('../demo/report.js').Report} report @param {number} played @param {number | undefined} seconds @returns one line, if playback failed */
function playbackFailure(report, played, seconds) {
  if (report.errors.length > 0) return `playback failed: ${JSON.stringify(report.errors[0])}`;
  if (report.ended || (seconds !== undefined && played >= seconds)) return undefined;
  return `playback failed: only ${played.toFixed(1)} s were played`;
}

/** @param {import('./start/options.mjs').StartOptions} options @param {string} media @param {string | undefined} chrome @param {Encoder | undefined} encoder @returns {Promise<number>} exit code */
async function play(options, media, chrome, encoder) {
  const server = await serve(options, media);
  try {
    const url = pageUrl(server.ready.url, options);
    if (chrome !== undefined) return await playAndReport(options, url, chrome, encoder);
    say(`\n  voxel-dash plays at  ${url}\n\n  Ctrl-C ends it.`);
    const interrupted = new Promise((resolve) => ['SIGINT', 'SIGTERM'].map((signal) => process.once(signal, resolve)));
    const ended = await Promise.race([
      interrupted,
      server.exited.then((line) => new UserError(`the server ended: ${line ?? 'without a message'}`, 1)),
      ...(encoder ? [encoder.exited] : []),
    ]);
    if (ended instanceof UserError) throw ended;
    return 0;
  } finally {
    await server.stop();
  }
}

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  // Before the minutes that the set-up may take.
  requireVideo(options.video);
  const chrome = await setUp(options);
  const encoder = options.live ? await startEncoder(options) : undefined;
  try {
    return await play(options, encoder?.folder ?? (await prepareVideo(options)), chrome, encoder);
  } finally {
    await encoder?.stop();
  }
});
