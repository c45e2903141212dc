import { ManifestError } from '../../../manifest/errors.js';
import type { LiveChunk } from '../../../manifest/live-chunk.js';
import { LiveRecordReader, type LiveRecord } from '../../../manifest/live-records.js';
import { decodeVarint } from '../../../manifest/varint.js';
import { VoxelError } from '../../errors.js';

/** Types of the server's own records (docs/PROTOCOL.md, growing files). */
const BYTES = 16;
const SENT = 17;
const FRAMES = 18;

/** What the server did with the frames of a chunk. */
export interface SentReport {
  /** Number of the chunk in this body. */
  readonly chunk: number;
  /** Bytes of its frames, the first ones: the rest was left out. */
  readonly bytes: number;
  readonly datagrams: number;
  /** Milliseconds, smoothed; undefined: not known yet. */
  readonly roundTrip: number | undefined;
  /** Window of the sender's congestion control, in bytes. */
  readonly window: number;
}

/** `bytes` are views that the next `push` overwrites. */
export type FollowEvent =
  | { readonly type: 'chunk'; readonly chunk: LiveChunk }
  /** The next reliable bytes of the chunk announced last. */
  | { readonly type: 'reliable'; readonly bytes: Uint8Array }
  /** Bytes of frames, as a datagram would bring them. */
  | { readonly type: 'frames'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: 'sent'; readonly report: SentReport }
  | { readonly type: 'end' };

/**
 * Reads the body of a response that follows a live segment, in pieces of any size. Throws `VoxelError` code `bad-response` for
 * what is no such body and `incomplete` for one cut off; not to be used again after that.
 */
export class FollowParser {
  readonly #records = new LiveRecordReader();

  push(bytes: Uint8Array): FollowEvent[] {
    return this.#read(bytes).flatMap(interpret);
  }

  /** The body has ended. */
  end(): void {
    if (!this.#records.hasEnd || this.#records.isWithinRecord)
      throw new VoxelError('incomplete', 'the body ended before the segment');
  }

  #read(bytes: Uint8Array): LiveRecord[] {
    try {
      return this.#records.push(bytes);
    } catch (cause) {
      if (cause instanceof ManifestError) throw new VoxelError('bad-response', cause.message, { cause });
      throw cause;
    }
  }
}

/** Nothing for what a later version may have. */
function interpret(record: LiveRecord): FollowEvent[] {
  if (record.type === 'chunk') return [record];
  if (record.type === 'end') return [{ type: 'end' }];
  const { code, content } = record;
  if (code === BYTES) return [{ type: 'reliable', bytes: content }];
  if (code === FRAMES) {
    const [offset = 0] = numbers(content, 1);
    return [{ type: 'frames', offset, bytes: content.subarray(decodeVarint(content, 0)!.length) }];
  }
  if (code !== SENT) return [];
  const [chunk = 0, bytes = 0, datagrams = 0, roundTrip = 0, window = 0] = numbers(content, 5);
  return [{ type: 'sent', report: { chunk, bytes, datagrams, roundTrip: roundTrip || undefined, window } }];
}

/** What follows them in the content is for a later version. */
function numbers(content: Uint8Array, count: number): number[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    const varint = decodeVarint(content, at);
    if (!varint) throw new VoxelError('bad-response', `a record of the server has less than ${count} numbers`);
    at += varint.length;
    return varint.value;
  });
}
