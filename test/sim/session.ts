import {
  LOOKAHEAD,
  LossEstimator,
  ThroughputEstimator,
  type DecisionState,
  type Option,
} from '../../src/abr-star/index.js';
import type { Content } from './content.js';
import { deliveredScore, levelSent } from './delivered-score.js';
import { attempt, type Attempt } from './download.js';
import { Playback } from './playback.js';
import type { Rule } from './rule.js';
import type { Transport } from './transport.js';

export interface SessionSetup {
  readonly content: Content;
  readonly rule: Rule;
  readonly transport: Transport;
  /** Segments that the buffer holds beside the one in flight (docs/ABR.md). */
  readonly bufferSegments: number;
}

/** A segment as it was played. */
export interface PlayedSegment {
  readonly representation: number;
  readonly level: number;
  readonly score: number;
  /** Bytes that arrived. */
  readonly bytes: number;
  /** Frames were left out or lost. */
  readonly partial: boolean;
  readonly kept: boolean;
  readonly restarts: number;
}

/** One playback from its first request to its last picture. Seconds. */
export interface SessionRecord {
  readonly segments: readonly PlayedSegment[];
  readonly segmentDuration: number;
  readonly startup: number;
  readonly stalled: number;
  readonly stalls: number;
}

/** Plays a stream once: the player's own rule decides, the transport delivers, one download at a time. */
export function playSession(setup: SessionSetup): SessionRecord {
  return new Session(setup).run();
}

class Session {
  readonly #setup: SessionSetup;
  readonly #playback = new Playback();
  readonly #throughput = new ThroughputEstimator();
  readonly #loss = new LossEstimator();
  readonly #capacity: number;
  #lastChoice: Option | undefined;

  constructor(setup: SessionSetup) {
    this.#setup = setup;
    this.#capacity = (setup.bufferSegments + 1) * setup.content.segmentDuration;
  }

  run(): SessionRecord {
    const { segments, segmentDuration } = this.#setup.content;
    const played = segments.map((_, index) => this.#play(index));
    const { startup, stalled, stalls } = this.#playback;
    return { segments: played, segmentDuration, startup, stalled, stalls };
  }

  #play(index: number): PlayedSegment {
    const { rule, content, transport } = this.#setup;
    const decided = this.#state(index);
    const choice = rule.abr.choose(decided);
    this.#wait(choice.delay);

    let option = choice.option;
    for (let restarts = 0; ; restarts++) {
      const segment = content.segments[index]![option.representation]!;
      const playback = this.#playback;
      const state = { ...decided, ...this.#link() };
      const outcome = attempt({ ...rule, transport, playback, state, option, segment });
      this.#learn(outcome);
      this.#lastChoice = option;
      if (outcome.ending.action !== 'restart') {
        this.#playback.append(content.segmentDuration);
        return { ...asPlayed(outcome, segment), restarts };
      }
      option = outcome.ending.option;
    }
  }

  /** As long as the rule wants, and at least until the segment fits into the buffer. */
  #wait(delay: number): void {
    const { bufferLevel, time } = this.#playback;
    const untilItFits = bufferLevel + this.#setup.content.segmentDuration - this.#capacity;
    this.#playback.advanceTo(time + Math.max(0, delay, untilItFits));
  }

  #learn({ reliable, unreliable, lost, seconds }: Attempt): void {
    const timeToFirstByte = Math.min(seconds, this.#setup.transport.latency);
    this.#throughput.add({ bytes: reliable + unreliable, seconds, timeToFirstByte });
    if (this.#setup.rule.delivery === 'datagrams') this.#loss.add({ bytesSent: unreliable + lost, bytesLost: lost });
  }

  #state(segmentIndex: number): DecisionState {
    const { ladder, options, segmentDuration } = this.#setup.content;
    return {
      ...{ segmentIndex, segmentDuration, ladder },
      bufferLevel: this.#playback.bufferLevel,
      bufferCapacity: this.#capacity,
      lastChoice: this.#lastChoice,
      options: options[segmentIndex]!,
      upcoming: options.slice(segmentIndex, segmentIndex + LOOKAHEAD),
      ...this.#link(),
    };
  }

  /** What the downloads so far say about the link. */
  #link(): Pick<DecisionState, 'throughput' | 'samples' | 'lossRate'> {
    const { throughput, samples } = this.#throughput;
    return { throughput, samples, lossRate: this.#loss.lossRate };
  }
}

function asPlayed(
  { ending, option, reliable, unreliable, lost }: Attempt,
  segment: Content['segments'][number][number],
): Omit<PlayedSegment, 'restarts'> {
  const sent = unreliable + lost;
  const level = ending.action === 'keep' ? levelSent(segment, sent) : option.level;
  return {
    representation: option.representation,
    level,
    score: deliveredScore(segment, { sent, lost }),
    bytes: reliable + unreliable,
    partial: level < segment.steps.length - 1 || lost > 0,
    kept: ending.action === 'keep',
  };
}
