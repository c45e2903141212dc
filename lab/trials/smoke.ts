import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { canBuildQuiche } from '../../tools/setup/rust.mjs';
import { readConfig, type TrialsConfig } from './config.js';
import type { CrossTraffic } from './cross-traffic.js';
import { openLaboratory } from './laboratory.js';
import type { Media } from './media.js';
import { SMOKE_FOLDER, type TrialsOptions } from './options.js';
import { planTrials, type Trial } from './plan.js';
import { prepareMedia } from './prepare-media.js';
import type { TrialResult } from './result.js';
import { ResultsFile } from './results-file.js';
import { runAll } from './run-all.js';
import { hasOutages, shortenedPath, withStandIns } from './path.js';
import { systemOf, type System } from './system.js';
import { standIn } from './trace-spec.js';
import { tracesOf } from './traces.js';
import { isOfMachine } from './validity.js';

const CONFIGS = join(import.meta.dirname, 'configs');

/** Little to decode, so that several play at a time. */
const LEVELS = '144p:0.2,240p:0.5,240p:1';
const SECONDS = 10;
/** To draw pictures larger than they are takes longer than to decode them. */
const SCREEN = { width: 426, height: 240 };

/**
 * `--smoke`: plays ten seconds with every system of a configuration, or what covers those of all of them. Resolves to the exit code: 1 where
 * one did not play to its end or its segments did not travel as the system says.
 */
export async function smoke({ config, out, jobs, keep, only }: TrialsOptions, signal: AbortSignal): Promise<number> {
  if (out === SMOKE_FOLDER) rmSync(out, { recursive: true, force: true });
  const file = new ResultsFile(join(out, 'trials.jsonl'), 'refuse');
  const paths = config === undefined ? readdirSync(CONFIGS).map((name) => join(CONFIGS, name)) : [config];
  const configs = paths.map(readConfig);
  const isEvery = config !== undefined || only !== undefined;
  const combinations = onlySystems(smokeConfigs(configs, isEvery ? 'every system' : 'a cover'), only);
  const playable = combinations.filter(({ servers }) => servers[0] !== 'quiche' || canBuildQuiche());
  if (playable.length < combinations.length) say('left out: trials of the quiche server, which cannot be built here');
  const trials: Trial[] = [];
  const media = new Map<string, Media>();
  for (const one of playable) trials.push(...(await trialsOf(one, media)));
  const laboratory = await openLaboratory(
    signal,
    playable.flatMap(({ servers }) => servers),
    SCREEN,
  );
  try {
    await runAll(trials, file, laboratory, { out, jobs, attempts: 1, keep });
  } finally {
    laboratory.close();
  }
  const failed = file.results.filter((result) => failuresOf(result).length > 0);
  for (const result of failed) say(`failed: ${result.system} ${failuresOf(result).join('; ')}`);
  console.log(`${file.results.length} trials, ${failed.length} of them failed`);
  return failed.length > 0 ? 1 : 0;
}

/**
 * What it takes to play each of this once: a rule, a way that segments travel over a kind of path, each of a server's ways and controls there.
 * Rules, ways and servers know nothing of each other, so one trial shows several: that is `a cover`. `every system`: on each server and kind
 * of path, too.
 */
export function smokeConfigs(configs: readonly TrialsConfig[], extent: 'every system' | 'a cover'): TrialsConfig[] {
  const places = configs.flatMap((config) =>
    config.servers.flatMap((server) => config.controls.map((control) => ({ config, server, control }))),
  );
  const all = places.flatMap((place) =>
    place.config.systems.map((system) => {
      const own =
        extent === 'every system' ? [['system', system.name, place.server, ...kindOf(place.config)].join(' ')] : [];
      return { place, system, facts: [...own, ...factsOf(system, place)] };
    }),
  );
  const played = withoutNeedless(all);
  return places.flatMap((place) => {
    const systems = played.filter((one) => one.place === place).map(({ system }) => system);
    const { config, server, control } = place;
    return systems.length > 0 ? [{ ...shortened(config), systems, servers: [server], controls: [control] }] : [];
  });
}

interface Place {
  readonly config: TrialsConfig;
  readonly server: TrialsConfig['servers'][number];
  readonly control: TrialsConfig['controls'][number];
}

/** What a trial of the system there shows. */
export function factsOf({ player, delivery, path }: System, { config, server, control }: Place): string[] {
  const kind = kindOf(config);
  const rule = player.kind === 'live' ? 'of live streams' : player.rule;
  const own = Object.entries(player).filter(([name]) => name !== 'rule');
  const way = own.map(([name, value]) => (name === 'bandwidthSafety' ? name : `${name} ${value}`));
  return [
    ['rule', player.kind, rule, config.live ? 'live' : ''],
    ['way', ...way, delivery, path ? 'one path alone' : '', ...kind],
    ['server', server, delivery, ...kind],
    ['control', server, control, ...kind],
  ].map((words) => words.join(' '));
}

