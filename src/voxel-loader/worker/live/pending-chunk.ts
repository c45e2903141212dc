import { NO_COUNTS } from '../../../delivery/counts.js';
import { DispersionMeter } from '../../../delivery/dispersion.js';
import { comesInTime, reorderingWindow } from '../../../delivery/recovery.js';
import type { QueuedPiece } from '../../../delivery/piece-queue.js';
import { totalBytes, type ByteRange } from '../../../manifest/byte-range.js';
import type { IntervalSet } from '../../../manifest/interval-set.js';
import type { LiveChunk } from '../../../manifest/live-chunk.js';
import { estimateScore } from '../../../manifest/score-estimate.js';
import type { ChunkFacts, FollowRequest } from '../../types.js';
import type { FileVersion } from '../file-version.js';
import { RangeExchange } from '../range-exchange.js';
import { Recovery } from '../recovery.js';
import type { PlannedRequest } from '../request-plan.js';
import type { Session } from '../types.js';
import type { ChunkInAssembly } from './chunk-assembly.js';

/** Round trips from the server's last word on a chunk until what was lost of it is here: until it counts as lost, and until its repeat comes. */
const CHANCE_ROUND_TRIPS = 1.5;

/** Milliseconds: datagrams and repeats take as long to get through a page that is just starting, however short the way. */
const LEAST_CHANCE_MS = 50;

/** A chunk as it arrived, before its repair. */
export interface ReceivedChunk {
  readonly chunk: LiveChunk;
  /** The chunk in its full length; gaps are zero. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Positions from its first byte, as in `lost`. */
  readonly received: IntervalSet;
  readonly lost: readonly ByteRange[];
  readonly facts: ChunkFacts;
}

export interface PendingOptions {
  readonly session: Session;
  readonly request: FollowRequest;
  readonly file: FileVersion;
  readonly now: () => number;
  /** Milliseconds until it is due; undefined: nothing plays. */
  readonly timeLeft: () => number | undefined;
  /** Milliseconds. */
  readonly roundTrip: () => number;
  /** Something of it has come that was asked for again. */
  readonly onArrival: () => void;
}

/** A chunk that is not handed over yet: what is lost of it is asked for again, by ranges of the segment's file. */
export class PendingChunk implements QueuedPiece {
  readonly open: ChunkInAssembly;
  readonly meter = new DispersionMeter();
  readonly #options: PendingOptions;
  readonly #recovery: Recovery;
  readonly #exchanges: RangeExchange[] = [];
  #isOver = false;
  #sentAt = Infinity;
  /** When its record came. */
  readonly #slack: number | undefined;

  constructor(open: ChunkInAssembly, options: PendingOptions) {
    this.open = open;
    this.#options = options;
    const { timeLeft, roundTrip } = options;
    this.#slack = timeLeft();
    this.#recovery = new Recovery({
      assembly: open.assembly,
      inTime: (places) => (!this.#isOver && comesInTime(timeLeft(), 0, roundTrip()) ? places : []),
      send: (planned, onArrival, onFinished) => this.#send(planned, onArrival, onFinished),
    });
  }

  get startTime(): number {
    return this.open.chunk.startTime;
  }

  get isPlayable(): boolean {
    // A gap would be the end of a group: the server says whether there is one.
    const mayHaveGaps = !this.#options.request.isGroup || this.#sentAt < Infinity;
    return this.open.assembly.reliableComplete && mayHaveGaps;
  }

  get isComplete(): boolean {
    const { bytesReliable, bytesUnreliable, length } = this.open.assembly;
    return bytesReliable + bytesUnreliable === length;
  }

  get lastChance(): number {
    return this.#sentAt + Math.max(LEAST_CHANCE_MS, CHANCE_ROUND_TRIPS * this.#options.roundTrip());
  }

  /** The server will send no more of it. */
  close(): void {
    this.#sentAt = this.#options.now();
  }

  /** Asks again for what the server has sent of `[start, end)`, places of the response's concatenation, and is lost. */
  recover(start: number, end: number): void {
    if (this.#isOver) return;
    const { assembly, frames, bytesSent = Infinity } = this.open;
    const shift = assembly.reliableLength - frames.start;
    const to = Math.min(end + shift, assembly.reliableLength + bytesSent);
    const gaps = to > start + shift ? assembly.gaps(start + shift, to) : [];
    if (gaps.length > 0) this.#recovery.add(gaps);
  }

  /** Ends it: nothing is put into it any more. */
  handOver(link: Pick<ChunkFacts, 'roundTrip' | 'window'>): ReceivedChunk {
    this.stop();
    const { chunk, assembly, number } = this.open;
    const lost = assembly.missing(assembly.reliableLength, this.#sentTo());
    const received = assembly.received();
    const { startTime, duration, capturedAt, range } = chunk;
    const bytesLost = totalBytes(lost);
    const facts: ChunkFacts = {
      ...{ number, range, startTime, duration, capturedAt },
      wholeScore: chunk.steps.at(-1)!.score,
      reliableScore: chunk.steps[0]!.score,
      score: estimateScore(chunk, (part) => received.contains(part.start - range.start, part.end - range.start)),
      ...NO_COUNTS,
      bytesReliable: assembly.bytesReliable,
      bytesUnreliable: assembly.bytesUnreliable,
      bytesLost,
      bytesUnsent: assembly.length - assembly.bytesReliable - assembly.bytesUnreliable - bytesLost,
      bytesRepeated: this.#recovery.bytesRepeated,
      bytesRecovered: this.#recovery.bytesRecovered,
      dispersion: this.meter.dispersion,
      slack: this.#slack,
      ...link,
    };
    return { chunk, bytes: assembly.bytes, received, lost, facts };
  }

  /** Ends what was asked for again. */
  stop(): void {
    this.#isOver = true;
    for (const exchange of this.#exchanges) exchange.stop();
  }

  /** How far the delivery order was sent. Where the server has not said so yet, what lies beyond the furthest byte here counts as not sent. */
  #sentTo(): number {
    const { assembly, bytesSent } = this.open;
    if (bytesSent !== undefined) return assembly.reliableLength + bytesSent;
    const last = assembly.gaps(assembly.reliableLength, assembly.length).at(-1);
    return last?.end === assembly.length ? last.start : assembly.length;
  }

  #send(planned: PlannedRequest, onArrival: (bytes: number) => void, onFinished: () => void): void {
    const { session, request, file, now, roundTrip, onArrival: onNews } = this.#options;
    const exchange = new RangeExchange(planned, {
      session,
      request: {
        target: request.target,
        map: this.open.chunk,
        file,
        unreliableBytes: 0,
        delivery: 'streams',
        recovery: false,
        headers: request.headers,
        headerHosts: request.headerHosts,
      },
      deadline: undefined,
      parity: undefined,
      after: undefined,
      assembly: this.open.assembly,
      now,
      reorderingWindow: () => reorderingWindow(roundTrip(), true),
      onLost: () => {},
      onArrival: (bytes) => {
        onArrival(bytes);
        if (bytes > 0) onNews();
      },
    });
    this.#exchanges.push(exchange);
    void exchange.finished.then(onFinished);
  }
}
