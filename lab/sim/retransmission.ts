import {
  fullBuffer,
  look,
  LOOK_INTERVAL,
  pauseLength,
  planUrgent,
  type HeldSegment,
  type LinkEstimate,
  type Moment,
} from '../../src/delivery/index.js';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import { missingBytes, type DeliveredSegment } from './delivered-segment.js';
import type { Playback } from './playback.js';
import type { Transport } from './link/transport.js';

/** A segment that was delivered with gaps. */
export interface ImprovableSegment extends DeliveredSegment, HeldSegment {
  readonly index: number;
  round: HeldSegment['round'];
}

export interface RetransmissionSetup {
  readonly transport: Transport;
  readonly playback: Playback;
  readonly link: LinkEstimate;
  /** Segments that the buffer holds beside the one in flight. */
  readonly bufferSegments: number;
  /** Seconds. */
  readonly segmentDuration: number;
  /** More of that segment has arrived, in time to be played. */
  readonly onImproved: (segment: ImprovableSegment) => void;
}

/** The simulated buffer takes a better segment in any one's place. */
function isReplaceable(): boolean {
  return true;
}

/** One range that was asked for, and how far it has come: a position, in fractions of bytes. */
interface RangeUnderWay {
  readonly segment: ImprovableSegment;
  readonly range: ByteRange;
  at: number;
}

/**
 * Carries out the player's policy (`src/delivery/retransmission.ts`) in simulation. Ranges come one after the other, those
 * that cannot wait for a pause before the next segment's first byte: in the player they share the link with it.
 */
export class Retransmission {
  readonly #setup: RetransmissionSetup;
  #segments: ImprovableSegment[] = [];
  #underWay: RangeUnderWay[] = [];
  #nextLook = 0;

  constructor(setup: RetransmissionSetup) {
    this.#setup = setup;
  }

  /** A segment has been delivered, and is about to be appended, or is with the player in pieces. */
  hold(index: number, delivered: DeliveredSegment): void {
    if (missingBytes(delivered) === 0) return;
    const { playback, link, segmentDuration } = this.#setup;
    const { map, received } = delivered;
    const segment: ImprovableSegment = { map, received, index, startTime: index * segmentDuration, round: undefined };
    if (this.#segments.length === 0) this.#nextLook = playback.time + LOOK_INTERVAL;
    this.#segments.push(segment);
    const { throughput } = link.throughput;
    // Until it is shown: pieces of it may be in the buffer already.
    const bufferLevel = Math.max(0, segment.startTime - playback.position);
    this.#add(segment, planUrgent(segment, { throughput, bufferLevel }), 'urgent');
  }

  /** Bytes that are asked for and not here. */
  get bytesLeft(): number {
    return this.#underWay.reduce((sum, { range, at }) => sum + range.end - at, 0);
  }

  /** Waits for what is asked for, at the longest until `until`. Returns when the last of it was here. */
  receive(until: number): number {
    if (this.#underWay.length === 0) return -Infinity;
    look(this.#segments, this.#moment(undefined)).end.forEach((late) => this.#end(late));
    let time = -Infinity;
    while (this.#underWay.length > 0 && time < until) {
      const next = this.#underWay[0]!;
      const { segment, range } = next;
      const progress = this.#setup.transport.receive(range.end - next.at, 'streams', until);
      time = progress.time;
      // What ends early is complete: sums of fractions of bytes may miss that.
      const at = time < until ? range.end : Math.min(range.end, next.at + progress.arrived);
      const shift = segment.map.range.start;
      segment.received.add(Math.floor(next.at) - shift, Math.floor(at) - shift);
      next.at = at;
      if (at === range.end) this.#underWay.shift();
      if (!this.#underWay.some((other) => other.segment === segment)) this.#end(segment);
    }
    return time;
  }

  /** No segment is asked for until then; after the last one until all is played. Looks at what to fetch now and then. */
  pass(until: number, isLastRequested: boolean): void {
    const { playback, transport } = this.#setup;
    if (this.bytesLeft > 0 && until > playback.time) transport.request(playback.time, this.bytesLeft);
    while (playback.time < until && this.#segments.length > 0) {
      this.#nextLook += LOOK_INTERVAL * Math.max(0, Math.ceil((playback.time - this.#nextLook) / LOOK_INTERVAL));
      const next = Math.min(until, this.#nextLook);
      this.receive(next);
      playback.advanceTo(next);
      if (next === this.#nextLook) this.#look(until, isLastRequested);
      this.#nextLook = Math.max(this.#nextLook, next + LOOK_INTERVAL);
      // What is not worth a request now will be so even less as the pause grows shorter.
      if (this.#underWay.length === 0 && next < until) break;
    }
    playback.advanceTo(until);
    this.#segments.forEach((segment) => segment.round === 'in-pause' && this.#end(segment));
  }

  #look(until: number, isLastRequested: boolean): void {
    const { playback, transport, bufferSegments, segmentDuration } = this.#setup;
    const pause = pauseLength({
      bufferLevel: playback.bufferLevel,
      fullBuffer: fullBuffer(bufferSegments, segmentDuration),
      playback: { paused: false, playbackRate: 1 },
      ruleWaits: until - playback.time,
      isLastRequested,
    });
    const { end, drop, fetch } = look(this.#segments, this.#moment(pause));
    for (const segment of end) this.#end(segment);
    this.#segments = this.#segments.filter((segment) => !drop.includes(segment));
    for (const [segment, ranges] of fetch) this.#add(segment, ranges, 'in-pause');
    if (fetch.size > 0) transport.request(playback.time, this.bytesLeft);
  }

  #moment(pause: number | undefined): Moment<ImprovableSegment> {
    const { playback, transport, link } = this.#setup;
    return {
      playback: { currentTime: playback.position, playbackRate: 1 },
      pause,
      latency: transport.latency,
      throughput: link.throughput.throughput,
      isReplaceable,
    };
  }

  #add(segment: ImprovableSegment, ranges: readonly ByteRange[], round: HeldSegment['round']): void {
    if (ranges.length === 0) return;
    segment.round = round;
    for (const range of ranges) this.#underWay.push({ segment, range, at: range.start });
  }

  /** Uses what has come. */
  #end(segment: ImprovableSegment): void {
    segment.round = undefined;
    this.#underWay = this.#underWay.filter((other) => other.segment !== segment);
    this.#setup.onImproved(segment);
    if (missingBytes(segment) === 0) this.#segments = this.#segments.filter((other) => other !== segment);
  }
}
