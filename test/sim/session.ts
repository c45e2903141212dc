import {
  LOOKAHEAD,
  LossEstimator,
  ThroughputEstimator,
  waitForRoom,
  type DecisionState,
  type Option,
} from '../../src/abr-star/index.js';
import { bufferShown, decisionState, levelReached, linkState } from '../../src/delivery/index.js';
import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Content } from './content/content.js';
import { deliveredSegment, missingBytes, scoreOf, type DeliveredSegment } from './delivered-segment.js';
import { attempt, wholeBytes, type Attempt } from './download.js';
import { lostDatagrams } from './link/lost-datagrams.js';
import type { Random } from './random.js';
import { Playback } from './playback.js';
import { Retransmission, type ImprovableSegment } from './retransmission.js';
import type { Rule } from './rule.js';
import type { Transport } from './link/transport.js';

export interface SessionSetup {
  readonly content: Content;
  readonly rule: Rule;
  readonly transport: Transport;
  /** Segments that the buffer holds beside the one in flight (docs/ABR.md). */
  readonly bufferSegments: number;
  /** Says which of the datagrams that the transport loses. */
  readonly random: Random;
}

/** A segment as it was played. */
export interface PlayedSegment {
  readonly representation: number;
  readonly level: number;
  readonly score: number;
  /** Bytes that arrived. */
  readonly bytes: number;
  /** Bytes that were left out or lost. */
  readonly missing: number;
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
  readonly #link = { throughput: new ThroughputEstimator(), loss: new LossEstimator() };
  readonly #retransmission: Retransmission;
  readonly #played: PlayedSegment[] = [];
  #lastChoice: Option | undefined;

  constructor(setup: SessionSetup) {
    this.#setup = setup;
    this.#retransmission = new Retransmission({
      transport: setup.transport,
      bufferSegments: setup.bufferSegments,
      segmentDuration: setup.content.segmentDuration,
      playback: this.#playback,
      link: this.#link,
      onImproved: (segment) => this.#improve(segment),
    });
  }

  run(): SessionRecord {
    const { segments, segmentDuration } = this.#setup.content;
    segments.forEach((_, index) => this.#play(index));
    const { startup, stalled, stalls, time, bufferLevel } = this.#playback;
    this.#retransmission.pass(time + bufferLevel, true);
    return { segments: this.#played, segmentDuration, startup, stalled, stalls };
  }

  #play(segmentIndex: number): void {
    const { rule, content, transport } = this.#setup;
    const decided = this.#state(segmentIndex);
    const choice = rule.abr.choose(decided);
    const delivery = rule.deliveryOf(choice);
    this.#wait(decided, choice.delay);

    let option = choice.option;
    let state = decided;
    for (let restarts = 0; ; restarts++) {
      const segment = content.segments[segmentIndex]![option.representation]!;
      const outcome = attempt({
        abr: rule.abr,
        delivery,
        strategy: rule.strategy,
        transport,
        state,
        option,
        segment,
        playback: this.#playback,
        urgent: this.#retransmission,
      });
      const lost = lostDatagrams(outcome.bursts, this.#setup.random);
      this.#learn(option, outcome, lost);
      this.#lastChoice = option;
      if (outcome.ending.action !== 'restart') {
        this.#append(outcome, segment, lost, restarts);
        return;
      }
      option = outcome.ending.option;
      state = { ...state, ...linkState(this.#link) };
    }
  }

  #append(outcome: Attempt, segment: SegmentMap, lost: readonly ByteRange[], restarts: number): void {
    const { option, ending } = outcome;
    const sent = wholeBytes(outcome.sent);
    const delivered = deliveredSegment(segment, sent, lost);
    if (this.#setup.rule.strategy.retransmission) this.#retransmission.hold(this.#played.length, delivered);
    this.#playback.append(this.#setup.content.segmentDuration);
    const { score, bytes, missing } = deliveryOf(delivered);
    this.#played.push({
      representation: option.representation,
      level: levelReached(segment.steps, sent),
      score,
      bytes,
      missing,
      kept: ending.action === 'keep',
      restarts,
    });
  }

  /** As long as the rule wants, and at least until the segment fits into the buffer. */
  #wait(state: DecisionState, delay: number): void {
    this.#retransmission.pass(this.#playback.time + Math.max(delay, waitForRoom(state)), false);
  }

  #improve(segment: ImprovableSegment): void {
    this.#played[segment.index] = { ...this.#played[segment.index]!, ...deliveryOf(segment) };
  }

  #learn(option: Option, { sent, measured: { bytes, seconds } }: Attempt, lost: readonly ByteRange[]): void {
    const bytesLost = totalBytes(lost);
    const timeToFirstByte = Math.min(seconds, this.#setup.transport.latency);
    this.#link.throughput.add({ bytes, seconds, timeToFirstByte });
    const bytesUnsent = option.bytes - option.reliableBytes - sent;
    this.#link.loss.add({ bytesSent: sent, bytesLost, bytesUnsent });
  }

  #state(segmentIndex: number): DecisionState {
    const { ladder, options, segmentDuration } = this.#setup.content;
    const { bufferLevel } = this.#playback;
    const { hasGaps } = this.#link.loss;
    return decisionState({
      segmentIndex,
      segmentDuration,
      ladder,
      bufferLevel: bufferShown(this.#setup.rule.strategy, { bufferLevel, segmentDuration, hasGaps }),
      bufferSegments: this.#setup.bufferSegments,
      lastChoice: this.#lastChoice,
      upcoming: options.slice(segmentIndex, segmentIndex + LOOKAHEAD),
      link: this.#link,
    });
  }
}

function deliveryOf(delivered: DeliveredSegment): Pick<PlayedSegment, 'score' | 'bytes' | 'missing'> {
  return { score: scoreOf(delivered), bytes: delivered.received.size, missing: missingBytes(delivered) };
}