/** With all facts of all, each with one that no other of them has: the last ones go first. */
function withoutNeedless<One extends { readonly facts: readonly string[] }>(all: readonly One[]): One[] {
  const times = new Map<string, number>();
  const count = ({ facts }: One, by: 1 | -1): void => {
    for (const fact of new Set(facts)) times.set(fact, (times.get(fact) ?? 0) + by);
  };
  for (const one of all) count(one, 1);
  const kept = all.toReversed().filter((one) => {
    const isNeeded = one.facts.some((fact) => times.get(fact) === 1);
    if (!isNeeded) count(one, -1);
    return isNeeded;
  });
  return kept.reverse();
}

/** The configurations with the systems named `only`, all where it is undefined. Throws a `UserError` where there are none. */
export function onlySystems(configs: readonly TrialsConfig[], only: readonly string[] | undefined): TrialsConfig[] {
  const left = configs.map((config) => ({
    ...config,
    systems: config.systems.filter(({ name }) => only?.includes(name) ?? true),
  }));
  const found = left.filter(({ systems }) => systems.length > 0);
  if (found.length === 0) throw new UserError(`--only names none of the systems: got ${only?.join(',') ?? ''}`);
  return found;
}

/** Kind of a configuration, as far as systems may travel otherwise or do something else in it. */
function kindOf({ paths: [path], live, viewer }: TrialsConfig): string[] {
  return [
    ...(path!.bundle ? ['bundle'] : []),
    ...(hasOutages(path!) ? ['outages'] : []),
    ...(live ? ['live'] : []),
    ...(viewer && viewer.seeks > 0 ? ['seeks'] : []),
  ];
}

/** What the short session leaves of a viewer: two jumps among segments of a second, so that there are places of which nothing is buffered. */
const SHORT_SEEKS = { seeks: 2, segment: 1 };

/** The first of everything, a link that needs no data, and the sample in segments of the first video's duration. */
function shortened(config: TrialsConfig): TrialsConfig {
  const [video] = config.videos;
  const factor = SECONDS / (config.live?.seconds ?? config.viewer?.seconds ?? video!.duration ?? SECONDS);
  const hasSeeks = config.viewer !== undefined && config.viewer.seeks > 0;
  const segment = hasSeeks ? SHORT_SEEKS.segment : video!.segment;
  const sample = { name: undefined, file: undefined, otherwise: undefined, start: undefined };
  return {
    ...config,
    videos: [{ ...sample, levels: LEVELS, duration: SECONDS, segment }],
    traces: [standIn(config.traces[0]!)],
    links: undefined,
    paths: [shortenedPath(withStandIns(config.paths[0]!), factor)],
    crossTraffic: [sooner(config.crossTraffic[0]!, factor)],
    buffers: config.buffers.slice(0, 1),
    ...{ shifts: 1, repetitions: 1 },
    viewer: hasSeeks ? { seconds: undefined, seeks: SHORT_SEEKS.seeks } : undefined,
    live: config.live && { ...config.live, seconds: SECONDS, settling: SECONDS / 2 },
  };
}

/** Timed flows come and go in the short session as they do in the whole. */
function sooner({ timedFlows, ...others }: CrossTraffic, factor: number): CrossTraffic {
  if (!timedFlows) return others;
  const scaled = timedFlows.map(({ flows, start, stop }) => ({ flows, start: factor * start, stop: factor * stop }));
  return { ...others, timedFlows: scaled };
}

/** `prepared`: what configurations before it have had prepared, by what it was made of. */
async function trialsOf(config: TrialsConfig, prepared: Map<string, Media>): Promise<Trial[]> {
  const [video] = config.videos;
  const key = JSON.stringify([video, config.live]);
  const media = prepared.get(key) ?? (await prepareMedia(video!, config.live));
  prepared.set(key, media);
  return planTrials(config, [media], tracesOf(config).slice(0, 1));
}

/** One line each. A busy machine is no failure. */
export function failuresOf(result: TrialResult): string[] {
  const { label, server, control, outcome } = result;
  const problems = result.problems.filter((problem) => !isOfMachine(problem));
  const own = [
    ...problems,
    ...(outcome === 'hopeless' ? ['it stalled for longer than the video'] : []),
    ...unusedPaths(result).map((name) => `nothing came over ${name}`),
  ];
  return own.map((problem) => `${label}, ${server} with ${control}: ${problem}`);
}

/** A bundle is there to be used. */
function unusedPaths({ system, paths = [] }: TrialResult): string[] {
  const { player, path } = systemOf(system);
  return player.kind === 'voxel' && path === undefined
    ? paths.filter(({ bytes }) => bytes === 0).map(({ name }) => name)
    : [];
}
