import { EventQueue } from '../event-queue.js';
import type { CongestionControl } from './congestion-control.js';
import { CONTROLS, type ControlName, type ServerName } from './controls.js';
import type { Link } from './link.js';
import { PathLosses, type LossModel } from './path-losses.js';
import { overflowOf } from './queues/fluid.js';
import type { Random } from '../random.js';
import { sum } from '../report/statistics.js';
import type { Burst, Delivery, Progress, StreamGap, Transport } from './transport.js';

/** What a full packet takes on the link: 1350 bytes of QUIC, UDP and IP headers; and the share of it that is payload. */
const PACKET_BYTES = 1378;
export const PAYLOAD_SHARE = 1324 / PACKET_BYTES;

/** A round trip that is longer by so many seconds, or by that part of it, shows a queue (RFC 9406 §4.3). */
const LEAST_RISE = 0.004;
const RISE_DIVISOR = 8;

/** Packets that must come after a lost one before the server knows (RFC 9002 §6.1.1). */
const REORDERING_PACKETS = 3;

/** Seconds after which a repeat comes in any case: a record may lose all packets for a while. */
const LONGEST_REPEAT = 60;

/** Round trips until the server sends again what nothing followed: its probe timeout, of a smoothed round trip and four times its variation (RFC 9002 §6.2.1). */
const PROBE_TIMEOUT = 2;

/** Simulated bytes are fractions of rates: a request is complete when less than this is left of it. */
const ROUNDING_BYTES = 0.5;

export interface QuicPath extends LossModel {
  /** Round trip without queue, in seconds, besides the link's own. */
  readonly roundTrip: number;
  /** What the bottleneck's drop-tail queue holds, in packets. */
  readonly queuePackets: number;
  /** The server's congestion control. */
  readonly control: ControlName;
  /** Whose manners the server has, as measured: it paces, repeats are lost like others, and the last packets' repeats wait for a probe timeout. Undefined: a plain one. */
  readonly server?: ServerName;
}

/** One round trip of a download: what the link carries in it, evenly. */
interface Round {
  readonly start: number;
  readonly end: number;
  /** Bytes that the link carries in all of it, and whether they wait in its queue. */
  readonly carried: number;
  readonly isQueueing: boolean;
  /** Payload bytes per second that arrive, and that are lost. */
  readonly arriving: number;
  readonly losing: number;
  /** Seconds: when packets would have come that were lost. */
  readonly lossTimes: readonly number[];
}

const noRound = (time: number): Round => ({
  ...{ start: time, end: time, carried: 0, isQueueing: false },
  ...{ arriving: 0, losing: 0, lossTimes: [] },
});

/** Seconds. */
const ROUNDING_SECONDS = 1e-9;

/**
 * A QUIC server behind a bottleneck, in rounds of one round trip instead of packets. In a round the server adds
 * to the queue what its window allows; the link carries what its trace allows, the queue keeps what it can, and the rest is
 * lost. The server hears of that when what queued before it has passed, and grows its window until then: from slow start it
 * overshoots by about as much as link and queue hold. A round that a request ends cuts short: only a window that is used
 * grows, and a request that waits behind it at the server goes on with the rest of the round. What is lost on a stream is sent again, a round trip and the queue later;
 * lost datagrams are gone. Left out: losses on the way back.
 */
export class QuicTransport implements Transport {
  readonly #link: Link;
  readonly #path: QuicPath;
  readonly #losses: PathLosses;
  readonly #random: Random;
  readonly #control: CongestionControl;
  #time = 0;
  #latency: number;
  /** Payload bytes of the current request that have neither arrived nor been lost for good. */
  #left = 0;
  /** Bytes in the bottleneck's queue, and how many of those at its head belong to a cancelled download. */
  #queued = 0;
  #stale = 0;
  /** Bytes that were lost, until the server hears of it. */
  readonly #unheard = new EventQueue<number>();
  /** Seconds: until what was sent before the last reduction is acknowledged, the window stays (RFC 9002 §7.3.2). */
  #recoveryEnd = 0;
  /** Nothing is sent in answer to nothing: after a round in which the queue did not move the server waits for the link. */
  #isClocked = true;
  #round = noRound(0);
  #received = 0;

