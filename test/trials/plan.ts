import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { derivedSeed } from '../sim/random.js';
import { readTraces } from '../sim/trace-source.js';
import { offsetToMean, traceDuration, type Trace } from '../sim/trace.js';
import type { PathSpec, TraceSpec, TrialsConfig } from './config.js';
import { crossTrafficLabel, type CrossTraffic } from './cross-traffic.js';
import type { Media } from './media.js';
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
  readonly buffer: number;
  readonly system: System;
  readonly repetition: number;
  /** Of losses and cross traffic; the same for all systems, so that they meet the same link. */
  readonly seed: number;
}

/** Reads a configuration's traces. Throws a `UserError`. */
export function tracesOf({ traces, seed }: TrialsConfig): Trace[] {
  const all = traces.flatMap((spec) => selected(spec, readTraces(sourceOf(spec), seed)));
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  if (twice) throw new UserError(`traces: '${twice.name}' is there twice`);
  return all;
}

/**
 * All trials of a configuration. Systems are innermost: what is compared is measured one after the other, and what has
 * been run when a matrix is interrupted is balanced.
 */
export function planTrials(config: TrialsConfig, videos: readonly Media[], traces: readonly Trace[]): Trial[] {
  const trials: Trial[] = [];
  for (let repetition = 0; repetition < config.repetitions; repetition++)
    for (let shift = 0; shift < config.shifts; shift++)
      for (const media of videos)
        for (const trace of traces)
          for (const crossTraffic of config.crossTraffic)
            for (const buffer of config.buffers)
              for (const system of config.systems) {
                const startSeconds = (shift * traceDuration(trace)) / config.shifts;
                const { path } = config;
                const seed = derivedSeed(config.seed, `${trace.name}/${shift}/${repetition}`);
                const conditions = { media, trace, shift, startSeconds, crossTraffic, path, buffer, repetition, seed };
                trials.push({ id: idOf({ ...conditions, system }), ...conditions, system });
              }
  return trials;
}

function sourceOf({ source, otherwise }: TraceSpec): string {
  const isFile = /[/\\]/.test(source);
  if (!isFile || existsSync(source) || otherwise === undefined) return source;
  say(`${source} is absent: taking ${otherwise} instead`);
  return otherwise;
}

/** `only` counts for whatever source there is, so it also picks among the traces that stand in for an absent file. */
function selected({ source, only, meanMbps }: TraceSpec, traces: readonly Trace[]): Trace[] {
  const chosen = only ? traces.filter(({ name }) => only.includes(name)) : traces;
  if (chosen.length === 0) throw new UserError(`${source}: none of its traces is called ${only!.join(' or ')}`);
  return chosen.map((trace) => (meanMbps === undefined ? trace : offsetToMean(trace, meanMbps * 1e6)));
}

/** Readable, and with a digest of everything that the trial depends on but the programs. */
function idOf({ media, trace, system, ...rest }: Omit<Trial, 'id'>): string {
  const { shift, buffer, repetition, crossTraffic } = rest;
  const facts = { ...rest, media: media.digest, rates: [...trace.rates], step: trace.step, system };
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
  const traffic = crossTrafficLabel(crossTraffic);
  const words = [media.name, trace.name, `s${shift}`, traffic === 'none' ? [] : traffic, `b${buffer}`, system.name];
  const name = [...words.flat(), `r${repetition}`].join('_').replaceAll(/[^\w.=-]+/g, '-');
  return `${name}_${digest}`;
}
