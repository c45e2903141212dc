import { shares, totalBytes, type ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { IndexReader, unzigzag } from './index-codes.js';
import { MAX_SEGMENT_BYTES } from './limits.js';
import type { QualityStep, SegmentMap } from './segment-map.js';

const POSITION_PARAMETER = 16;
const ORDER_BITS = 3;
/** Original, unreferenced last, summed, chained, measured, closed: for reports, the player takes them alike. */
const ORDERS = 6;
const MISSING_BITS = 2;
/** What becomes of missing frames: another stands in, or the picture before is held, or they are removed. */
const [REPLACED, HELD, REMOVED] = [0, 1, 2];
/** Ranges of a segment: 30 s at 120 frames/s of 32 slices. */
const MAX_RANGES = 2 ** 17;
/** Where all frames are alike a list is a few bits; even then an entry says something of each dozen. */
const MAX_RANGES_PER_BYTE = 64;

/**
 * Reads one segment's entry of an index; scores are in units of 1 / `scale`, `version` is the index'. What the layout can say at all is a partition
 * of the segment and an order of its frames; the rest is checked, so that every invariant documented at `SegmentMap`
 * holds. Throws `ManifestError`.
 */
export function readEntry(bytes: Uint8Array, scale: number, version: number): SegmentMap {
  const reader = new IndexReader(bytes);
  const start = reader.number(POSITION_PARAMETER);
  if (reader.bits(ORDER_BITS) >= (version > 1 ? ORDERS : ORDERS - 1))
    throw new ManifestError('index', 'the order has no name');
  const mostRanges = Math.min(MAX_RANGES, MAX_RANGES_PER_BYTE * bytes.length);
  const frameCount = reader.count(mostRanges);
  // Where the wholly reliable frames stand among the others matters to reports only.
  reader.list(reader.count(mostRanges));
  const { frames, reliable, end } = readRanges(reader, start, frameCount, mostRanges);
  const order = readOrder(reader, frameCount).map((index) => frames[index]!);
  const costs = reader.bits(1) === 1 ? reader.list(frameCount).map((cost) => cost / scale) : undefined;
  const missing = version > 1 ? readMissing(reader, order, mostRanges) : {};
  const steps = readSteps(reader, order.map(totalBytes), scale);
  if (!reader.isAtEnd) throw new ManifestError('index', 'an entry goes on behind its end');
  return {
    range: { start, end },
    reliable,
    unreliable: order.flat(),
    reliableBytes: totalBytes(reliable),
    steps,
    ...missing,
    ...(costs && { lossCosts: order.flatMap((ranges, index) => shares(ranges, costs[index]!)) }),
  };
}

interface Layout {
  /** The ranges of each frame that may be missing, in file order. */
  readonly frames: readonly (readonly ByteRange[])[];
  readonly reliable: readonly ByteRange[];
  readonly end: number;
}

function readRanges(reader: IndexReader, start: number, frameCount: number, most: number): Layout {
  const counts = reader.list(frameCount).map((more) => more + 1);
  const rangeCount = counts.reduce((sum, count) => sum + count, 0);
  if (rangeCount > most) throw new ManifestError('index', `${rangeCount} ranges in a segment`);
  const smallest = reader.count();
  const gaps = reader.list(rangeCount);
  const sizes = reader.list(rangeCount);
  const ranges: ByteRange[] = [];
  const reliable: ByteRange[] = [];
  let at = start;
  gaps.forEach((gap, index) => {
    at = addGap(reliable, at, at + smallest + gap);
    ranges.push({ start: at, end: (at += sizes[index]! + 1) });
  });
  const end = addGap(reliable, at, at + reader.count());
  if (reliable.length === 0) throw new ManifestError('ranges', 'a segment without reliable bytes');
  if (end - start > MAX_SEGMENT_BYTES || !Number.isSafeInteger(end)) {
    throw new ManifestError('size', 'a segment is too large');
  }
  let first = 0;
  return { frames: counts.map((count) => ranges.slice(first, (first += count))), reliable, end };
}

/** Returns `end`. */
function addGap(reliable: ByteRange[], start: number, end: number): number {
  if (end > start) reliable.push({ start, end });
  return end;
}

/** A Lehmer code: of each frame, how many of those yet to come stand before it in the file. */
function readOrder(reader: IndexReader, frameCount: number): number[] {
  const remaining = new Remaining(frameCount);
  return reader.list(frameCount).map((rank, taken) => {
    if (rank >= frameCount - taken) throw new ManifestError('index', 'the order names a frame that is not there');
    return remaining.take(rank);
  });
}

/** The numbers below `count` of which one after the other is taken, in a binary indexed tree (Fenwick 1994). */
class Remaining {
  /** How many remain, for 1-based node `n`, of the `n & -n` numbers that end with number `n - 1`. */
  readonly #counts: Int32Array;
  readonly #top: number;

  constructor(count: number) {
    this.#counts = Int32Array.from({ length: count + 1 }, (_, node) => node & -node);
    this.#top = 2 ** Math.floor(Math.log2(Math.max(1, count)));
  }

  /** The number that has `rank` smaller ones before it; there must be one. */
  take(rank: number): number {
    let node = 0;
    let before = rank;
    for (let step = this.#top; step >= 1; step /= 2) {
      const next = node + step;
      if (next >= this.#counts.length) continue;
      if (this.#counts[next]! > before) this.#counts[next]!--;
      else {
        before -= this.#counts[next]!;
        node = next;
      }
    }
    return node;
  }
}

/** `order`: the ranges of each frame, most important first. */
function readMissing(
  reader: IndexReader,
  order: readonly (readonly ByteRange[])[],
  most: number,
): Pick<SegmentMap, 'needs' | 'reach'> {
  const code = reader.bits(MISSING_BITS);
  if (code === REPLACED) return {};
  if (code === HELD) {
    return { reach: reader.list(order.length).flatMap((reach, frame) => order[frame]!.map(() => reach)) };
  }
  if (code !== REMOVED || order.some(({ length }) => length > 1)) {
    throw new ManifestError('index', 'what becomes of missing frames is not known');
  }
  const counts = reader.list(order.length);
  const needCount = counts.reduce((sum, count) => sum + count, 0);
  if (needCount > most) throw new ManifestError('index', `${needCount} needs in a segment`);
  const distances = reader.list(needCount);
  let first = 0;
  return { needs: counts.map((count, place) => toNeeds(distances.slice(first, (first += count)), place)) };
}

/** Places in the order of what the frame at `place` needs, the nearest first. */
function toNeeds(distances: readonly number[], place: number): number[] {
  let last = place;
  return distances.map((distance) => {
    const need = place - distance - 1;
    if (need >= last || need < 0) throw new ManifestError('index', 'a frame needs a later one');
    return (last = need);
  });
}

function readSteps(reader: IndexReader, frameBytes: readonly number[], scale: number): QualityStep[] {
  const ends = [0];
  for (const bytes of frameBytes) ends.push(ends.at(-1)! + bytes);
  const count = reader.count(frameBytes.length) + 1;
  const distances = reader.list(count);
  const differences = reader.list(count);
  let frames = -1;
  let score = 0;
  const steps = distances.map((distance, index) => {
    frames += distance + 1;
    score += unzigzag(differences[index]!);
    return { score: score / scale, frames, bytes: ends[frames] ?? NaN };
  });
  if (frames !== frameBytes.length) throw new ManifestError('steps', 'the last step is not the whole segment');
  return steps;
}
