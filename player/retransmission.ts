import type { ThroughputEstimator } from '../src/abr-star/index.js';
import { look, LOOK_INTERVAL, pauseLength, planUrgent, type HeldSegment } from '../src/delivery/index.js';
import { totalBytes, type ByteRange } from '../src/manifest/byte-range.js';
import type { IntervalSet } from '../src/manifest/interval-set.js';
import { downloadRanges, type DeliveredSegment, type SegmentDownload } from '../src/voxel-loader/index.js';
import type { BufferedSegment, BufferedVideo } from './dash/buffered-video.js';
import { describeError } from './errors.js';
import type { Journal } from './journal.js';
import type { Repairers } from './repairers.js';
import { createSegmentRecord, type SegmentOutcome } from './segment-record.js';
import type { SessionManager } from './session-manager.js';
import type { PlayerSettings } from './dash/settings.js';
import type { SegmentRecord } from './types.js';

/** A segment as dash.js has it. */
export interface DeliveredToBuffer {
  readonly place: BufferedSegment;
  /** Of the representation, for the repairer. */
  readonly key: string;
  /** Path and query of its file on the server. */
  readonly target: string;
  /** The segment as it came, with its holes. */
  readonly bytes: Uint8Array;
  readonly delivery: SegmentOutcome & { readonly received: IntervalSet };
  readonly record: SegmentRecord;
}

interface ImprovableSegment extends DeliveredToBuffer, HeldSegment {
  round: HeldSegment['round'];
  bytesRefetched: number;
  record: SegmentRecord;
  download: SegmentDownload | undefined;
  /** Better than what dash.js has. */
  isBetter: boolean;
}

export interface RetransmissionContext {
  readonly sessions: Pick<SessionManager, 'session'>;
  readonly repairers: Pick<Repairers, 'repair'>;
  readonly journal: Pick<Journal, 'improved' | 'notImproved'>;
  readonly throughput: Pick<ThroughputEstimator, 'throughput'>;
  readonly settings: Pick<PlayerSettings, 'secondsHeld'>;
  readonly video: Pick<BufferedVideo, 'element' | 'isLastRequested' | 'holds' | 'replace'>;
  /** Seconds of video. */
  readonly bufferLevel: () => number;
}

/**
 * Carries out what `src/delivery/retransmission.ts` plans: fetches what is missing of segments that are not yet played, and
 * puts the better segment into the buffer.
 */
export class Retransmission {
  readonly #context: RetransmissionContext;
  #segments: ImprovableSegment[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #isSuspended = false;
  /** When the next segment will be asked for, as far as the rule has said; on the clock of `performance.now()`. */
  #nextRequestAt = 0;
  /** Seconds. */
  #latency = 0;

  constructor(context: RetransmissionContext) {
    this.#context = context;
  }

  /** dash.js asks for the segment that starts there: the link is for that one. */
  suspend(startTime: number): void {
    this.#isSuspended = true;
    this.#drop((segment) => segment.startTime === startTime);
    for (const { download, round } of this.#segments) if (round !== 'urgent') download?.keep();
  }

  /**
   * A segment has been delivered: nothing is wanted until the next call of `suspend`. `rtt`: the server's round-trip time
   * in ms, where it is known.
   */
  resume(rtt: number | undefined): void {
    this.#isSuspended = false;
    this.#latency = (rtt ?? 0) / 1000;
  }

  /** What is missing of that segment, if anything is, is worth fetching. */
  hold(delivered: DeliveredToBuffer): void {
    const { map, received } = delivered.delivery;
    if (received.contains(0, map.range.end - map.range.start)) return;
    const { throughput, bufferLevel } = this.#context;
    const segment: ImprovableSegment = {
      ...delivered,
      ...{ map, received, startTime: delivered.place.startTime },
      ...{ round: undefined, bytesRefetched: 0, download: undefined, isBetter: false },
    };
    this.#segments.push(segment);
    const urgent = planUrgent(segment, { throughput: throughput.throughput, bufferLevel: bufferLevel() });
    if (urgent.length > 0) this.#fetch(segment, urgent, 'urgent');
    this.#timer ??= setInterval(() => this.#look(), 1000 * LOOK_INTERVAL);
  }

  /** The rule wants the next request to wait for so many seconds. */
  expectRequestIn(seconds: number): void {
    this.#nextRequestAt = performance.now() + seconds * 1000;
  }

  stop(): void {
    this.#drop(() => true);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const { video, throughput } = this.#context;
    if (!video.element) return;
    const { end, drop, fetch } = look(this.#segments, {
      playback: video.element,
      pause: this.#isSuspended ? undefined : this.#pause(video.element),
      latency: this.#latency,
      throughput: throughput.throughput,
      isReplaceable: ({ place }) => video.holds(place),
    });
    for (const { download } of end) download!.keep();
    this.#drop((segment) => drop.includes(segment));
    if (this.#segments.length === 0) {
      this.stop();
      return;
    }
    for (const segment of this.#segments) {
      if (!segment.round) this.#append(segment).catch((error: unknown) => this.#giveUp(segment, error));
    }
    for (const [segment, ranges] of fetch) this.#fetch(segment, ranges, 'in-pause');
  }

