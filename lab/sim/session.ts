import {
  LOOKAHEAD,
  LossEstimator,
  ThroughputEstimator,
  waitForRoom,
  type Choice,
  type DecisionState,
  type Option,
} from '../../src/abr-star/index.js';
import {
  bufferAhead,
  type LinkEstimate,
  deadlineOf,
  firstRateOver,
  isWaitedFor,
  fullBuffer,
  PathEstimate,
  pipelineThreshold,
  type PipelineMoment,
  type PipelineThreshold,
  decisionState,
  levelReached,
  linkState,
} from '../../src/delivery/index.js';
import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Content } from './content/content.js';
import { deliveredSegment, missingBytes, scoreOf, type DeliveredSegment } from './delivered-segment.js';
import { attempt, wholeBytes, type Attempt, type Progress } from './download.js';
import { HandOver } from './hand-over.js';
import { segmentPictures, type SegmentPictures } from './pictures.js';
import { cutSegment, pieceCount, type CutSegment } from './pieces.js';
import { lostDatagrams } from './link/lost-datagrams.js';
import { lostInSpiteOf, parityBytes, rangeLengths, type BodyParity } from './parity.js';
import type { Random } from './random.js';
import { Playback } from './playback.js';
import { IDEAL_PLAYER, type PlayerModel } from './player-model.js';
import { Retransmission, type ImprovableSegment } from './retransmission.js';
import { ruleUnder, shownUnder } from '../strategies/rule-under.js';
import type { Rule } from './rule.js';
import type { Delivery, Transport } from './link/transport.js';

export interface SessionSetup {
  readonly content: Content;
  readonly rule: Rule;
  readonly transport: Transport;
  /** Segments that the buffer holds beside the one in flight (docs/ABR.md). */
  readonly bufferSegments: number;
  /** Says which of the datagrams that the transport loses. */
  readonly random: Random;
  /** Default: an ideal one. */
  readonly player?: PlayerModel;
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

/** The same of a simulated session. */
export interface SimulatedSegment extends PlayedSegment, SegmentPictures {}

/** One playback from its first request to its last picture. Seconds. */
export interface SessionRecord {
  readonly segments: readonly SimulatedSegment[];
  readonly segmentDuration: number;
  readonly ladder: Content['ladder'];
  readonly startup: number;
  readonly stalled: number;
  readonly stalls: number;
  readonly longestStall: number;
  /** From when the first segment is here until the last one is: seconds on the clock, and bytes that came of the link. */
  readonly busy: { readonly from: number; readonly to: number; readonly bytes: number };
}

/** How a segment came to the player. */
interface Delivered {
  readonly restarts: number;
  readonly cut: CutSegment | undefined;
  readonly handOver: HandOver | undefined;
}

/** What was chosen ahead, and when it was asked for: undefined where the rule wants to wait. */
interface EarlyRequest {
  readonly state: DecisionState;
  readonly choice: Choice;
  readonly sentAt: number | undefined;
}

/** Plays a stream once: the player's own rule decides, the transport delivers, one download at a time. */
export function playSession(setup: SessionSetup): SessionRecord {
  const { rule } = setup;
  return new Session({ ...setup, rule: { ...rule, abr: ruleUnder(rule.strategy, rule.abr) } }).run();
}

class Session {
  readonly #setup: SessionSetup;
  readonly #playback = new Playback();
  readonly #player: PlayerModel;
  readonly #link = { throughput: new ThroughputEstimator(), loss: new LossEstimator() };
  readonly #path = new PathEstimate();
  readonly #retransmission: Retransmission;
  readonly #played: SimulatedSegment[] = [];
  readonly #threshold: PipelineThreshold | undefined;
  #lastChoice: Option | undefined;
  /** Request for the next segment, chosen while the one before was on its way. */
  #early: EarlyRequest | undefined;
  /** When the first segment was here, and what had come by then. */
  #first = { time: 0, bytes: 0 };

