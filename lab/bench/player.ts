import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { PORTS, SERVER_ADDRESS } from '../trials/addresses.js';
import { openLaboratory, type Laboratory } from '../trials/laboratory.js';
import type { Media } from '../trials/media.js';
import { prepareMedia } from '../trials/prepare-media.js';
import type { PageFiles } from '../trials/page-bundle.js';
import { seededRandom } from '../sim/random.js';
import { median, quantile } from '../sim/report/statistics.js';
import { pagePart } from '../../tools/package/page-part.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import type { BenchJob, Measurements, Pair } from './player/job.js';

export const usage = `npm run bench -- player [--json] [--quick]: the player beside plain dash.js over HTTP/3, from one server over
one emulated link: start-up and main-thread time, and the size of the package's script. About four minutes, one with --quick, and some more
to prepare the video the first time.`;

const flag = { type: 'boolean', default: false } as const;

export const options = { json: flag, quick: flag } as const;

/** 10 Mbit/s, 60 ms; the queue holds 1.25 times what the link does, as in the thesis (§6.4.5). */
const LINK = { mbps: 10, delayMs: 30, queuePackets: 80, upMbps: 100 };

/** Start-up at 1 Mbit/s, played at 5 Mbit/s. */
const LEVELS = { spec: '240p:1,480p:5', startupKbps: 1000, playedKbps: 5000 };
const VIDEO_SECONDS = 30;

const FULL = { startups: 20, playbacks: 4, seconds: 10 };
const QUICK = { startups: 4, playbacks: 1, seconds: 6 };

/** Media time at which buffers are full. */
const SETTLED = 8;

const RESAMPLES = 10_000;

/** Measures and prints. Throws a `UserError`. */
export async function main({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  await ensureBuild();
  const stop = new AbortController();
  const laboratory = await openLaboratory(stop.signal);
  try {
    const media = await prepareMedia({
      name: undefined,
      file: undefined,
      otherwise: undefined,
      segment: undefined,
      start: undefined,
      levels: LEVELS.spec,
      duration: VIDEO_SECONDS,
    });
    const measured = await measure(laboratory, media, quick ? QUICK : FULL);
    const plugin = readFileSync(join(root, 'dist/voxel-dash.js'), 'utf8');
    const report = {
      startupRatio: median(ratios(measured.startup)),
      startupRatioUpper95: upperLimit(ratios(measured.startup)),
      startupSeconds: medians(measured.startup),
      startupPairs: measured.startup.length,
      cpuRatio: median(ratios(measured.cpu)),
      cpuSecondsPerSecond: medians(measured.cpu),
      cpuPairs: measured.cpu.length,
      bundleBrotliBytes: brotliCompressSync(plugin).length,
      pageBrotliBytes: brotliCompressSync(pagePart(plugin)).length,
      link: LINK,
    };
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : readable(report));
  } finally {
    laboratory.close();
  }
}

async function measure(
  laboratory: Laboratory,
  media: Media,
  { startups, playbacks, seconds }: typeof FULL,
): Promise<Measurements> {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-bench-'));
  const file = (name: string): string => join(folder, name);
  const { segmentDuration } = media.content;
  const settings = { manifest: '/media/manifest.mpd', segmentDuration };
  const job: BenchJob = {
    ...{ chrome: laboratory.chrome, spki: laboratory.spki, ready: file('ready'), page: await bundlePage(), startups },
    settings: { ...settings, bitrate: LEVELS.startupKbps },
    playbacks: { pairs: playbacks, settings: { ...settings, bitrate: LEVELS.playedKbps }, from: SETTLED, seconds },
  };
  writeFileSync(file('job.json'), JSON.stringify(job));
  writeFileSync(file('link.json'), JSON.stringify(linkFile()));
  const serve = [
    ...[venvProgram('voxel-serve'), laboratory.emptyFolder, '--mount', `/media=${media.folder}`, '--insecure'],
    ...['--host', SERVER_ADDRESS, '--http-port', String(PORTS.http1), '--quic-port', String(PORTS.quic)],
    ...['--certificate', laboratory.certificate, '--key', laboratory.key],
  ];
  const server = ['sh', '-c', `exec "$@" > ${file('ready')} 2> ${file('server.log')}`, 'sh', ...serve];
  const client = [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'player/client.ts'), file('job.json')];
  const child = spawn(
    laboratory.linkemu,
    ['run', file('link.json'), '--log', folder, '--', ...server, '---', ...client],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  rmSync(folder, { recursive: true });
  if (code !== 0) throw new UserError(`the bench's client ended with code ${String(code)}`, 1);
  return JSON.parse(output.slice(output.indexOf('{"startup"'))) as Measurements;
}

function linkFile(): object {
  const { mbps, delayMs, queuePackets, upMbps } = LINK;
  const queue = (packets: number): object => ({ discipline: 'drop-tail', limit: { packets } });
  return {
    seed: 1,
    paths: [
      {
        name: 'link',
        down: { trace: { mbps }, queue: queue(queuePackets), delayMs },
        up: { trace: { mbps: upMbps }, queue: queue(1000), delayMs },
      },
    ],
  };
}

async function bundlePage(): Promise<PageFiles> {
  const lib = { entry: join(import.meta.dirname, 'player/page.ts'), formats: ['iife' as const], name: 'bench' };
  const output = [await build({ configFile: false, root, logLevel: 'error', build: { write: false, lib } })].flat()[0];
  if (!output || !('output' in output)) throw new Error('the page has no bundle');
  const plugin = readFileSync(join(root, 'dist/umd/voxel-dash.js'), 'utf8');
  return {
    html: '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><video></video><script src="dash.js"></script><script src="page.js"></script>',
    dashjs: readFileSync(join(root, 'node_modules/dashjs/dist/modern/umd/dash.all.min.js'), 'utf8'),
    script: `${plugin}\n${output.output[0].code}`,
  };
}

function ratios(pairs: readonly Pair[]): number[] {
  return pairs.map(({ plain, voxel }) => voxel / plain);
}

function medians(pairs: readonly Pair[]): Pair {
  return { plain: median(pairs.map(({ plain }) => plain)), voxel: median(pairs.map(({ voxel }) => voxel)) };
}

/** The median lies below that with 95 % confidence: bootstrap percentile. */
function upperLimit(values: readonly number[]): number {
  const random = seededRandom(1);
  const resampled = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(random.uniform() * values.length)]!)),
  );
  return quantile(resampled, 0.95);
}

function readable(report: object): string {
  return Object.entries(report)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('');
}