  constructor(link: Link, path: QuicPath, random: Random) {
    this.#link = link;
    this.#path = path;
    this.#latency = this.#roundTrip(0);
    this.#losses = new PathLosses(path, PACKET_BYTES, random);
    this.#random = random;
    this.#control = CONTROLS[path.control](PACKET_BYTES, path.server);
  }

  get latency(): number {
    return this.#latency;
  }

  get received(): number {
    return this.#received;
  }

  request(time: number, bytes: number, sentAt = time): void {
    this.#latency = this.#roundTrip(sentAt);
    const firstByte = Math.max(time, sentAt + this.#latency);
    const isComplete = this.#left <= ROUNDING_BYTES;
    this.#left = isComplete ? bytes : this.#left;
    if (isComplete && firstByte - this.#time <= ROUNDING_SECONDS) return;
    this.#endRound();
    this.#control.rest(firstByte - this.#time);
    // What the server sends until it hears of a cancellation fills the link till then; what queues stays ahead.
    this.#stale = isComplete ? 0 : this.#queued;
    this.#queued = this.#stale;
    this.#isClocked = true;
    this.#left = bytes;
    this.#time = firstByte;
    this.#round = noRound(firstByte);
  }

  askMore(bytes: number): void {
    this.#left += bytes;
  }

  receive(bytes: number, delivery: Delivery, until: number): Progress {
    let arrived = 0;
    let lost = 0;
    const gaps: StreamGap[] = [];
    const bursts: Burst[] = [];
    while (this.#time < until && arrived + lost < bytes) {
      if (this.#time >= this.#round.end) this.#round = this.#nextRound();
      const { end, arriving } = this.#round;
      const losing = delivery === 'datagrams' ? this.#round.losing : 0;
      const stretch = Math.min(until, end) - this.#time;
      const needed = (bytes - arrived - lost) / (arriving + losing);
      const passed = Math.min(stretch, needed);
      gaps.push(...this.#gapsOf(this.#time, this.#time + passed, { arrived, lost, delivery }));
      this.#time += passed;
      const start = arrived + lost;
      lost += passed * losing;
      arrived = needed <= stretch ? bytes - lost : arrived + passed * arriving;
      if (passed * losing > 0)
        bursts.push({
          start,
          end: arrived + lost,
          lost: passed * losing,
          run: this.#lossModel(this.#round.start).meanBurst ?? 1,
        });
      if (needed <= stretch) break;
    }
    this.#left -= arrived + lost;
    this.#received += arrived;
    const time = Math.min(this.#time, until);
    const usable = Math.max(time, ...gaps.map(({ filled }) => filled));
    return { time, usable, arrived, gaps: delivery === 'streams' ? gaps : [], lost, bursts };
  }

  /** Seconds, without queue. */
  #roundTrip(time: number): number {
    return this.#path.roundTrip + (2 * this.#link.conditionsAt(time).delayMs) / 1000;
  }

  #lossModel(time: number): LossModel {
    if (!this.#link.hasConditions) return this.#path;
    const { lossPercent, meanBurst } = this.#link.conditionsAt(time);
    return { loss: lossPercent / 100, ...(meanBurst !== undefined && { meanBurst }) };
  }

  /** Grows the window by what was carried of the round so far. */
  #endRound(): void {
    const { start, end, carried, isQueueing } = this.#round;
    const isCounted = !this.#control.restsInRecovery || end > this.#recoveryEnd;
    const share = end > start ? Math.min(1, (this.#time - start) / (end - start) + ROUNDING_SECONDS) : 0;
    if (isCounted && share > 0) this.#control.acknowledge(share * carried, end, isQueueing, share);
  }

  #nextRound(): Round {
    this.#endRound();
    const { queuePackets } = this.#path;
    const roundTrip = this.#roundTrip(this.#time);
    const end = this.#time + roundTrip;
    const inFlight = this.#queued + this.#hearOfLosses();
    const offered = this.#isClocked ? this.#control.offer(inFlight) : 0;
    this.#losses.changeTo(this.#lossModel(this.#time));
    const onTheWay = this.#losses.next(offered);
    const waiting = this.#queued + offered - onTheWay.bytes;
    const carried = Math.min(waiting, this.#link.bytesBetween(this.#time, end));
    const overflow = overflowOf(waiting - carried, queuePackets, PACKET_BYTES);
    this.#queued = Math.max(0, waiting - carried - overflow);
    const lost = onTheWay.bytes + overflow;
    // The rest of a packet that began in the round before is no news.
    if (overflow > 0 || onTheWay.starts.length > 0) this.#unheard.at(this.#link.timeToCarry(end, this.#queued), lost);
    this.#isClocked = carried > 0 || this.#queued === 0;
    const stale = Math.min(this.#stale, carried);
    this.#stale -= stale;
    const payloadPerSecond = PAYLOAD_SHARE / roundTrip;
    const lossTimes = onTheWay.starts.map((start) => this.#time + (roundTrip * start) / offered);
    // The queue is full at the end.
    if (overflow > 0) lossTimes.push(end);
    return {
      ...{ start: this.#time, end, carried, isQueueing: this.#isQueueing(end) },
      arriving: (carried - stale) * payloadPerSecond,
      losing: lost * payloadPerSecond,
      lossTimes,
    };
  }

  /** Takes in the losses that the server knows of by now, and returns the bytes of those that it does not. */
  #hearOfLosses(): number {
    let heard = 0;
    for (const [, bytes] of this.#unheard.due(this.#time)) heard += bytes;
    if (heard > 0 && this.#isHeeded(this.#time)) {
      this.#control.reduce(this.#time, heard);
      this.#recoveryEnd = this.#link.timeToCarry(this.#time + this.#roundTrip(this.#time), this.#queued);
    } else if (heard > 0) this.#control.overlook(heard);
    return sum(this.#unheard.events);
  }

  #isQueueing(time: number): boolean {
    if (this.#path.server === undefined) return false;
    const delay = this.#link.timeToCarry(time, this.#queued) - time;
    return delay > Math.max(LEAST_RISE, this.#roundTrip(time) / RISE_DIVISOR);
  }

  #isHeeded(time: number): boolean {
    return !this.#control.restsInRecovery || time >= this.#recoveryEnd;
  }

  /**
   * What a stream loses from `start` to `end`, after so many bytes, and when its repeats are here. Of datagrams the last ones alone: what ends
   * them is on a stream.
   */
  #gapsOf(
    start: number,
    end: number,
    { arrived, lost, delivery }: { readonly arrived: number; readonly lost: number; readonly delivery: Delivery },
  ): StreamGap[] {
    const { arriving, lossTimes } = this.#round;
    const isMeasured = this.#path.server !== undefined;
    return lossTimes
      .filter((time) => time >= start && time <= end)
      .map((time) => {
        const at = arrived + (time - start) * arriving;
        const isLast = isMeasured && this.#left - lost - at <= REORDERING_PACKETS * PACKET_BYTES;
        return { at, isLast, filled: this.#link.timeToCarry(time + this.#repeatAfter(time, isLast), this.#queued) };
      })
      .filter(({ isLast }) => isLast || delivery === 'streams')
      .map(({ at, filled }) => ({ at, filled }));
  }

  /** Seconds until a lost packet's repeat begins to come: repeats are lost like others at their time, and nothing follows the last ones. */
  #repeatAfter(time: number, isLast: boolean): number {
    const { server } = this.#path;
    const roundTrip = this.#roundTrip(time);
    if (server === undefined) return roundTrip;
    let seconds = isLast ? PROBE_TIMEOUT * roundTrip : roundTrip;
    for (let next = PROBE_TIMEOUT; seconds < LONGEST_REPEAT && this.#isLost(time + seconds); next *= 2)
      seconds += next * roundTrip;
    return seconds;
  }

  #isLost(time: number): boolean {
    const { loss } = this.#lossModel(time);
    return loss > 0 && this.#random.uniform() < loss;
  }
}
