import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { say, UserError } from '../../tools/setup/process.mjs';
import type { CrossTraffic, TimedFlows } from './cross-traffic.js';
import { Fields } from './fields.js';
import { pathSpec, pathSpecs, requireUnique, type PathSpec } from './path.js';
import { congestionControlOptions, CONTROLS, SERVERS, type ControlName, type ServerName } from './serving.js';
import { SESSION_MEASURES, type SessionMeasure } from './session-measures.js';
import { liveSpec, type LiveSpec } from './live/live-spec.js';
import { playsOf, systemOf, type System } from './system.js';
import { traceSpec, type TraceSpec } from './trace-spec.js';
import { viewerSpec, type ViewerSpec } from './viewer.js';

const MOST_REPETITIONS = 1000;
const MOST_FLOWS = 100;

const METRICS = ['ssim', ...SESSION_MEASURES] as const;

/** Live streams have none in segments: what they hold follows from their latency. */
const NO_BUFFER = 0;

/** A matrix of trials: every combination of what it lists. */
export interface TrialsConfig {
  readonly title: string;
  /** The system that others are compared with. */
  readonly baseline: string;
  readonly videos: readonly VideoSpec[];
  /** Kinds of links that take turns; undefined: every trace over every path. */
  readonly links: readonly LinkSpec[] | undefined;
  /** Those of the links where there are any. */
  readonly traces: readonly TraceSpec[];
  /** Starts in each trace, evenly over its duration (thesis §6.4.7); of the links, the most. */
  readonly shifts: number;
  readonly crossTraffic: readonly CrossTraffic[];
  /** Segments. */
  readonly buffers: readonly number[];
  readonly systems: readonly System[];
  readonly repetitions: number;
  /** Those of the links where there are any. */
  readonly paths: readonly PathSpec[];
  readonly servers: readonly ServerName[];
  readonly controls: readonly ControlName[];
  /** Besides SSIM. */
  readonly measures: readonly SessionMeasure[];
  readonly seed: number;
  /** Undefined: on demand. */
  readonly live: LiveSpec | undefined;
  /** Undefined: who watches the whole video. */
  readonly viewer: ViewerSpec | undefined;
}

/** A video file and how it is prepared, or the sample of `npm start`. Durations in seconds. */
export interface VideoSpec {
  /** The name that people read; undefined: the file's name. */
  readonly name: string | undefined;
  /** Absolute; undefined: the sample. */
  readonly file: string | undefined;
  /** The sample stands in where the file is absent. */
  readonly otherwise: 'sample' | undefined;
  /** The ladder, as `voxel-prepare --representations` takes it. */
  readonly levels: string | undefined;
  readonly start: number | undefined;
  readonly duration: number | undefined;
  /** Seconds of a segment; undefined: 4. */
  readonly segment: number | undefined;
  /** Metric of the manifest's scores, by which rules decide; undefined: SSIM. */
  readonly metric?: (typeof METRICS)[number] | undefined;
  /** The codecs, in the words of `voxel-prepare --codec`; undefined: H.264. */
  readonly codec?: string | undefined;
  /**
   * Another ladder, of which the top level in H.264 is what sessions are scored against, so that videos in several codecs have one in common;
   * undefined: the top of `levels`.
   */
  readonly reference?: string | undefined;
}

/** A kind of link: traces with a path of their own. */
export interface LinkSpec {
  /** The name that people read. */
  readonly name: string;
  readonly traces: readonly TraceSpec[];
  readonly path: PathSpec;
  /** Starts in each of the traces. */
  readonly shifts: number;
}

/** Where the ready configurations were before 0.2: the old paths go on for one release. */
const OLD_FOLDER = /(^|\/)test(?=\/trials\/configs\/)/;

/** Where a configuration lies that was asked for by its old path. */
function movedConfig(path: string): string {
  const moved = path.replace(OLD_FOLDER, '$1lab');
  if (moved === path || existsSync(path) || !existsSync(moved)) return path;
  say(`${path} is ${moved} now`);
  return moved;
}

/** Reads a configuration. Throws a `UserError` that names the file and the field. */
export function readConfig(asked: string): TrialsConfig {
  const path = movedConfig(asked);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseConfig(text, path);
}

/** `path`: for messages, and files are relative to it. */
export function parseConfig(text: string, path: string): TrialsConfig {
  const fields = Fields.parse(text, path);
  const folder = dirname(path);
  const systems = fields.texts('systems').map((name) => systemOf(name));
  const live = liveSpec(fields);
  const config: TrialsConfig = {
    live,
    title: fields.text('title'),
    baseline: fields.optionalText('baseline') ?? systems[0]!.name,
    videos: videoSpecs(fields.list('videos', ['sample']), folder),
    ...linksAndPaths(fields, folder),
    crossTraffic: fields.list('crossTraffic', [{}]).map(crossTrafficSpec),
    buffers: live ? [NO_BUFFER] : fields.integers('buffers', { low: 1, high: 100 }),
    systems,
    repetitions: fields.integer('repetitions', { low: 1, high: MOST_REPETITIONS, absent: 1 }),
    servers: fields.choices('servers', SERVERS, ['aioquic']),
    controls: fields.choices('controls', CONTROLS, ['cubic']),
    measures: live ? [] : fields.choices('measures', SESSION_MEASURES, []),
    seed: fields.integer('seed', { low: 0, high: 2 ** 32 - 1, absent: 1 }),
    viewer: live ? undefined : viewerSpec(fields),
  };
  fields.end();
  if (!systems.some(({ name }) => name === config.baseline)) {
    throw new UserError(`${path}: baseline must be one of the systems, got '${config.baseline}'`);
  }
  requirePaths(config, path);
  requireStreams(config, path);
  for (const server of config.servers) for (const control of config.controls) congestionControlOptions(server, control);
  return config;
}

