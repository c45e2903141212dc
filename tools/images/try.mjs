// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { outputOf, run, say, UserError } from '../setup/process.mjs';
import { playHeadless } from '../start/headless.mjs';
import { ask, buildah, imageOf, ISOLATION, withContainer } from './buildah.mjs';

/** The only folders in which a server may write: what it keeps, and what is a file system of its own in every container. */
const WRITABLE = ['state', 'tmp', 'proc', 'sys', 'dev', 'run'];

/** Played after the first picture, so that segments come over the session, too. */
const PLAYED_SECONDS = 4;

/** @typedef {{ name: string, pictureSeconds: number, transport: string, health: string, strays: string[], user: string }} Trial */

/**
 * Starts a server's container and plays the sample from it.
 * @param {string} name of the image @param {{ media: string, chrome: string }} settings @returns {Promise<Trial>}
 */
export function tryImage(name, { media, chrome }) {
  return withContainer(name, async (container, folder) => {
    const { user, program, healthCheck } = settingsOf(name);
    const started = Date.now();
    const server = await startInside(container, media, program);
    try {
      const { transport, firstPicture } = await play(server.ready.url, chrome);
      const health = await askHealth(container, [...healthCheck.slice(0, -1), new URL(server.ready.metrics).host]);
      const strays = writtenBy(user, folder);
      return { name, pictureSeconds: (firstPicture - started) / 1000, transport, health, strays, user };
    } finally {
      await server.stop();
    }
  });
}

/** Files of the server's user outside of what it may write, which a read-only container would have refused. @param {string} user @param {string} folder */
function writtenBy(user, folder) {
  const skipped = WRITABLE.flatMap((name) => ['-path', `${folder}/${name}`, '-prune', '-o']);
  const found = outputOf('find', [folder, ...skipped, '-user', user.split(':')[0] ?? '', '-printf', '/%P\\n']) ?? '';
  return found.split('\n').filter(Boolean);
}

/** @param {string} container @param {string} media @param {string} program */
async function startInside(container, media, program) {
  const volumes = [`${join(root, 'dist/demo')}:/media:ro`, `${media}:/sample:ro`].flatMap((it) => ['--volume', it]);
  const options = ['--mount', '/media=/sample', '--http-port', '0', '--quic-port', '0', '--metrics', '127.0.0.1:0'];
  const [command, args] = buildah('run', ...ISOLATION, ...volumes, container, '--', program, '/media', ...options);
  // A group of its own: buildah starts the server as a grandchild, and does not pass signals on.
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  process.once('exit', end);
  /** @type {string[]} */
  const log = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const exited = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (typeof line !== 'string') throw new UserError(`the container ended: ${log.at(-1) ?? 'without a message'}`, 1);
  return {
    ready: /** @type {{ url: string, metrics: string }} */ (JSON.parse(line)),
    async stop() {
      end();
      await exited;
      process.removeListener('exit', end);
    },
  };
}

/** @param {string} base @param {string} chrome */
async function play(base, chrome) {
  const url = new URL(base);
  url.search = new URLSearchParams({ manifest: '/media/manifest.mpd', autoplay: '1' }).toString();
  /** @type {number | undefined} */
  let firstPicture;
  const report = await playHeadless({
    chrome,
    url: url.href,
    seconds: PLAYED_SECONDS,
    screenshot: undefined,
    hasFailed: () => false,
    onProgress(played) {
      if (played > 0) firstPicture ??= Date.now();
    },
  });
  const [error] = report.errors;
  if (error !== undefined || firstPicture === undefined) {
    throw new UserError(`playback failed: ${JSON.stringify(error ?? 'no picture')}`, 1);
  }
  return { transport: report.transport, firstPicture };
}

/** The image's own health check, run in the same container. @param {string} container @param {string[]} words */
async function askHealth(container, words) {
  const [command, args] = buildah('run', ...ISOLATION, container, '--', ...words);
  await run(command, args, { output: 'on-failure' });
  return 'ok';
}

/** What an image says of itself. @param {string} name */
function settingsOf(name) {
  /** @type {{ Docker: { config: { Entrypoint: string[], User: string, Healthcheck?: { Test: string[] } } } }} */
  const { Docker } = JSON.parse(ask('inspect', '--type', 'image', imageOf(name)));
  const { Entrypoint: entrypoint, User: user, Healthcheck: health } = Docker.config;
  const [program] = entrypoint;
  if (program === undefined || health === undefined)
    throw new UserError(`voxel-${name} has no program or no health check`, 1);
  // Its last word is the address of the counters in a container of its own; the first one says what kind it is.
  return { user, program, healthCheck: health.Test.slice(1) };
}

/** One line for each. @param {Trial} trial @param {number} limit @returns whether it is what is asked of an image */
export function report({ name, pictureSeconds, transport, health, strays, user }, limit) {
  say(
    `voxel-${name}: first picture ${pictureSeconds.toFixed(1)} s after the container's start, over ${transport}; health ${health}; ` +
      `user ${user}; wrote ${strays.length === 0 ? 'nothing outside /state' : strays.join(', ')}`,
  );
  const failures = [
    ...(pictureSeconds > limit
      ? [`the first picture came after ${pictureSeconds.toFixed(1)} s, allowed are ${limit} s`]
      : []),
    ...(transport.startsWith('webtransport') ? [] : [`it played over ${transport}, not over WebTransport`]),
    ...(strays.length === 0 ? [] : [`it does not run in a read-only container`]),
    ...(/^[1-9]/.test(user) ? [] : [`it runs as '${user}', not as a user without rights`]),
  ];
  for (const failure of failures) say(`voxel-${name}: ${failure}`);
  return failures.length === 0;
}
