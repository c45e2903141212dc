import { ByteQueue } from './byte-queue.js';
import { bad, readLiveChunk, type LiveChunk, type LiveHead } from './live-chunk.js';
import { metrics } from './segment-map.js';
import { decodeVarint } from './varint.js';

/** "VXLV" */
const MAGIC = 0x56584c56;
const VERSION = 1;
const HEAD_BYTES = 16;
const MAX_DECIMALS = 9;
const MAX_CONTENT_BYTES = 2 ** 16;
/** Chunks of one segment: at 60 frames a second and a frame each, more than a minute. */
const MAX_CHUNKS = 4096;

const CHUNK = 1;
const END = 2;

export type LiveRecord =
  | { readonly type: 'chunk'; readonly chunk: LiveChunk }
  /** The segment is finished and has so many bytes. */
  | { readonly type: 'end'; readonly bytes: number }
  /** A record of a type that files do not have, or not yet. `content` is a view that the next `push` overwrites. */
  | { readonly type: 'other'; readonly code: number; readonly content: Uint8Array };

/**
 * Reads the records of a live segment while it grows, in pieces of any size (docs/MANIFEST.md, live records). Every method
 * throws `ManifestError` for what no file of records holds; the reader is not to be used again after that.
 */
export class LiveRecordReader {
  readonly #queue = new ByteQueue();
  /** Undefined until it is here. */
  head: LiveHead | undefined;
  #chunks = 0;
  /** Bytes of the segment that records have told of. */
  #segmentBytes = 0;
  /** True after the end record. */
  hasEnd = false;

  /** True where a record has begun, and not ended. */
  get isWithinRecord(): boolean {
    return this.#queue.bytes.length > 0;
  }

  /** The records that these bytes complete. */
  push(bytes: Uint8Array): LiveRecord[] {
    this.#queue.append(bytes);
    const records: LiveRecord[] = [];
    this.head ??= this.#readHead();
    while (this.head) {
      const record = this.#readRecord(this.head);
      if (!record) break;
      records.push(record);
    }
    return records;
  }

  #readHead(): LiveHead | undefined {
    const { bytes } = this.#queue;
    for (let index = 0; index < Math.min(bytes.length, 4); index++) {
      if (bytes[index] !== (MAGIC >>> (24 - 8 * index)) % 256) throw bad('live records do not start with VXLV');
    }
    if (bytes.length < HEAD_BYTES) return undefined;
    const head = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
    const [version, metric, decimals] = [head.getUint8(4), metrics[head.getUint8(5)], head.getUint8(6)];
    const timescale = head.getUint32(8);
    if (version !== VERSION) throw bad(`live records of version ${version}, expected ${VERSION}`);
    if (!metric || decimals > MAX_DECIMALS || timescale === 0)
      throw bad(`live records with metric ${head.getUint8(5)}, ${decimals} decimals and timescale ${timescale}`);
    this.#queue.consume(HEAD_BYTES);
    return { metric, decimals, timescale };
  }

  /** Undefined: not all of it is here. */
  #readRecord(head: LiveHead): LiveRecord | undefined {
    const { bytes } = this.#queue;
    const code = number(bytes, 0);
    const length = code && number(bytes, code.length);
    if (!length) return undefined;
    if (length.value > MAX_CONTENT_BYTES)
      throw bad(`a record has ${length.value} bytes, expected at most ${MAX_CONTENT_BYTES}`);
    const start = code.length + length.length;
    const end = start + length.value;
    if (bytes.length < end) return undefined;
    this.#queue.consume(end);
    return this.#interpret(code.value, bytes.subarray(start, end), head);
  }

  #interpret(code: number, content: Uint8Array, head: LiveHead): LiveRecord {
    if (code !== CHUNK && code !== END) return { type: 'other', code, content };
    if (this.hasEnd) throw bad(`a record of type ${code} after the end`);
    if (code === END) return this.#end(content);
    if (++this.#chunks > MAX_CHUNKS) throw bad(`more than ${MAX_CHUNKS} chunks`);
    const chunk = readLiveChunk(content, head, this.#segmentBytes);
    this.#segmentBytes = chunk.range.end;
    return { type: 'chunk', chunk };
  }

  #end(content: Uint8Array): LiveRecord {
    const length = decodeVarint(content, 0);
    if (length?.length !== content.length) throw bad('the end record is not one number');
    if (length.value !== this.#segmentBytes) throw bad(`the end is at ${length.value}, expected ${this.#segmentBytes}`);
    this.hasEnd = true;
    return { type: 'end', bytes: length.value };
  }
}

/** Undefined: not all of it is here. */
function number(bytes: Uint8Array, at: number): ReturnType<typeof decodeVarint> {
  const varint = decodeVarint(bytes, at);
  if (!varint && at < bytes.length && at + (1 << (bytes[at]! >>> 6)) <= bytes.length)
    throw bad('a number is too large');
  return varint;
}