  #pause(playback: HTMLMediaElement): number {
    const { video, settings, bufferLevel } = this.#context;
    return pauseLength({
      bufferLevel: bufferLevel(),
      fullBuffer: settings.secondsHeld,
      playback,
      ruleWaits: (this.#nextRequestAt - performance.now()) / 1000,
      isLastRequested: video.isLastRequested,
    });
  }

  #fetch(segment: ImprovableSegment, ranges: readonly ByteRange[], round: HeldSegment['round']): void {
    const { session } = this.#context.sessions;
    if (!session) return;
    const { target, map } = segment;
    segment.download = downloadRanges(session, { target, map, ranges });
    segment.round = round;
    segment.download.result
      .then((refetched) => this.#improve(segment, refetched))
      // Aborted, or the repairer or dash.js refuses: the segment stays as it is.
      .catch((error: unknown) => this.#giveUp(segment, error));
  }

  async #improve(segment: ImprovableSegment, refetched: DeliveredSegment): Promise<void> {
    const { bytes, received } = segment;
    const before = received.size;
    for (const { start, end } of refetched.received) {
      bytes.set(refetched.bytes.subarray(start, end), start);
      received.add(start, end);
    }
    segment.bytesRefetched += received.size - before;
    segment.isBetter ||= received.size > before;
    // Until here, for the next round must not begin before this one is in the buffer.
    await this.#append(segment).finally(() => Object.assign(segment, { download: undefined, round: undefined }));
    // A failed session is opened again; a request that the server refuses is not made twice.
    if (refetched.failure && !refetched.failure.fatal) throw refetched.failure;
  }

  /** Puts a better segment into the buffer; once dash.js has it there, if that is not yet so. */
  async #append(segment: ImprovableSegment): Promise<void> {
    const { key, bytes, received, delivery, bytesRefetched, place } = segment;
    // It may have been asked for anew meanwhile.
    if (!segment.isBetter || !this.#segments.includes(segment)) return;
    const repaired = this.#context.repairers.repair(key, { bytes, received });
    segment.isBetter = false;
    if (!(await this.#context.video.replace(place, repaired.bytes))) {
      segment.isBetter = true;
      return;
    }
    const { bytesLost, framesRepaired, firstPass = { bytesLost, framesRepaired } } = segment.record;
    const improved = createSegmentRecord({
      ...delivery,
      bytesUnreliable: delivery.bytesUnreliable + bytesRefetched,
      bytesLost: totalBytes(delivery.lost.flatMap(({ start, end }) => received.gaps(start, end))),
      bytesRefetched,
      frames: repaired.frames,
    });
    const record = { ...improved, firstPass };
    this.#context.journal.improved(segment.record, record, repaired);
    segment.record = record;
    if (received.contains(0, bytes.length)) this.#drop((candidate) => candidate === segment);
  }

  #giveUp(segment: ImprovableSegment, error: unknown): void {
    this.#drop((candidate) => candidate === segment);
    if (describeError(error).code !== 'aborted') this.#context.journal.notImproved(error);
  }

  #drop(isUnwanted: (segment: ImprovableSegment) => boolean): void {
    const [dropped, kept] = [this.#segments.filter(isUnwanted), this.#segments.filter((one) => !isUnwanted(one))];
    this.#segments = kept;
    for (const { download } of dropped) download?.abort();
  }
}
