import { ThroughputEstimator, type Abr, type DecisionState, type Option } from '../../src/abr-star/index.js';
import type { Content } from './content.js';
import { deliveredScore, levelSent } from './delivered-score.js';
import { attempt, type Attempt } from './download.js';
import { Playback } from './playback.js';
import type { Transport } from './transport.js';

/** How far a rule may look ahead, in segments (`DecisionState.upcoming`). */
const LOOKAHEAD = 8;

/** Weight that the latest segment has in the loss rate that rules are told. */
const LOSS_WEIGHT = 0.2;

export interface SessionSetup {
  readonly content: Content;
  readonly abr: Abr;
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
  /** Bytes that were thrown away by restarts. */
  readonly wasted: number;
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
  readonly #estimator = new ThroughputEstimator();
  readonly #capacity: number;
  #lastChoice: Option | undefined;
  #lossRate: number | undefined;

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
    const { abr, content, transport } = this.#setup;
    const state = this.#state(index);
    const choice = abr.choose(state);
    this.#wait(choice.delay);

    const delivery = abr.transport ?? 'datagrams';
    let option = choice.option;
    let wasted = 0;
    for (let restarts = 0; ; restarts++) {
      const segment = content.segments[index]![option.representation]!;
      const throughput = this.#estimator.throughput;
      const outcome = attempt({
        ...{ abr, transport, delivery, option, segment },
        playback: this.#playback,
        state: { ...state, throughput },
      });
      this.#learn(outcome);
      this.#lastChoice = option;
      if (outcome.ending.action !== 'restart') {
        this.#playback.append(content.segmentDuration);
        return { ...asPlayed(outcome, segment), restarts, wasted };
      }
      wasted += outcome.reliable + outcome.unreliable;
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
    this.#estimator.add({ bytes: reliable + unreliable, seconds, timeToFirstByte });
    if (unreliable + lost === 0) return;
    const lossRate = lost / (unreliable + lost);
    this.#lossRate = this.#lossRate === undefined ? lossRate : lerp(this.#lossRate, lossRate, LOSS_WEIGHT);
  }

  #state(segmentIndex: number): DecisionState {
    const { ladder, options, segmentDuration } = this.#setup.content;
    return {
      ...{ segmentIndex, segmentDuration, ladder },
      bufferLevel: this.#playback.bufferLevel,
      bufferCapacity: this.#capacity,
      throughput: this.#estimator.throughput,
      samples: this.#estimator.samples,
      lastChoice: this.#lastChoice,
      options: options[segmentIndex]!,
      upcoming: options.slice(segmentIndex, segmentIndex + LOOKAHEAD),
      ...(this.#lossRate === undefined ? {} : { lossRate: this.#lossRate }),
    };
  }
}

function asPlayed(
  { ending, option, reliable, unreliable, lost }: Attempt,
  segment: Content['segments'][number][number],
): Omit<PlayedSegment, 'restarts' | 'wasted'> {
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

function lerp(from: number, to: number, weight: number): number {
  return from + weight * (to - from);
}
