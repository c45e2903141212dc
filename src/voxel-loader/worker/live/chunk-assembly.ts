import { totalBytes } from '../../../manifest/byte-range.js';
import type { LiveChunk } from '../../../manifest/live-chunk.js';
import { VoxelError } from '../../errors.js';
import { SegmentAssembly } from '../assembly.js';
import type { SentReport } from './follow-parser.js';

/** Most bytes of datagrams that come before the record that announces them, for a flow. */
export const MAX_EARLY_BYTES = 256 * 1024;

/** One chunk being put together. */
export interface ChunkInAssembly {
  readonly number: number;
  readonly chunk: LiveChunk;
  /** Its reliable bytes come first in the delivery order, then its frames. */
  readonly assembly: SegmentAssembly;
  /** Place of its frames in the concatenation that offsets of the response count in. */
  readonly frames: { readonly start: number; readonly end: number };
  /** Bytes of its frames that were sent; undefined: the server has not said yet. */
  readonly bytesSent: number | undefined;
}

interface OpenChunk extends ChunkInAssembly {
  bytesSent: number | undefined;
  reliableHere: number;
  isOpen: boolean;
}

/**
 * Puts the chunks of one response together: reliable bytes in file order, frames by their offset in the concatenation of all
 * chunks' frames. Throws `VoxelError` code `bad-response` where the server's records contradict each other; a datagram that fits
 * nothing is ignored.
 */
export class ChunkAssembly {
  readonly #chunks: OpenChunk[] = [];
  /** Datagrams by offset: a network may bring one twice. */
  readonly #early = new Map<number, Uint8Array>();
  #earlyBytes = 0;

  /** The next chunk, and what of it has come before. */
  add(chunk: LiveChunk): ChunkInAssembly {
    const last = this.#chunks.at(-1);
    if (last && last.reliableHere < last.chunk.reliableBytes)
      throw bad('a chunk begins before the reliable bytes of the last one end');
    const start = last?.frames.end ?? 0;
    const length = totalBytes(chunk.unreliable);
    const open: OpenChunk = {
      number: this.#chunks.length,
      chunk,
      assembly: new SegmentAssembly(chunk, length),
      frames: { start, end: start + length },
      bytesSent: undefined,
      reliableHere: 0,
      isOpen: true,
    };
    this.#chunks.push(open);
    this.#takeEarly(open);
    return open;
  }

  /** The next reliable bytes of the chunk that was added last. */
  addReliable(bytes: Uint8Array): void {
    const chunk = this.#chunks.at(-1);
    if (!chunk || chunk.reliableHere + bytes.length > chunk.chunk.reliableBytes)
      throw bad('more reliable bytes than the chunk has');
    chunk.assembly.place(chunk.reliableHere, bytes);
    chunk.reliableHere += bytes.length;
  }

  /** Places frames' bytes and returns their chunk; undefined: of none that is being put together, or of more than one. Kept where it may be of one to come. */
  addFrames(offset: number, payload: Uint8Array): ChunkInAssembly | undefined {
    if (offset >= this.end) {
      if (!this.#early.has(offset) && this.#earlyBytes + payload.length <= MAX_EARLY_BYTES) {
        this.#early.set(offset, payload);
        this.#earlyBytes += payload.length;
      }
      return undefined;
    }
    const chunk = this.#chunks[this.#indexAt(offset)]!;
    if (!chunk.isOpen || offset + payload.length > chunk.frames.end) return undefined;
    place(chunk, offset, payload);
    return chunk;
  }

  /** Its bytes are somebody else's now: nothing is put into them any more. */
  release({ number }: ChunkInAssembly): void {
    this.#chunks[number]!.isOpen = false;
  }

  /** The chunk of which the server will send no more. */
  close({ chunk: number, bytes }: Pick<SentReport, 'chunk' | 'bytes'>): ChunkInAssembly {
    const chunk = this.#chunks[number];
    if (!chunk || chunk.bytesSent !== undefined || bytes > chunk.frames.end - chunk.frames.start)
      throw bad(`${bytes} bytes of chunk ${number} cannot have been sent`);
    chunk.bytesSent = bytes;
    return chunk;
  }

  /** The chunk to which that place of the concatenation belongs; undefined: none that is known. */
  chunkAt(offset: number): ChunkInAssembly | undefined {
    const chunk = this.#chunks[this.#indexAt(offset)];
    return chunk && offset < chunk.frames.end ? chunk : undefined;
  }

  /** End of the frames of all chunks that are known, in the concatenation. */
  get end(): number {
    return this.#chunks.at(-1)?.frames.end ?? 0;
  }

  #takeEarly(chunk: OpenChunk): void {
    for (const [offset, payload] of this.#early) {
      if (offset >= chunk.frames.end) continue;
      this.#early.delete(offset);
      this.#earlyBytes -= payload.length;
      if (offset + payload.length <= chunk.frames.end) place(chunk, offset, payload);
    }
  }

  /** Index of the first chunk whose frames end after it. */
  #indexAt(offset: number): number {
    const index = this.#chunks.findLastIndex(({ frames }) => frames.end <= offset);
    return index + 1;
  }
}

function place({ assembly, frames }: OpenChunk, offset: number, payload: Uint8Array): void {
  assembly.place(assembly.reliableLength + offset - frames.start, payload);
}

function bad(message: string): VoxelError {
  return new VoxelError('bad-response', message);
}
