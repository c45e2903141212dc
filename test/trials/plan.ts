import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../tools/setup/process.mjs';
import { derivedSeed } from '../sim/random.js';
import { traceDuration, type Trace } from '../sim/link/trace.js';
import type { LinkSpec, TraceSpec, TrialsConfig } from './config.js';
import { crossTrafficLabel, type CrossTraffic } from './cross-traffic.js';
import type { Media } from './media.js';
import type { PathSpec } from './path.js';
import type { ControlName, ServerName } from './serving.js';
import type { System } from './system.js';

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
  readonly server: ServerName;
  readonly control: ControlName;
  readonly buffer: number;
  readonly system: System;
  readonly repetition: number;
  /** Of losses and cross traffic; the same for all systems, so that they meet the same link. */
  readonly seed: number;
  /** What is measured of it besides SSIM: no part of its identifier. */
  readonly measures: TrialsConfig['measures'];
}

/** Where a session meets a link. */
type Place = Pick<Trial, 'trace' | 'path' | 'shift' | 'startSeconds'>;

/**
 * All trials of a configuration. Systems are innermost: what is compared is measured one after the other, and links take turns, so that
 * what has been run when a matrix is interrupted is balanced. `traces`: those that the configuration names, in its order.
 */
export function planTrials(config: TrialsConfig, videos: readonly Media[], traces: readonly Trace[]): Trial[] {
  const rounds = roundsOf(linksOf(config, traces));
  const { measures } = config;
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
                  const conditions = { ...place, seed, media, server, control, crossTraffic, buffer, repetition };
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
function roundsOf(links: readonly Link[]): Place[][] {
  const places = links.map(placesOf);
  const most = Math.max(...places.map(({ length }) => length));
  return Array.from({ length: most }, (_, round) => places.flatMap((own) => own.slice(round, round + 1)));
}

/** Other traces before other starts in them. */
function placesOf({ traces, path, shifts }: Link): Place[] {
  return Array.from({ length: shifts }, (_, shift) =>
    traces.map((trace) => ({ trace, shift, startSeconds: (shift * traceDuration(trace)) / shifts, path })),
  ).flat();
}

/** Readable, and with a digest of everything that the trial depends on but the programs. */
function idOf({ media, trace, system, ...rest }: Omit<Trial, 'id' | 'measures'>): string {
  const { shift, path, server, control, buffer, repetition, crossTraffic } = rest;
  const facts = { ...rest, media: media.digest, rates: [...trace.rates], step: trace.step, system };
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
  const traffic = crossTrafficLabel(crossTraffic);
  const link = [trace.name, `s${shift}`, path.name, traffic === 'none' ? [] : traffic];
  const words = [media.name, link, server, control, `b${buffer}`, system.name, `r${repetition}`];
  const name = words
    .flat(2)
    .join('_')
    .replaceAll(/[^\w.=-]+/g, '-');
  return `${name}_${digest}`;
}
