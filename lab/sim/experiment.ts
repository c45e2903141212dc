import { constantBitrateContent } from './content/cbr.js';
import { preparedContent } from './content/prepared.js';
import { syntheticContent } from './content/synthetic.js';
import { withSegmentCount, type Content } from './content/content.js';
import { strategyOf } from '../strategies/strategies.js';
import { FlatTransport } from './link/flat-transport.js';
import { Link } from './link/link.js';
import { experienceOf, metricsOf, type Experience, type Metrics } from './metrics.js';
import { PAYLOAD_SHARE, QuicTransport, type QuicPath } from './link/quic-transport.js';
import { IDEAL_PLAYER, type PlayerModel } from './player-model.js';
import { derivedSeed, seededRandom } from './random.js';
import { isReference, referenceRule } from './reference-rules.js';
import { ruleOf, type Rule } from './rule.js';
import { playSession, type SessionRecord } from './session.js';
import { scaled, startOf, type Trace } from './link/trace.js';
import type { Transport } from './link/transport.js';

/** Every combination of trace × shift × rule × buffer over one content and transport. Plain data, for worker threads. */
export interface Experiment {
  readonly traces: readonly Trace[];
  /** Starting points in each trace, evenly over its duration (thesis §6.4.7). */
  readonly shifts: number;
  /** Names of rules, or of references (`reference-rules.ts`). */
  readonly rules: readonly string[];
  /** Segments. */
  readonly buffers: readonly number[];
  /** `synthetic`, `synthetic:SECONDS` of a segment, `cbr` or the folder of a prepared video. */
  readonly content: string;
  readonly segments: number;
  readonly transport: TransportModel;
  /** Default: an ideal one. */
  readonly player?: PlayerModel;
  readonly seed: number;
  /** Rules that are not the project's: the addresses of their modules, by their names in `rules`. Default: none. */
  readonly own?: Readonly<Record<string, string>>;
}

/** Makes a rule, fresh for each session, by its name. */
export type RuleByName = (name: string) => Rule;

export type TransportModel =
  { readonly kind: 'flat'; readonly latency: number } | ({ readonly kind: 'quic' } & QuicPath);

/** The thesis' testbed (§6.4.4, §6.4.5): 30 ms, and a queue of 1.25 times what that holds at 10 Mbit/s. */
export const PAPER_PATH = { kind: 'quic', roundTrip: 0.03, queuePackets: 32, loss: 0, control: 'cubic' } as const;

/** A piece of an experiment: all rules and buffers from one starting point in one trace. */
export interface Task {
  readonly trace: number;
  readonly shift: number;
}

/** One line of `sessions.jsonl`. */
export interface SessionResult extends Metrics, Experience {
  readonly trace: string;
  readonly shift: number;
  readonly abr: string;
  readonly buffer: number;
  /** Score of each segment, as delivered. */
  readonly scores: readonly number[];
  /** Segments cut short by a review, and downloads thrown away for a lower one. */
  readonly kept: number;
  readonly restarts: number;
  /** Share of what the link could carry, from the first segment's delivery to the last one's, that was left unused. */
  readonly linkIdle: number;
}

export function tasksOf({ traces, shifts }: Experiment): Task[] {
  return traces.flatMap((_, trace) => Array.from({ length: shifts }, (__, shift) => ({ trace, shift })));
}

/** Throws a `UserError` where the content cannot be had. */
export function contentOf({ content, segments, seed }: Experiment): Content {
  if (content === 'cbr') return constantBitrateContent(segments);
  const synthetic = /^synthetic(?::([\d.]+))?$/.exec(content);
  if (synthetic) return syntheticContent(segments, seed, synthetic[1] === undefined ? undefined : Number(synthetic[1]));
  return withSegmentCount(preparedContent(content), segments);
}

/**
 * Plays every session of a task. The same experiment gives the same results, in whatever order tasks run. `rule`: where the experiment has
 * rules of its own, what knows them, too.
 */
export function runTask(
  experiment: Experiment,
  content: Content,
  task: Task,
  rule: RuleByName = ruleOf,
): SessionResult[] {
  const trace = experiment.traces[task.trace]!;
  return experiment.rules.flatMap((abr) =>
    experiment.buffers.map((buffer) => ({
      ...{ trace: trace.name, shift: task.shift, abr, buffer },
      ...playedOn(experiment, content, task, { abr, buffer, rule }),
    })),
  );
}

/** What a session is played with. */
interface Played {
  readonly abr: string;
  readonly buffer: number;
  readonly rule: RuleByName;
}

function playedOn(
  experiment: Experiment,
  content: Content,
  task: Task,
  played: Played,
): ReturnType<typeof summaryOf> & Pick<SessionResult, 'linkIdle'> {
  const record = play(experiment, content, task, played);
  const { from, to, bytes } = record.busy;
  const trace = experiment.traces[task.trace]!;
  const possible =
    PAYLOAD_SHARE * new Link(trace, startOf(trace, task.shift, experiment.shifts)).bytesBetween(from, to);
  const linkIdle = possible > 0 ? Math.max(0, 1 - bytes / possible) : 0;
  return { ...summaryOf(record), linkIdle: Number(linkIdle.toFixed(4)) };
}

function play(
  { traces, shifts, transport: model, player = IDEAL_PLAYER, seed }: Experiment,
  content: Content,
  { trace: index, shift }: Task,
  { abr, buffer: bufferSegments, rule: ruleByName }: Played,
): SessionRecord {
  const trace = traces[index]!;
  const start = startOf(trace, shift, shifts);
  // Every rule meets the same random losses.
  const random = seededRandom(derivedSeed(seed, `${trace.name}/${shift}/datagrams`));
  if (isReference(abr)) {
    const [latency, share] = model.kind === 'flat' ? [model.latency, 1] : [model.roundTrip, PAYLOAD_SHARE];
    const link = new Link(scaled(trace, share), start);
    const rule: Rule = {
      abr: referenceRule(abr, { content, link, latency, bufferSegments }),
      deliveryOf: () => 'streams',
      strategy: strategyOf('clipstream'),
    };
    const transport = new FlatTransport(link, latency);
    return playSession({ content, rule, transport, bufferSegments, random });
  }
  const transport = transportOf(model, new Link(trace, start), derivedSeed(seed, `${trace.name}/${shift}`));
  return playSession({ content, rule: ruleByName(abr), transport, bufferSegments, random, player });
}

function transportOf(model: TransportModel, link: Link, seed: number): Transport {
  if (model.kind === 'flat') return new FlatTransport(link, model.latency);
  return new QuicTransport(link, model, seededRandom(seed));
}

function summaryOf(record: SessionRecord): Omit<SessionResult, 'trace' | 'shift' | 'abr' | 'buffer' | 'linkIdle'> {
  const { segments } = record;
  return {
    ...metricsOf(record),
    ...experienceOf(record),
    kept: segments.filter(({ kept }) => kept).length,
    restarts: segments.reduce((sum, { restarts }) => sum + restarts, 0),
    scores: segments.map(({ score }) => Number(score.toFixed(5))),
  };
}