/** A system that is to have one path of a bundle alone must find it in all of them. */
function requirePaths({ systems, paths }: TrialsConfig, where: string): void {
  for (const { name, path } of systems) {
    if (path === undefined) continue;
    const unfit = paths.find(({ bundle = [] }) => !bundle.some((one) => one.name === path));
    if (unfit)
      throw new UserError(`${where}: the system '${name}' needs a path '${path}', which '${unfit.name}' has not`);
  }
}

/** Every system must play what the configuration is about. */
function requireStreams({ systems, live, videos }: TrialsConfig, where: string): void {
  const unfit = systems.find((system) => !playsOf(system)[live ? 'live' : 'onDemand']);
  if (unfit) {
    const needs = live ? 'plays no live streams' : "plays live streams only: the configuration needs 'live'";
    throw new UserError(`${where}: the system '${unfit.name}' ${needs}`);
  }
  if (live && videos.some(({ metric = 'ssim' }) => metric !== 'ssim'))
    throw new UserError(`${where}: videos: live streams have the metric ssim alone`);
}

/** `links`, or `traces`, `paths` and `shifts`. */
function linksAndPaths(fields: Fields, folder: string): Pick<TrialsConfig, 'links' | 'traces' | 'paths' | 'shifts'> {
  if (!fields.has('links')) {
    const traces = traceSpecs(fields, folder);
    return { links: undefined, traces, paths: pathSpecs(fields.list('paths', [{}]), folder), shifts: shiftsOf(fields) };
  }
  const links = fields.list('links').map((link) => linkSpec(link, folder));
  const same = <Value>(values: readonly Value[]) =>
    values.filter((value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) === index);
  const paths = same(links.map(({ path }) => path));
  requireUnique('paths', paths);
  requireUnique('links', links);
  const traces = same(links.flatMap((link) => link.traces));
  return { links, traces, paths, shifts: Math.max(...links.map(({ shifts }) => shifts)) };
}

function linkSpec(value: Fields | string, folder: string): LinkSpec {
  if (typeof value === 'string') throw new UserError(`links must be a list of objects, got '${value}'`);
  const spec: LinkSpec = {
    name: value.text('name'),
    traces: traceSpecs(value, folder),
    path: pathSpec(value.object('path', {}), folder),
    shifts: shiftsOf(value),
  };
  value.end();
  return spec;
}

function shiftsOf(fields: Fields): number {
  return fields.integer('shifts', { low: 1, high: MOST_REPETITIONS, absent: 1 });
}

/** Results tell videos apart by their names. */
function videoSpecs(values: readonly (Fields | string)[], folder: string): VideoSpec[] {
  const specs = values.map((value) => videoSpec(value, folder));
  requireUnique(
    'videos',
    specs.map((spec) => ({ name: videoName(spec) })),
  );
  return specs;
}

/** The name that results have. */
export function videoName({ name, file }: VideoSpec): string {
  return name ?? (file === undefined ? 'sample' : basename(file, extname(file)));
}

function videoSpec(value: Fields | string, folder: string): VideoSpec {
  const cut = { start: undefined, duration: undefined, segment: undefined };
  const plain = { name: undefined, file: undefined, otherwise: undefined, levels: undefined, ...cut };
  if (value === 'sample') return plain;
  if (typeof value === 'string') return { ...plain, file: resolve(folder, value) };
  const file = value.optionalText('file');
  const spec: VideoSpec = {
    name: value.optionalText('name'),
    file: file === undefined ? undefined : resolve(folder, file),
    otherwise: value.optionalChoice('otherwise', ['sample']),
    levels: value.optionalText('levels'),
    start: value.optionalNumber('start', { low: 0, high: 86_400 }),
    duration: value.optionalNumber('duration', { low: 1, high: 86_400 }),
    segment: value.optionalNumber('segment', { low: 0.5, high: 30 }),
    metric: value.optionalChoice('metric', METRICS),
    codec: value.optionalText('codec'),
    reference: value.optionalText('reference'),
  };
  value.end();
  return spec;
}

function traceSpecs(fields: Fields, folder: string): TraceSpec[] {
  return fields.list('traces').map((trace) => traceSpec(trace, folder));
}

function crossTrafficSpec(value: Fields | string): CrossTraffic {
  if (typeof value === 'string') throw new UserError(`crossTraffic must be a list of objects, got '${value}'`);
  const bulkFlows = value.integer('bulkFlows', { low: 0, high: MOST_FLOWS, absent: 0 });
  const webMbps = value.optionalNumber('webMbps', { low: 0, high: 1000 }) ?? 0;
  const timedFlows = value.has('timedFlows') ? value.list('timedFlows').map(timedFlowsSpec) : undefined;
  value.end();
  return { bulkFlows, webMbps, ...(timedFlows && { timedFlows }) };
}

function timedFlowsSpec(value: Fields | string): TimedFlows {
  if (typeof value === 'string') throw new UserError(`timedFlows must be a list of objects, got '${value}'`);
  const flows = value.integer('flows', { low: 1, high: MOST_FLOWS, absent: 1 });
  const start = value.number('start', { low: 0, high: 86_400 });
  const stop = value.number('stop', { low: start, high: 86_400 });
  value.end();
  return { flows, start, stop };
}
