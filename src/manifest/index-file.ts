import type { ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { IndexReader } from './index-codes.js';
import { readEntry } from './index-entry.js';
import { metrics, type QualityMetric, type SegmentMap } from './segment-map.js';

/** "VXIX" */
const MAGIC = 0x56584958;
const VERSIONS = [1, 2];
/** Bytes of the head before its table. */
const FIXED_BYTES = 16;
const MAX_DECIMALS = 9;
/** Three days of 2 s. */
const MAX_SEGMENTS = 2 ** 17;
/** Where all entries are alike their sizes are a few bits; even then a table says something of each dozen, but for the first ones. */
const MAX_SEGMENTS_PER_BYTE = 64;
const FEW_SEGMENTS = 4096;
/** Bytes of the head, and of an entry: larger ones are not real. */
const MAX_PART_BYTES = 2 ** 20;

/**
 * Bytes of the first request, when nothing is known: the head and every entry of about 80 s of video, or of a longer one
 * the head and what the first decisions need.
 */
const FIRST_BYTES = 8192;

/** How many parsed segments are kept: a decision looks at the next eight, and a review at the one under way. */
const PARSED_SEGMENTS = 32;
/** And how many ranges they may have together: real ones have hundreds each. */
const PARSED_RANGES = 2 ** 17;

interface Head {
  readonly version: number;
  /** Scores are in units of 1 / scale. */
  readonly scale: number;
  /** Where the entry of each segment starts, and where the last one ends. */
  readonly bounds: readonly number[];
}

/** The index of a representation as far as it has been fetched. Does no fetching: it says what to fetch, and takes it. */
export class IndexFile {
  #head: Head | undefined;
  #headBytes = FIXED_BYTES;
  readonly #entries = new Map<number, Uint8Array>();
  readonly #parsed = new Map<number, SegmentMap>();

  /** `metric`: what the manifest says that the scores are. */
  constructor(private readonly metric: QualityMetric) {}

  /** 0 until the head is here. */
  get segmentCount(): number {
    return this.#head ? this.#head.bounds.length - 1 : 0;
  }

  /** True when all that can be known of that segment is. */
  has(index: number): boolean {
    return this.#head !== undefined && (index >= this.segmentCount || this.#entries.has(index));
  }

  /** Bytes of the entries from segment `index` to the last. */
  bytesFrom(index: number): number {
    const bounds = this.#head?.bounds ?? [0];
    return bounds.at(-1)! - bounds[Math.min(index, bounds.length - 1)]!;
  }

  /** What to fetch for the segments `first` to `end - 1`; undefined: nothing. */
  missing(first: number, end: number): ByteRange | undefined {
    if (!this.#head) return { start: 0, end: Math.max(FIRST_BYTES, this.#headBytes) };
    let [from, to] = [first, Math.min(end, this.segmentCount)];
    while (from < to && this.#entries.has(from)) from++;
    while (to > from && this.#entries.has(to - 1)) to--;
    const { bounds } = this.#head;
    return from < to ? { start: bounds[from]!, end: bounds[to]! } : undefined;
  }

  /**
   * Takes what a server sent of `range`, from its start on; it may send less. Throws `ManifestError` when that is no
   * index, or not a single part of one.
   */
  add({ start, end }: ByteRange, bytes: Uint8Array): void {
    const isHead = !this.#head && start === 0;
    if (isHead) this.#addHead(bytes, end);
    const { bounds } = this.#head ?? { bounds: [] };
    let added = 0;
    for (let index = 0; index + 1 < bounds.length; index++) {
      const [from, to] = [bounds[index]! - start, bounds[index + 1]! - start];
      if (from < 0 || to > bytes.length || this.#entries.has(index)) continue;
      this.#entries.set(index, bytes.slice(from, to));
      added++;
    }
    if (added === 0 && !isHead) throw new ManifestError('index', 'the index ends inside an entry');
  }

  /** Undefined: nothing is known of it, or not yet (see `has`). Throws `ManifestError` for a bad entry. */
  segment(index: number): SegmentMap | undefined {
    const entry = this.#entries.get(index);
    if (!entry || entry.length === 0) return undefined;
    const map = this.#parsed.get(index) ?? readEntry(entry, this.#head!.scale, this.#head!.version);
    this.#parsed.delete(index);
    let ranges = map.unreliable.length;
    for (const { unreliable } of this.#parsed.values()) ranges += unreliable.length;
    for (const [oldest, { unreliable }] of this.#parsed) {
      if (this.#parsed.size < PARSED_SEGMENTS && ranges <= PARSED_RANGES) break;
      this.#parsed.delete(oldest);
      ranges -= unreliable.length;
    }
    this.#parsed.set(index, map);
    return map;
  }

  #addHead(bytes: Uint8Array, requestedEnd: number): void {
    const { metric, version, scale, segmentCount, headBytes } = readFixed(bytes);
    if (metric !== this.metric) {
      throw new ManifestError('index', `the index has ${metric} scores, the manifest ${this.metric}`);
    }
    if (headBytes > bytes.length) {
      // It is asked for as long as it said to be once: one that is longer each time would be asked for a million times.
      if (headBytes <= requestedEnd || this.#headBytes > FIXED_BYTES)
        throw new ManifestError('index', 'the index ends inside its table');
      this.#headBytes = headBytes;
      return;
    }
    const bounds = [headBytes];
    for (const size of new IndexReader(bytes.subarray(FIXED_BYTES, headBytes)).list(segmentCount)) {
      if (size > MAX_PART_BYTES) throw new ManifestError('index', 'an entry is too large');
      bounds.push(bounds.at(-1)! + size);
    }
    this.#head = { version, scale, bounds };
  }
}

/** The head without its table. */
interface FixedHead {
  readonly metric: QualityMetric;
  readonly version: number;
  readonly scale: number;
  readonly segmentCount: number;
  readonly headBytes: number;
}

function readFixed(bytes: Uint8Array): FixedHead {
  if (bytes.length < FIXED_BYTES) throw new ManifestError('index', 'the index is shorter than its head');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint8(4);
  if (view.getUint32(0) !== MAGIC || !VERSIONS.includes(version)) {
    throw new ManifestError('index', 'not an index, or of another version');
  }
  const metric = metrics[view.getUint8(5)];
  const decimals = view.getUint8(6);
  const segmentCount = view.getUint32(8);
  const headBytes = view.getUint32(12);
  const mostSegments = Math.min(MAX_SEGMENTS, FEW_SEGMENTS + MAX_SEGMENTS_PER_BYTE * headBytes);
  const isSound = decimals <= MAX_DECIMALS && segmentCount <= mostSegments && headBytes >= FIXED_BYTES;
  if (!metric || !isSound || headBytes > MAX_PART_BYTES) throw new ManifestError('index', 'the index has a bad head');
  return { metric, version, scale: 10 ** decimals, segmentCount, headBytes };
}
