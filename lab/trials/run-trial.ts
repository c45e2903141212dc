import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { endpointUrl, pageOrigin, PORTS, SERVER_ADDRESS } from './addresses.js';
import { hasCrossTraffic } from './cross-traffic.js';
import { scoreDelivered } from './delivered-scores.js';
import { evaluate, evaluateSegments, watchedSegments, type Evidence } from './evaluate.js';
import { FILES, type Job, type Observation } from './job.js';
import { linkFile, pathNames } from './link-file.js';
import { readLinkLog } from './link-log.js';
import type { Laboratory } from './laboratory.js';
import { scoreLive } from './live/live-scores.js';
import { playedSeconds, type Trial } from './plan.js';
import { PATIENCE } from './viewer.js';
import type { TrialResult } from './result.js';
import { seekPlaces } from './seek-places.js';
import { congestionControlOptions, TCP_CONTROLS } from './serving.js';
import type { LinkSummary } from './validity.js';

/** Address that the server listens on: it has one for each path of a bundle. */
const EVERY_ADDRESS = '0.0.0.0';

/** Lines of the programs' words that are shown when a trial cannot be run. */
const LAST_WORDS = 5;

/** Each attempt keeps its own logs: those of one that does not count say why. */
export function trialFolder(out: string, id: string, attempt: number): string {
  return join(out, 'trials', `${id}_${attempt}`);
}

/**
 * Plays one trial in networks of its own. Its folder then holds the link's logs, `segments.jsonl` and `timeline.json`.
 * With `keep` also the bytes of the segments that came with gaps, and `video.json`, which says where the video lies.
 * Throws a `UserError` where the trial could not be run at all.
 */
export async function runTrial(
  trial: Trial,
  laboratory: Laboratory,
  { attempt, folder, keep }: { readonly attempt: number; readonly folder: string; readonly keep: boolean },
): Promise<TrialResult> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, FILES.live), { recursive: true });
  const date = new Date();
  const file = (name: string) => join(folder, name);
  writeFileSync(file('link.json'), JSON.stringify(linkFile(trial)));
  writeFileSync(file(FILES.job), JSON.stringify(jobOf(trial, laboratory, folder)));
  await runBetween(laboratory, folder);
  const observation = JSON.parse(readFileSync(file(FILES.observation), 'utf8')) as Observation;
  const score = trial.live ? scoreLive : scoreDelivered;
  const scored = await score(folder, trial, watchedSegments(trial.viewer, observation.segments));
  const versions = { ...laboratory.versions, browser: observation.browser };
  const link = linkSummary(folder, pathNames(trial.bundle));
  const evidence: Evidence = { trial, attempt, observation, scored, link, versions, date };
  const segments = evaluateSegments(evidence);
  writeFileSync(file('segments.jsonl'), segments.map((segment) => `${JSON.stringify(segment)}\n`).join(''));
  writeFileSync(file('timeline.json'), JSON.stringify(observation.samples));
  for (const name of [FILES.job, FILES.ready, FILES.observation]) rmSync(file(name));
  rmSync(file(FILES.live), { recursive: true });
  rmSync(file(FILES.appended), { force: true });
  if (keep)
    writeFileSync(file(FILES.video), JSON.stringify({ folder: trial.media.folder, metric: trial.media.metric }));
  else for (const { index } of observation.segments) rmSync(file(FILES.segment(index)), { force: true });
  return evaluate(evidence);
}

function jobOf(trial: Trial, laboratory: Laboratory, folder: string): Job {
  const { media, server, control, system, buffer, crossTraffic, seed, bundle, live, viewer } = trial;
  const { segmentDuration, segments } = media.content;
  const seeks = viewer?.seeks ?? 0;
  const out = join(folder, FILES.live);
  const hasTraffic = hasCrossTraffic(crossTraffic);
  const own = Math.max(0, bundle?.findIndex(({ name }) => name === system.path) ?? 0);
  const origin = pageOrigin(system.delivery, own);
  const addresses = bundle ? ['--host', EVERY_ADDRESS, '--allow-origin', origin] : ['--host', SERVER_ADDRESS];
  return {
    server: {
      command: laboratory.servers[server],
      args: [
        ...[laboratory.emptyFolder, '--mount', `/media=${live ? out : media.folder}`],
        ...[...addresses, '--http-port', String(PORTS.http1), '--quic-port', String(PORTS.quic)],
        ...['--certificate', laboratory.certificate, '--key', laboratory.key, '--insecure'],
        ...congestionControlOptions(server, control),
      ],
      tcpControl: hasTraffic || system.delivery === 'http1' ? TCP_CONTROLS[control] : undefined,
    },
    client: {
      chrome: laboratory.chrome,
      spki: laboratory.spki,
      page: laboratory.page,
      screen: laboratory.screen,
      settings: {
        manifest: '/media/manifest.mpd',
        player: system.player,
        delivery: system.delivery,
        bufferSegments: buffer,
        segmentDuration,
        ...(seeks > 0 && { seekTo: seekPlaces(seed, seeks, { segments: segments.length, segmentDuration, buffer }) }),
        ...(live && { live: { latency: live.latency, settling: live.settling } }),
        ...(usesAll(trial) && { paths: bundle!.map(({ cost = 0 }, path) => ({ url: endpointUrl(path), cost })) }),
      },
      duration: playedSeconds(trial) + seeks * PATIENCE,
      ...(viewer?.seconds !== undefined && { until: viewer.seconds }),
      paths: { count: bundle?.length ?? 1, own },
      crossTraffic: hasTraffic ? crossTraffic : undefined,
      seed,
      ...(live && {
        replay: { command: venvProgram('voxel-live'), recording: media.folder, out, latency: live.latency },
      }),
    },
  };
}

function usesAll({ bundle, system: { player, path } }: Trial): boolean {
  return bundle !== undefined && player.kind === 'voxel' && path === undefined;
}

/** Server and client with the link between them, until the client has seen enough. */
async function runBetween({ linkemu, inside, signal }: Laboratory, folder: string): Promise<void> {
  const program = (file: string) => [process.execPath, file, folder];
  const link = ['run', join(folder, 'link.json'), '--log', folder];
  const child = spawn(linkemu, [...link, '--', ...program(inside.server), '---', ...program(inside.client)], {
    cwd: root,
    // The client ends when its standard input does: nothing goes on when this process is killed.
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const words: string[] = [];
  const listen = (stream: ChildProcess['stdout']) => stream?.on('data', (data: Buffer) => words.push(data.toString()));
  listen(child.stdout);
  listen(child.stderr);
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => undefined);
    child.on('close', resolve);
  });
  signal.throwIfAborted();
  writeFileSync(join(folder, 'programs.log'), words.join(''));
  if (code !== 0 || !existsSync(join(folder, FILES.observation))) {
    const last = words.join('').trim().split('\n').slice(-LAST_WORDS).join('\n');
    throw new UserError(`a trial failed (exit code ${code}), see ${folder}/programs.log:\n${last}`, 1);
  }
}

function linkSummary(folder: string, names: readonly string[]): LinkSummary {
  const { valid } = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as { valid: boolean };
  const paths = names.map((name) => ({ name, down: readLinkLog(folder, name, 'down') }));
  const all = names.flatMap((name, index) => [...paths[index]!.down, ...readLinkLog(folder, name, 'up')]);
  return { valid, lateMs: all.reduce((most, { lateMs }) => Math.max(most, lateMs), 0), paths };
}
