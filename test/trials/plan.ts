import { createHash } from 'node:crypto';
import { derivedSeed } from '../sim/random.js';
import { traceDuration, type Trace } from '../sim/link/trace.js';
import type { TrialsConfig } from './config.js';
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
          for (const path of config.paths)
            for (const server of config.servers)
              for (const control of config.controls)
                for (const crossTraffic of config.crossTraffic)
                  for (const buffer of config.buffers) {
                    const startSeconds = (shift * traceDuration(trace)) / config.shifts;
                    const seed = derivedSeed(config.seed, `${trace.name}/${shift}/${repetition}`);
                    const link = { trace, shift, startSeconds, path, seed };
                    const conditions = { ...link, media, server, control, crossTraffic, buffer, repetition };
                    for (const system of config.systems)
                      trials.push({ id: idOf({ ...conditions, system }), ...conditions, system });
                  }
  return trials;
}

/** Readable, and with a digest of everything that the trial depends on but the programs. */
function idOf({ media, trace, system, ...rest }: Omit<Trial, 'id'>): string {
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
