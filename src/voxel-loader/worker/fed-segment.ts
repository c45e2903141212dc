import { NO_COUNTS } from '../../delivery/counts.js';
import { totalBytes } from '../../manifest/byte-range.js';
import { deferred } from '../deferred.js';
import { VoxelError } from '../errors.js';
import type { SegmentLayout } from '../types.js';
import { SegmentAssembly } from './assembly.js';
import type { ReceivedSegment } from './types.js';

/** A segment whose bytes somebody else brings, by their positions in the file. */
export class FedSegment {
  readonly #outcome = deferred<ReceivedSegment>();
  /** Rejects with `VoxelError` code `incomplete` when not every reliable byte came, or `aborted`. */
  readonly result = this.#outcome.promise;
  readonly assembly: SegmentAssembly;
  readonly #began: number;
  #firstArrival: number | undefined;
  #lastArrival: number;
  #isSettled = false;

  constructor(
    map: SegmentLayout,
    private readonly now: () => number,
  ) {
    this.assembly = new SegmentAssembly(map, totalBytes(map.unreliable));
    this.#began = this.#lastArrival = now();
  }

  /** Takes bytes of the file from `position` on; what is not the segment's is left out. */
  push(position: number, bytes: Uint8Array): void {
    if (this.#isSettled) return;
    this.#lastArrival = this.now();
    this.#firstArrival ??= this.#lastArrival;
    this.assembly.placeFromFile(position, bytes);
  }

  end(): void {
    if (this.#isSettled) return;
    const { bytesReliable, bytesUnreliable, reliableLength, reliableComplete, length, bytes } = this.assembly;
    if (!reliableComplete) {
      return this.#fail(new VoxelError('incomplete', `${bytesReliable} of ${reliableLength} reliable bytes came`));
    }
    this.#isSettled = true;
    this.#outcome.resolve({
      ...{ bytes, received: this.assembly.received(), lost: [] },
      ...{ ...NO_COUNTS, bytesReliable, bytesUnreliable },
      bytesUnsent: length - bytesReliable - bytesUnreliable,
      seconds: (this.#lastArrival - this.#began) / 1000,
      bytesMeasured: bytesReliable + bytesUnreliable,
      timeToFirstByte: ((this.#firstArrival ?? this.#lastArrival) - this.#began) / 1000,
      rtt: undefined,
      failure: undefined,
    });
  }

  abort(): void {
    this.#fail(new VoxelError('aborted', 'the download was aborted'));
  }

  #fail(error: VoxelError): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#outcome.reject(error);
  }
}
