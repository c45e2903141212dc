import type { ChunkEvent, Delivery, SegmentRecord } from '../api/types.js';

/** A segment as the viewer has it, or will. */
interface Watched {
  readonly startTime: number;
  readonly duration: number;
  /** Undefined: the manifest has none. */
  readonly score: number | undefined;
  readonly bytes: Readonly<Record<Delivery, number>>;
  /** A picture of it was shown. */
  isSeen: boolean;
}

export interface SegmentSummary {
  /** Mean and 10th percentile over the segments of which something was shown; undefined: none has a score. */
  readonly score: { readonly mean: number; readonly p10: number } | undefined;
  /** Bytes of all segments, each as it came last in time to be shown. */
  readonly bytes: Readonly<Record<Delivery, number>>;
}

const NOTHING: Readonly<Record<Delivery, number>> = { datagrams: 0, streams: 0, http: 0 };

/** What became of the segments of a playback, by their index. */
export class WatchedSegments {
  readonly #segments = new Map<number, Watched>();
  #shown: Watched | undefined;
  /** Media time of the last picture. */
  #time = NaN;

  /**
   * A segment was delivered. One that comes again takes the place of the former unless that plays already, or has played: `position` in
   * seconds of media, undefined while a seek empties the buffer.
   */
  add(record: SegmentRecord, position: number | undefined): void {
    const { index, startTime, duration, score, delivery, bytesReliable, bytesUnreliable } = record;
    const former = this.#segments.get(index);
    if (former && position !== undefined && position > startTime) return;
    const bytes = { ...NOTHING, [delivery]: bytesReliable + bytesUnreliable };
    this.#set(index, { startTime, duration, score, bytes, isSeen: former?.isSeen ?? false });
  }

  /** A chunk of a live segment was: they come one after the other, each once. */
  addChunk(chunk: ChunkEvent, delivery: Delivery): void {
    const { index, bytesReliable, bytesUnreliable } = chunk;
    const former = this.#segments.get(index) ?? { ...chunk, duration: 0, score: 0, bytes: NOTHING, isSeen: false };
    const { startTime, bytes, isSeen } = former;
    const duration = former.duration + chunk.duration;
    const score = weighted(former) + weighted(chunk);
    const sum = bytes[delivery] + bytesReliable + bytesUnreliable;
    this.#set(index, { startTime, duration, score: score / duration, bytes: { ...bytes, [delivery]: sum }, isSeen });
  }

  /** A picture with that media time, in seconds, was shown. */
  show(mediaTime: number): void {
    this.#time = mediaTime;
    if (!this.#shown || !isIn(this.#shown, mediaTime))
      this.#shown = [...this.#segments.values()].find((segment) => isIn(segment, mediaTime));
    if (this.#shown) this.#shown.isSeen = true;
  }

  summary(): SegmentSummary {
    const all = [...this.#segments.values()];
    const scores = all.flatMap(({ isSeen, score }) => (isSeen && score !== undefined ? score : []));
    const sum = (delivery: Delivery): number => all.reduce((total, { bytes }) => total + bytes[delivery], 0);
    return {
      score:
        scores.length === 0
          ? undefined
          : { mean: scores.reduce((total, score) => total + score, 0) / scores.length, p10: tenth(scores) },
      bytes: { datagrams: sum('datagrams'), streams: sum('streams'), http: sum('http') },
    };
  }

  #set(index: number, segment: Watched): void {
    this.#segments.set(index, segment);
    this.#shown = undefined;
    // What HTTP brings may be shown before its record is made.
    segment.isSeen ||= isIn(segment, this.#time);
  }
}

const isIn = ({ startTime, duration }: Watched, time: number): boolean =>
  time >= startTime && time < startTime + duration;

const weighted = ({ score = NaN, duration }: { score?: number | undefined; duration: number }): number =>
  score * duration;

/** The value below which a tenth of them lie, linear between neighbours. */
function tenth(values: number[]): number {
  values.sort((a, b) => a - b);
  const position = (values.length - 1) / 10;
  const below = values[Math.floor(position)]!;
  return below + (position % 1) * ((values[Math.floor(position) + 1] ?? below) - below);
}
