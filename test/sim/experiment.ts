import { createAbr } from '../../src/abr-star/index.js';
import { constantBitrateContent } from './content-cbr.js';
import type { Content } from './content.js';
import { FlatTransport } from './flat-transport.js';
import { Link } from './link.js';
import { metricsOf, type Metrics } from './metrics.js';
import { playSession } from './session.js';
import { traceDuration, type Trace } from './trace.js';
import type { Transport } from './transport.js';

/** Every combination of trace × shift × rule × buffer over one content and transport. Plain data, for worker threads. */
export interface Experiment {
  readonly traces: readonly Trace[];
  /** Starting points in each trace, evenly over its duration (thesis §6.4.7). */
  readonly shifts: number;
  readonly rules: readonly string[];
  /** Segments. */
  readonly buffers: readonly number[];
  /** `synthetic`, `cbr` or the folder of a prepared video. */
  readonly content: string;
  readonly segments: number;
  readonly transport: TransportModel;
  readonly seed: number;
}

export type TransportModel = { readonly kind: 'flat'; readonly latency: number };

/** A piece of an experiment: all rules and buffers from one starting point in one trace. */
export interface Task {
  readonly trace: number;
  readonly shift: number;
}

/** One line of `sessions.jsonl`. */
export interface SessionResult extends Metrics {
  readonly trace: string;
  readonly shift: number;
  readonly abr: string;
  readonly buffer: number;
  /** Of each segment, as delivered. */
  readonly scores: readonly number[];
  /** Segments cut short by a review, and downloads thrown away for a lower one. */
  readonly kept: number;
  readonly restarts: number;
}

export function tasksOf({ traces, shifts }: Experiment): Task[] {
  return traces.flatMap((_, trace) => Array.from({ length: shifts }, (__, shift) => ({ trace, shift })));
}

/** Throws a `UserError` where the content cannot be had. */
export function contentOf({ segments }: Experiment): Content {
  return constantBitrateContent(segments);
}

/** Plays every session of a task. The same experiment gives the same results, in whatever order tasks run. */
export function runTask(experiment: Experiment, content: Content, task: Task): SessionResult[] {
  const trace = experiment.traces[task.trace]!;
  const link = new Link(trace, (task.shift * traceDuration(trace)) / experiment.shifts);
  return experiment.rules.flatMap((rule) =>
    experiment.buffers.map((buffer) => {
      const transport = transportOf(experiment.transport, link);
      const record = playSession({ content, abr: createAbr(rule), transport, bufferSegments: buffer });
      return {
        ...{ trace: trace.name, shift: task.shift, abr: rule, buffer },
        ...metricsOf(record),
        kept: record.segments.filter(({ kept }) => kept).length,
        restarts: record.segments.reduce((sum, { restarts }) => sum + restarts, 0),
        scores: record.segments.map(({ score }) => Number(score.toFixed(5))),
      };
    }),
  );
}

function transportOf(model: TransportModel, link: Link): Transport {
  return new FlatTransport(link, model.latency);
}
