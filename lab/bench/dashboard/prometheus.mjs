// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../tools/setup/free-port.mjs';
import { root } from '../../../tools/setup/paths.mjs';
import { outputOf, UserError } from '../../../tools/setup/process.mjs';

const CONFIGURATION = join(root, 'deploy/prometheus/prometheus.yml');
const START_MS = 30_000;

/** Every second, so that a run of a minute makes a curve. */
const INTERVAL = '1s';

/** One curve of a panel. @typedef {{ metric: Record<string, string>, values: [number, string][] }} Series */

/**
 * Starts Prometheus with the configuration of deploy/, which asks `target` instead of the server in compose.yaml.
 * @param {string} target host:port of the counters @param {string} folder for its data
 */
export async function startPrometheus(target, folder) {
  if (outputOf('prometheus', ['--version']) === undefined) {
    throw new UserError('prometheus is not installed (apt-get install prometheus)');
  }
  const text = readFileSync(CONFIGURATION, 'utf8')
    .replace('voxel:9100', target)
    .replaceAll(/_interval: \w+/g, `_interval: ${INTERVAL}`);
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, text);
  writeFileSync(join(folder, 'alerts.yml'), readFileSync(join(root, 'deploy/prometheus/alerts.yml')));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (/** @type {Buffer} */ words) => (log = `${log}${words.toString()}`.slice(-2000)));
  const exited = once(child, 'exit');
  const stop = () => void child.kill();
  process.once('exit', stop);
  await ready(
    url,
    () => child.exitCode === null,
    () => log,
  );
  return {
    /** @param {string} query @param {number} from seconds since 1970 @param {number} to @returns {Promise<Series[]>} */
    range: (query, from, to) => ask(url, { query, start: String(from), end: String(to), step: '1' }),
    async stop() {
      stop();
      await exited;
      process.removeListener('exit', stop);
    },
  };
}

/** @param {string} url @param {() => boolean} isRunning @param {() => string} log */
async function ready(url, isRunning, log) {
  const until = Date.now() + START_MS;
  while (isRunning() && Date.now() < until) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new UserError(`prometheus did not start: ${log().trim().split('\n').at(-1) ?? ''}`, 1);
}

/** @param {string} url @param {Record<string, string>} parameters @returns {Promise<Series[]>} */
async function ask(url, parameters) {
  const response = await fetch(`${url}/api/v1/query_range?${new URLSearchParams(parameters).toString()}`);
  const answer = /** @type {{ status: string, error?: string, data: { result: Series[] } }} */ (await response.json());
  if (answer.status !== 'success')
    throw new UserError(`prometheus refuses ${parameters.query ?? ''}: ${answer.error ?? ''}`, 1);
  return answer.data.result;
}
