import { totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import type { IntervalSet } from '../../manifest/interval-set.js';
import type { SegmentFrames } from '../types.js';
import { describeFrames } from './frame-states.js';
import { repairPlan } from './repair-plan.js';
import type { Repairers } from './repairers.js';
import type { DownloadRequest, ReceivedSegment } from './types.js';

/** What the segment was asked for with. */
export type SegmentSource = Pick<DownloadRequest, 'target' | 'map' | 'file' | 'headers' | 'headerHosts'> & {
  readonly representation: string;
};

/** A segment as far as it has arrived: bytes that arrive later are added, and it is repaired anew. */
export class PartialSegment {
  readonly received: IntervalSet;
  readonly #request: SegmentSource;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #lost: readonly ByteRange[];

  constructor(request: SegmentSource, { bytes, received, lost }: ReceivedSegment) {
    this.#request = request;
    this.#bytes = bytes;
    this.received = received;
    this.#lost = lost;
  }

  get isWhole(): boolean {
    return this.received.contains(0, this.#bytes.length);
  }

  /** What was lost and has not been fetched since. */
  get bytesLost(): number {
    return totalBytes(this.#lost.flatMap(({ start, end }) => this.received.gaps(start, end)));
  }

  /** Asks for these ranges of its file, in that order. */
  requestFor(ranges: readonly ByteRange[]): DownloadRequest {
    const { target, file, map, headers, headerHosts } = this.#request;
    return {
      ...{ target, file, headers, headerHosts },
      map: { range: map.range, reliable: [], reliableBytes: 0, unreliable: ranges },
      unreliableBytes: totalBytes(ranges),
      delivery: 'streams',
      recovery: false,
    };
  }

  add({ bytes, received }: ReceivedSegment): void {
    for (const { start, end } of received) {
      this.#bytes.set(bytes.subarray(start, end), start);
      this.received.add(start, end);
    }
  }

  /**
   * A segment that can be played. Its bytes are the caller's to keep; those of a whole segment are the segment itself.
   * Throws `RepairError` or `VoxelError` when that is not possible.
   */
  repair(repairers: Repairers): { readonly bytes: Uint8Array<ArrayBuffer>; readonly frames: SegmentFrames } {
    const { representation, map } = this.#request;
    const arrived = { bytes: this.#bytes, received: this.received };
    const { bytes, frames } = repairers.repair(representation, arrived, repairPlan(map));
    const isOwn = bytes === this.#bytes && !this.isWhole;
    return {
      bytes: (isOwn ? bytes.slice() : bytes) as Uint8Array<ArrayBuffer>,
      frames: describeFrames(map, { received: this.received, lost: this.#lost }, frames),
    };
  }
}
