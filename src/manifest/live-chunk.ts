import { shares, totalBytes, type ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { MAX_SEGMENT_BYTES } from './limits.js';
import type { QualityMetric, SegmentMap } from './segment-map.js';
import { decodeVarint } from './varint.js';

/** Ranges of one chunk: each of its slices has one or two. */
const MAX_RANGES = 4096;

/** What all records of a live segment share. */
export interface LiveHead {
  readonly metric: QualityMetric;
  /** Scores are in units of 10 ** -decimals. */
  readonly decimals: number;
  /** Units of media time per second. */
  readonly timescale: number;
}

/** A frame of a chunk that may be missing. */
export interface LiveFrame {
  /** Place in decode order in the segment, from 0. */
  readonly index: number;
  /** Positions in the segment's file, in file order. */
  readonly ranges: readonly ByteRange[];
  /** What its loss alone takes off the segment's score. */
  readonly cost: number;
}

/**
 * One chunk of a live segment, a fragment of its own. Its map speaks of the chunk alone, in positions of the segment's file; its
 * scores are those of a segment of such chunks.
 */
export interface LiveChunk extends SegmentMap {
  /** Media time of its first frame in decode order, and how long it lasts; seconds. */
  readonly startTime: number;
  readonly duration: number;
  /** When its first picture was captured, in ms since 1970. */
  readonly capturedAt: number;
  /** Most important first, as `unreliable`. */
  readonly frames: readonly LiveFrame[];
}

/**
 * Reads the content of a chunk's record. `position`: where the chunk must start. Throws `ManifestError` unless every byte of the
 * chunk is in one range, and in no other.
 */
export function readLiveChunk(content: Uint8Array, { decimals, timescale }: LiveHead, position: number): LiveChunk {
  const fields = new Fields(content, 10 ** decimals);
  const start = fields.next();
  const range = { start, end: start + fields.next() };
  if (start !== position || range.end === start || range.end > MAX_SEGMENT_BYTES)
    throw bad(`a chunk at ${start}-${range.end}, expected one from ${position} on`);
  const [decodeTime, duration, capturedAt] = [fields.next(), fields.next(), fields.next()];
  const [score, reliableScore] = [fields.score(), fields.score()];
  let at = start;
  const reliable = fields.list(2, () => {
    const from = at + fields.next();
    return { start: from, end: (at = from + fields.next()) };
  });
  const frames = fields.list(4, () => readFrame(fields, start));
  fields.close();
  checkCoverage(range, reliable, frames);
  const unreliable = frames.flatMap(({ ranges }) => ranges);
  const whole = { score, frames: frames.length, bytes: totalBytes(unreliable) };
  return {
    range,
    reliable,
    unreliable,
    reliableBytes: totalBytes(reliable),
    steps: frames.length > 0 ? [{ score: reliableScore, frames: 0, bytes: 0 }, whole] : [whole],
    lossCosts: frames.flatMap(({ ranges, cost }) => shares(ranges, cost)),
    startTime: decodeTime / timescale,
    duration: duration / timescale,
    capturedAt,
    frames,
  };
}

function readFrame(fields: Fields, start: number): LiveFrame {
  const index = fields.next();
  const ranges = fields.list(2, () => {
    const from = start + fields.next();
    return { start: from, end: from + fields.next() };
  });
  const isInOrder = ranges.every((range, place) => place === 0 || range.start >= ranges[place - 1]!.end);
  if (ranges.length === 0 || !isInOrder) throw bad(`the ranges of frame ${index} are not in file order`);
  return { index, ranges, cost: fields.score() };
}

function checkCoverage(range: ByteRange, reliable: readonly ByteRange[], frames: readonly LiveFrame[]): void {
  if (reliable.length === 0) throw bad('a chunk without reliable bytes');
  if (new Set(frames.map(({ index }) => index)).size < frames.length) throw bad('a frame is in a chunk twice');
  const all = [...reliable, ...frames.flatMap(({ ranges }) => ranges)].sort((a, b) => a.start - b.start);
  if (all.length > MAX_RANGES) throw bad(`${all.length} ranges in a chunk, expected at most ${MAX_RANGES}`);
  let at = range.start;
  for (const { start, end } of all) {
    if (start !== at || end === start) throw bad(`the ranges of a chunk do not have byte ${at} once`);
    at = end;
  }
  if (at !== range.end) throw bad(`the ranges of a chunk end at ${at}, expected ${range.end}`);
}

/** The numbers of one record's content. */
class Fields {
  #at = 0;

  constructor(
    private readonly content: Uint8Array,
    private readonly scale: number,
  ) {}

  next(): number {
    const varint = decodeVarint(this.content, this.#at);
    if (!varint) throw bad('the content of a record ends early, or has a number that is too large');
    this.#at += varint.length;
    return varint.value;
  }

  score(): number {
    return this.next() / this.scale;
  }

  /** A count, then as many items of `least` bytes at least. */
  list<Item>(least: number, read: () => Item): Item[] {
    const count = this.next();
    if (count * least > this.content.length - this.#at) throw bad(`${count} items do not fit the content of a record`);
    return Array.from({ length: count }, read);
  }

  close(): void {
    if (this.#at < this.content.length) throw bad('bytes follow the content of a record');
  }
}

/** What no file of records holds. */
export function bad(message: string): ManifestError {
  return new ManifestError('record', message);
}
