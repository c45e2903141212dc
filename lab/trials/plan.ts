import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../tools/setup/process.mjs';
import { derivedSeed } from '../sim/random.js';
import { startOf, type Trace } from '../sim/link/trace.js';
import type { LinkSpec, TrialsConfig } from './config.js';
import { crossTrafficLabel, type CrossTraffic } from './cross-traffic.js';
import type { LiveSpec } from './live/live-spec.js';
import type { Media } from './media.js';
import type { BundledPath, PathSpec } from './path.js';
import type { ControlName, ServerName } from './serving.js';
import type { System } from './system.js';
import type { TraceSpec } from './trace-spec.js';
import { traceOf } from './traces.js';
import { WATCHED_SECONDS, type ViewerSpec } from './viewer.js';

/** One playback to be made. */
export interface Trial {
  /** The same for the same trial, another for any other; good as a file name. */
  readonly id: string;
  readonly media: Media;
  readonly trace: Trace;
  readonly shift: number;
  /** Where in the trace the session begins. */
  readonly startSeconds: number;
  readonly crossTraffic: CrossTraffic;
  readonly path: PathSpec;
  /** Its paths, where it is a bundle. */
  readonly bundle?: readonly Route[];
  readonly server: ServerName;
  readonly control: ControlName;
  readonly buffer: number;
  readonly system: System;
  readonly repetition: number;
  /** Seed of losses and cross traffic; the same for all systems, so that they meet the same link. */
  readonly seed: number;
  /** What is measured of it besides SSIM: no part of its identifier. */
  readonly measures: TrialsConfig['measures'];
  /** Absent: on demand. */
  readonly live?: LiveSpec;
  /** Absent: the whole video is watched. */
  readonly viewer?: ViewerSpec;
}

/** A path of a bundle with its own trace. */
export interface Route extends Omit<BundledPath, 'trace'> {
  readonly trace: Trace;
  readonly startSeconds: number;
}

/** Length of a session in which nobody waits, from the player's start. */
export function playedSeconds({ live, viewer, media: { content } }: Pick<Trial, 'live' | 'viewer' | 'media'>): number {
  const whole = content.segments.length * content.segmentDuration;
  const watched = viewer && viewer.seeks > 0 ? WATCHED_SECONDS * (1 + viewer.seeks) : viewer?.seconds;
  return live?.seconds ?? watched ?? whole;
}

/** Where a session meets a link. */
type Place = Pick<Trial, 'trace' | 'path' | 'shift' | 'startSeconds' | 'bundle'>;

/**
 * All trials of a configuration. Systems are innermost: what is compared is measured one after the other, and links take turns, so that
 * what has been run when a matrix is interrupted is balanced. `traces`: those that the configuration names, in its order.
 */
export function planTrials(config: TrialsConfig, videos: readonly Media[], traces: readonly Trace[]): Trial[] {
  const rounds = roundsOf(linksOf(config, traces), config.seed);
  const { measures, live, viewer } = config;
  const trials: Trial[] = [];
  for (let repetition = 0; repetition < config.repetitions; repetition++)
    for (const round of rounds)
      for (const media of videos)
        for (const place of round)
          for (const server of config.servers)
            for (const control of config.controls)
              for (const crossTraffic of config.crossTraffic)
                for (const buffer of config.buffers) {
                  const seed = derivedSeed(config.seed, `${place.trace.name}/${place.shift}/${repetition}`);
                  const fixed = { server, control, crossTraffic, buffer, repetition };
                  const conditions = {
                    ...place,
                    seed,
                    media,
                    ...fixed,
                    ...(live && { live }),
                    ...(viewer && { viewer }),
                  };
                  for (const system of config.systems)
                    trials.push({ id: idOf({ ...conditions, system }), ...conditions, system, measures });
                }
  return trials;
}

interface Link extends Pick<LinkSpec, 'path' | 'shifts'> {
  readonly traces: readonly Trace[];
}

/** Without links of its own a configuration has one for each trace and path. */
function linksOf({ links, paths, shifts, traces: specs }: TrialsConfig, traces: readonly Trace[]): readonly Link[] {
  if (!links) return traces.flatMap((trace) => paths.map((path) => ({ traces: [trace], path, shifts })));
  if (traces.length !== specs.length) throw new UserError('links: every one of their traces must be a single one');
  const traceOf = (wanted: TraceSpec) => traces[specs.findIndex((spec) => isDeepStrictEqual(spec, wanted))]!;
  return links.map((link) => ({ ...link, traces: link.traces.map(traceOf) }));
}

/** The first place of every link, the second of every link, … */
function roundsOf(links: readonly Link[], seed: number): Place[][] {
  const places = links.map((link) => placesOf(link, seed));
  const most = Math.max(...places.map(({ length }) => length));
  return Array.from({ length: most }, (_, round) => places.flatMap((own) => own.slice(round, round + 1)));
}

/** Other traces before other starts in them. */
function placesOf({ traces, path, shifts }: Link, seed: number): Place[] {
  const others = path.bundle?.map(({ trace }) => trace && traceOf(trace, seed));
  const places = Array.from({ length: shifts }, (_, shift) =>
    traces.map((trace): Place => {
      const startIn = (other: Trace) => startOf(other, shift, shifts);
      const place = { trace, shift, startSeconds: startIn(trace), path };
      if (!path.bundle) return place;
      const bundle = path.bundle.map((one, index): Route => {
        const own = others![index] ?? trace;
        return { ...one, trace: own, startSeconds: startIn(own) };
      });
      return { ...place, bundle };
    }),
  ).flat();
  places.forEach(refuseTwoLosses);
  return places;
}

function refuseTwoLosses({ trace, path, bundle }: Place): void {
  const way = (bundle ?? [{ ...path, trace }]).find(
    ({ loss, trace: { conditions } }) => loss.percent > 0 && conditions,
  );
  if (way) throw new UserError(`paths: ${way.name} has losses, and so has the trace ${way.trace.name}`);
}

/** Readable, and with a digest of everything that the trial depends on but the programs. */
function idOf({ media, trace, system, bundle, ...rest }: Omit<Trial, 'id' | 'measures'>): string {
  const { shift, path, server, control, buffer, repetition, crossTraffic, live } = rest;
  const facts = {
    ...{ ...rest, media: media.digest, ...factsOf(trace), system },
    ...(bundle && { bundle: bundle.map(({ trace: own }) => factsOf(own)) }),
  };
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
  const traffic = crossTrafficLabel(crossTraffic);
  const link = [trace.name, `s${shift}`, path.name, traffic === 'none' ? [] : traffic];
  const held = live ? `${live.latency}s` : `b${buffer}`;
  const words = [media.name, link, server, control, held, system.name, `r${repetition}`];
  const name = words
    .flat(2)
    .join('_')
    .replaceAll(/[^\w.=-]+/g, '-');
  return `${name}_${digest}`;
}

function factsOf({ rates, step, conditions }: Trace): object {
  return { rates: [...rates], step, ...(conditions && { conditions }) };
}

/** An identifier of a trial without its digest: the same where its video was prepared anew. */
export function anyContent(id: string): string {
  return id.replace(/_[0-9a-f]{8}$/, '');
}