  constructor(setup: SessionSetup) {
    this.#setup = setup;
    this.#player = setup.player ?? IDEAL_PLAYER;
    this.#threshold = pipelineThreshold(setup.rule.strategy, setup.transport.latency);
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
    const { content, transport } = this.#setup;
    const { segments, segmentDuration, ladder } = content;
    this.#playback.advanceTo(this.#player.start);
    segments.forEach((_, index) => {
      this.#play(index);
      if (index === 0) this.#first = { time: this.#playback.time, bytes: transport.received };
    });
    const { startup, stalled, stalls, longestStall, time, bufferLevel } = this.#playback;
    const busy = { from: this.#first.time, to: time, bytes: transport.received - this.#first.bytes };
    this.#retransmission.pass(time + bufferLevel, true);
    return { segments: this.#played, segmentDuration, ladder, startup, stalled, stalls, longestStall, busy };
  }

  #play(segmentIndex: number): void {
    const { rule, content, transport } = this.#setup;
    const early = this.#early;
    this.#early = undefined;
    if (segmentIndex > 0 && early?.sentAt === undefined)
      this.#retransmission.pass(this.#playback.time + this.#player.between, false);
    const decided = early?.state ?? this.#state(segmentIndex, this.#playback.bufferLevel);
    const choice = early?.choice ?? rule.abr.choose(segmentIndex === 0 ? this.#begun(decided) : decided);
    const delivery = rule.deliveryOf(choice);
    let sentAt = early?.sentAt;
    if (sentAt === undefined) this.#wait(shownUnder(rule.strategy, decided), choice.delay);

    let option = choice.option;
    let state = decided;
    for (let restarts = 0; ; restarts++) {
      const segment = content.segments[segmentIndex]![option.representation]!;
      this.#lastChoice = option;
      const cut = rule.inPieces ? this.#cut(option, segment) : undefined;
      const handOver = cut && new HandOver(cut, content.segmentDuration, this.#playback);
      handOver?.watch(this.#secondsFor(option));
      const parity = this.#parityOf(option, segment, delivery);
      const outcome = attempt({
        abr: rule.abr,
        delivery,
        strategy: rule.strategy,
        transport,
        state,
        option,
        segment,
        playback: this.#playback,
        handOver,
        rateWith: (sample) => this.#link.throughput.with(sample).throughput,
        urgent: this.#retransmission,
        parityBytes: parityBytes(parity),
        sentAt,
        lookAhead: (progress) => this.#lookAhead(segmentIndex + 1, progress),
      });
      const lost = this.#lostOf(outcome, parity);
      this.#learn(option, outcome, lost);
      if (outcome.ending.action !== 'restart') {
        this.#append(outcome, segment, lost, { restarts, cut, handOver });
        return;
      }
      this.#early = sentAt = undefined;
      option = outcome.ending.option;
      state = { ...state, ...linkState(this.#link) };
    }
  }

  /** The pieces in which it is handed over where it is waited for, and the order of its bytes then. */
  #cut(option: Option, segment: SegmentMap): CutSegment {
    const { bufferLevel, isWaiting } = this.#playback;
    const isByTime = isWaitedFor({ buffer: isWaiting ? undefined : bufferLevel, seconds: this.#secondsFor(option) });
    const count = pieceCount(this.#setup.content.segmentDuration);
    return cutSegment(segment, option.bytes - option.reliableBytes, count, isByTime);
  }

  /** Seconds that a download is expected to take. */
  #secondsFor({ bytes }: Option): number {
    return (8 * bytes) / (this.#link.throughput.throughput ?? 0);
  }

  /** What is asked for besides an option. */
  #parityOf(option: Option, segment: SegmentMap, delivery: Delivery): BodyParity | undefined {
    const { rule, transport } = this.#setup;
    const bytesUnreliable = option.bytes - option.reliableBytes;
    if (delivery === 'streams' || bytesUnreliable === 0) return undefined;
    const parity = rule.strategy.protection({
      bytesReliable: option.reliableBytes,
      bytesUnreliable,
      deadline: rule.strategy.deadlines ? deadlineOf(this.#playback.bufferLevel, 1) : undefined,
      throughput: this.#link.throughput.throughput,
      roundTrip: 1000 * transport.latency,
      lossRate: this.#path.lossRate,
    });
    return parity && { parity, rangeLengths: rangeLengths(segment, bytesUnreliable) };
  }

  #lostOf({ bursts, sent, lostOnTheWay }: Attempt, parity: BodyParity | undefined): readonly ByteRange[] {
    const { random } = this.#setup;
    const lost = lostDatagrams(bursts, random);
    return parity ? lostInSpiteOf(lost, { ...parity, sent, lossRate: lostOnTheWay / Math.max(1, sent) }, random) : lost;
  }

  #append(
    outcome: Attempt,
    segment: SegmentMap,
    lost: readonly ByteRange[],
    { restarts, cut, handOver }: Delivered,
  ): void {
    const { option, ending } = outcome;
    const { segmentDuration } = this.#setup.content;
    const sent = wholeBytes(outcome.sent);
    const late = handOver?.late ?? [];
    const gaps = late.length === 0 ? lost : [...lost, ...late].sort((a, b) => a.start - b.start);
    const delivered = deliveredSegment(segment, sent, gaps, cut?.order);
    const { handedOver = 0 } = handOver ?? {};
    // What is on the screen stays as it is.
    const isImprovable = handedOver === 0 || this.#playback.position <= this.#played.length * segmentDuration;
    if (this.#setup.rule.strategy.retransmission && isImprovable)
      this.#retransmission.hold(this.#played.length, delivered);
    if (!handOver?.isOver) this.#playback.append(segmentDuration - handedOver);
    this.#played.push({
      representation: option.representation,
      level: levelReached(segment.steps, sent),
      ...deliveryOf(delivered, segmentDuration),
      kept: ending.action === 'keep',
      restarts,
    });
  }

  /** Waits as long as the rule wants, and at least until the segment fits into the buffer. */
  #wait(state: DecisionState, delay: number): void {
    this.#retransmission.pass(this.#playback.time + Math.max(delay, waitForRoom(state)), false);
  }

  /** The very first choice: where the player does not know sizes yet, among the levels of one representation. */
  #begun(state: DecisionState): DecisionState {
    const { rule, transport } = this.#setup;
    if (!this.#player.beginsUnsized || rule.isPlayers) return state;
    // Nor what the link carried of the manifest.
    const shown = { roundTrip: transport.latency, rate: Infinity };
    const rate = firstRateOver(rule.abr.firstRate, shown, { ...state, inPieces: rule.inPieces ?? false });
    const first = Math.max(
      0,
      state.ladder.findLastIndex(({ bitrate }) => bitrate <= rate),
    );
    return { ...state, options: state.options.filter(({ representation }) => representation === first) };
  }

  #improve(segment: ImprovableSegment): void {
    const { segmentDuration } = this.#setup.content;
    this.#played[segment.index] = { ...this.#played[segment.index]!, ...deliveryOf(segment, segmentDuration) };
  }

  #learn(option: Option, { sent, lostOnTheWay, measured }: Attempt, lost: readonly ByteRange[]): void {
    const bytesLost = totalBytes(lost);
    this.#link.throughput.add(measured);
    const bytesUnsent = option.bytes - option.reliableBytes - sent;
    this.#link.loss.add({ bytesSent: sent, bytesLost, bytesUnsent });
    const bytesRecovered = Math.max(0, lostOnTheWay - bytesLost);
    this.#path.add({ bytesUnreliable: sent - bytesLost, bytesLost, bytesRecovered, bytesDecoded: 0 });
  }

  /** Asks for that segment, if it is time: as the player's pipeline does. */
  #lookAhead(segmentIndex: number, progress: Progress): void {
    const { rule, content, bufferSegments } = this.#setup;
    const threshold = this.#threshold;
    if (this.#early || !threshold || segmentIndex >= content.segments.length) return;
    const { segmentDuration } = content;
    const { time, bufferLevel } = this.#playback;
    const { bytesReceived: bytes, bytesRequested, elapsed: seconds, handedOver } = progress;
    // Thousands of times a session: named fields, as copies of objects would cost more than everything else.
    const moment: PipelineMoment = {
      bytesReceived: bytes,
      bytesRequested,
      elapsed: seconds,
      segmentDuration,
      handedOver,
      bufferLevel,
      fullBuffer: fullBuffer(bufferSegments, segmentDuration),
      playbackRate: 1,
    };
    const ahead = bufferAhead(moment, threshold);
    if (ahead === undefined) return;
    const link = { ...this.#link, throughput: this.#link.throughput.with({ bytes, seconds }) };
    const state = this.#state(segmentIndex, ahead, link);
    const choice = rule.abr.choose(state);
    this.#early = { state, choice, sentAt: choice.delay > 0 ? undefined : time };
  }

  #state(segmentIndex: number, bufferLevel: number, link: LinkEstimate = this.#link): DecisionState {
    const { ladder, options, segmentDuration } = this.#setup.content;
    return decisionState({
      segmentIndex,
      segmentDuration,
      ladder,
      bufferLevel,
      bufferSegments: this.#setup.bufferSegments,
      lastChoice: this.#lastChoice,
      pieceSeconds: this.#setup.rule.inPieces ? segmentDuration / pieceCount(segmentDuration) : undefined,
      upcoming: options.slice(segmentIndex, segmentIndex + LOOKAHEAD),
      link,
    });
  }
}

function deliveryOf(
  delivered: DeliveredSegment,
  seconds: number,
): Pick<PlayedSegment, 'score' | 'bytes' | 'missing'> & SegmentPictures {
  return {
    score: scoreOf(delivered),
    bytes: delivered.received.size,
    missing: missingBytes(delivered),
    ...segmentPictures(delivered, seconds),
  };
}
