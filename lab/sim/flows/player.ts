import { ThroughputEstimator, type Abr, type DecisionState, type Option } from '../../../src/abr-star/index.js';
import { createAbr } from '../../rivals/registry.js';
import { connectionsNeed } from '../../strategies/connections-need.js';
import { spreadOf, type ConnectionsRule } from '../../strategies/connections.js';
import { decisionState } from '../../../src/delivery/index.js';
import { blockOf, hasRoom, INITIAL_WINDOW, type PathLink } from '../../../src/delivery/schedule.js';
import { PAYLOAD_BYTES, type Bottleneck } from './bottleneck.js';
import { Sender, type SenderKind } from './sender.js';
import { SEGMENT_SECONDS, type Video } from './video.js';

/** Segments held beside the one in flight, and those whose sizes are known ahead: the paper's window. */
const BUFFER_SEGMENTS = 6;
const KNOWN_AHEAD = 10;

/** `dealt`: blocks to whoever is free; `equal`: N consecutive parts, as the paper has it. */
export type Shares = 'dealt' | 'equal';

export interface PlayerOptions {
  readonly video: Video;
  readonly flows: ConnectionsRule;
  readonly sender: SenderKind;
  readonly shares: Shares;
  /** Bucket of each connection, for FQ-CoDel. */
  readonly buckets: readonly number[];
}

/** One segment as it came. Seconds and bit/s. */
export interface PlayedSegment {
  readonly askedAt: number;
  readonly flows: number;
  readonly rate: number;
  readonly bitrate: number;
  readonly score: number;
  /** Score of the highest representation. */
  readonly topScore: number;
}

/** State of a segment that is being downloaded. */
interface Download {
  readonly state: DecisionState;
  readonly option: Option;
  readonly flows: number;
  readonly askedAt: number;
  /** Packets. */
  readonly packets: number;
  left: number;
  here: number;
  firstAt: number | undefined;
}

/** A connection, and what is asked for over it. */
interface Connection {
  readonly sender: Sender;
  queued: number;
  /** Bytes per second in the last segment. */
  rate: number | undefined;
  brought: number;
}

/** A player over N connections to one server: the throughput rule, and a rule for N. */
export class FlowsPlayer {
  readonly played: PlayedSegment[] = [];
  stalled = 0;
  readonly #link: Bottleneck;
  readonly #options: PlayerOptions;
  readonly #abr: Abr = createAbr('tput', {});
  readonly #throughput = new ThroughputEstimator();
  readonly #connections: Connection[];
  #download: Download | undefined;
  /** When the buffer runs out; undefined: nothing plays yet. */
  #bufferedUntil: number | undefined;
  #lastChoice: Option | undefined;

  constructor(link: Bottleneck, options: PlayerOptions) {
    this.#link = link;
    this.#options = options;
    this.#connections = options.buckets.map((bucket, index) => {
      const onDelivered = (_bytes: number, now: number): void => this.#arrived(index, now);
      return {
        sender: new Sender(link, { kind: options.sender, bucket, onDelivered }),
        queued: 0,
        rate: undefined,
        brought: 0,
      };
    });
  }

  start(at: number): void {
    this.#link.at(at, () => this.#choose());
  }

  #choose(): void {
    const { video, flows } = this.#options;
    const segmentIndex = this.played.length;
    const upcoming = video.segments.slice(segmentIndex, segmentIndex + KNOWN_AHEAD);
    if (upcoming.length === 0) return;
    const state = decisionState({
      segmentIndex,
      segmentDuration: SEGMENT_SECONDS,
      bufferLevel: Math.max(0, (this.#bufferedUntil ?? 0) - this.#link.now),
      bufferSegments: BUFFER_SEGMENTS,
      upcoming,
      lastChoice: this.#lastChoice,
      ladder: video.ladder,
      link: { throughput: this.#throughput, loss: { lossRate: undefined, hasGaps: false } },
    });
    const { option, delay } = this.#abr.choose(state);
    this.#lastChoice = option;
    this.#link.at(this.#link.now + delay, () => this.#ask(state, option, flows.choose(connectionsNeed(state, option))));
  }

  #ask(state: DecisionState, option: Option, flows: number): void {
    const packets = Math.ceil(option.bytes / PAYLOAD_BYTES);
    this.#download = {
      state,
      option,
      flows,
      askedAt: this.#link.now,
      packets,
      left: packets,
      here: 0,
      firstAt: undefined,
    };
    this.#deal();
  }

  #deal(): void {
    const download = this.#download!;
    const own = this.#connections.slice(0, download.flows);
    while (download.left > 0) {
      const free = own.filter((connection) => this.#isFree(connection));
      if (free.length === 0) return;
      const connection = free.reduce((best, one) => (one.queued < best.queued ? one : best));
      const block =
        this.#options.shares === 'equal'
          ? Math.ceil(download.packets / download.flows)
          : Math.ceil(blockOf(linkOf(connection)) / PAYLOAD_BYTES);
      const packets = Math.min(download.left, block);
      download.left -= packets;
      connection.queued += packets;
      this.#link.at(this.#link.now + this.#link.requestTime, () => connection.sender.add(packets));
    }
  }

  #isFree(connection: Connection): boolean {
    return this.#options.shares === 'equal' ? connection.queued === 0 : hasRoom(linkOf(connection));
  }

  #arrived(index: number, now: number): void {
    const download = this.#download;
    const connection = this.#connections[index]!;
    connection.queued--;
    connection.brought++;
    if (!download) return;
    download.firstAt ??= now;
    download.here++;
    if (download.here < download.packets) this.#deal();
    else this.#finish(download, now);
  }

  #finish({ option, flows, askedAt, firstAt }: Download, now: number): void {
    const seconds = now - askedAt;
    const rate = (option.bytes * 8) / seconds;
    this.#download = undefined;
    const own = this.#connections.slice(0, flows);
    const spread = spreadOf(own.map(({ brought }) => brought * PAYLOAD_BYTES));
    for (const connection of own) {
      connection.rate = (connection.brought * PAYLOAD_BYTES) / seconds;
      connection.brought = 0;
    }
    this.#throughput.add({ bytes: option.bytes, seconds, timeToFirstByte: firstAt! - askedAt });
    this.#options.flows.add({ segment: this.played.length, connections: flows, rate, spread });
    const { bitrate } = this.#options.video.ladder[option.representation]!;
    this.played.push({
      askedAt,
      flows,
      rate,
      bitrate,
      score: option.score,
      topScore: this.#options.video.ladder.at(-1)!.averageScore,
    });
    const left = (this.#bufferedUntil ?? now) - now;
    this.stalled += Math.max(0, -left);
    this.#bufferedUntil = Math.max(now, this.#bufferedUntil ?? 0) + SEGMENT_SECONDS;
    this.#choose();
  }
}

/** A connection as the schedules of the player see it. */
function linkOf({ sender, queued, rate }: Connection): PathLink {
  return {
    id: 0,
    lossRate: 0,
    setup: 0,
    silence: 0,
    cost: 0,
    rate: rate ?? 0,
    roundTrip: sender.roundTrip,
    queued: queued * PAYLOAD_BYTES,
    window: rate === undefined ? INITIAL_WINDOW : Infinity,
  };
}
