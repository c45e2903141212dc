import { NO_COUNTS } from '../../delivery/counts.js';
import { totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { deferred } from '../deferred.js';
import { VoxelError } from '../errors.js';
import type { SegmentLayout, SegmentProgress } from '../types.js';
import { SegmentAssembly } from './assembly.js';
import type { PieceSource, PieceWatcher, ReceivedSegment } from './types.js';

/** A segment whose bytes somebody else brings, by their positions in the file. */
export class FedSegment implements PieceSource {
  readonly #outcome = deferred<ReceivedSegment>();
  /** Rejects with `VoxelError` code `incomplete` when not every reliable byte came, or `aborted`. */
  readonly result = this.#outcome.promise;
  readonly assembly: SegmentAssembly;
  readonly #began: number;
  #firstArrival: number | undefined;
  #lastArrival: number;
  #isSettled = false;
  #watcher: PieceWatcher | undefined;

  /** `askedAt`: when its bytes were asked for, on the clock of `now`, in ms. */
  constructor(
    private readonly map: SegmentLayout,
    private readonly now: () => number,
    askedAt = now(),
  ) {
    this.assembly = new SegmentAssembly(map, totalBytes(map.unreliable));
    this.#began = this.#lastArrival = askedAt;
  }

  /** Takes bytes of the file from `position` on; what is not the segment's is left out. */
  push(position: number, bytes: Uint8Array): void {
    if (this.#isSettled) return;
    this.#lastArrival = this.now();
    this.#firstArrival ??= this.#lastArrival;
    this.assembly.placeFromFile(position, bytes);
    this.#watcher?.look();
  }

  /** Takes what of the segment has come already; its positions count from the segment's first byte. */
  takeOver(former: SegmentAssembly): void {
    for (const { start, end } of former.received()) {
      this.assembly.placeFromFile(this.map.range.start + start, former.bytes.subarray(start, end));
    }
  }

  progress(): SegmentProgress {
    const { bytesReliable, bytesUnreliable, reliableComplete, length } = this.assembly;
    return {
      phase: reliableComplete ? 'unreliable' : 'reliable',
      ...{ bytesReliable, bytesUnreliable, bytesRequested: length },
      elapsed: (this.now() - this.#sentSince) / 1000,
    };
  }

  /** Since when bytes can have been sent: half of the time to the first one the request was on its way. */
  get #sentSince(): number {
    return (this.#began + (this.#firstArrival ?? this.#began)) / 2;
  }

  watch(watcher: PieceWatcher): void {
    this.#watcher = watcher;
  }

  /** Until its end everything may. */
  mayCome(places: readonly ByteRange[]): boolean {
    return places.length > 0;
  }

  lost(): readonly ByteRange[] {
    return [];
  }

  keep(): boolean {
    if (!this.assembly.reliableComplete) return false;
    this.end();
    return true;
  }

  end(): void {
    if (this.#isSettled) return;
    const { bytesReliable, bytesUnreliable, reliableLength, reliableComplete, length, bytes } = this.assembly;
    if (!reliableComplete) {
      return this.fail(new VoxelError('incomplete', `${bytesReliable} of ${reliableLength} reliable bytes came`));
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
    this.fail(new VoxelError('aborted', 'the download was aborted'));
  }

  fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#outcome.reject(error);
  }
}
