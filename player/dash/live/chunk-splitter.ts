import { ByteQueue } from '../../../src/manifest/byte-queue.js';
import { MAX_SEGMENT_BYTES } from '../../../src/manifest/limits.js';

const BOX_HEADER_BYTES = 8;
/** "mdat" */
const MDAT = 0x6d646174;

/** Divides the rest of a segment, as it comes over HTTP, at the ends of its `mdat` boxes, after bytes that are left out. */
export class ChunkSplitter {
  readonly #queue = new ByteQueue();
  /** Length of whole boxes at the queue's front that no `mdat` ends. */
  #boxes = 0;

  /** `skip`: bytes at its beginning that are here already. */
  constructor(private skip: number) {}

  /** What these bytes complete. Throws `RangeError` for what is no box. */
  push(piece: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const skipped = Math.min(this.skip, piece.length);
    this.skip -= skipped;
    this.#queue.append(piece.subarray(skipped));
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for (let box = this.#box(); box; box = this.#box()) {
      this.#boxes += box.length;
      if (box.type === MDAT) chunks.push(this.#take(this.#boxes));
    }
    return chunks;
  }

  /** What is left at the segment's end. */
  end(): Uint8Array<ArrayBuffer> {
    return this.#take(this.#queue.bytes.length);
  }

  /** The next box, if all of it is here. */
  #box(): { readonly type: number; readonly length: number } | undefined {
    const { bytes } = this.#queue;
    if (bytes.length < this.#boxes + BOX_HEADER_BYTES) return undefined;
    const header = new DataView(bytes.buffer, bytes.byteOffset + this.#boxes, BOX_HEADER_BYTES);
    const length = header.getUint32(0);
    if (length < BOX_HEADER_BYTES || length > MAX_SEGMENT_BYTES)
      throw new RangeError(`a box of ${length} bytes in a live segment`);
    return bytes.length < this.#boxes + length ? undefined : { type: header.getUint32(4), length };
  }

  #take(length: number): Uint8Array<ArrayBuffer> {
    const taken = this.#queue.bytes.slice(0, length);
    this.#queue.consume(length);
    this.#boxes = 0;
    return taken;
  }
}
