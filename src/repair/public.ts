// What the package `voxel-repair` exports: packages/repair/.
import { readTrack } from './codecs.js';
import { commonEncryption } from './encryption.js';
import { allExcept, type ByteRange } from './missing.js';
import { removeMissing } from './removal.js';
import { trackRepairer } from './repairer.js';
import type { FrameReport, RemovableFrame } from './types.js';
import { unreliableRanges } from './unreliable.js';

export { RepairError, type RepairErrorCode } from './errors.js';
export type { ByteRange, FrameReport, RemovableFrame };

/** A segment that plays, and what became of its frames. */
export interface RepairedSegment {
  /** A valid segment: the one that arrived, with every incomplete slice replaced, or every incomplete frame taken out. That one itself where nothing is missing. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Every frame, in decode order. */
  readonly frames: readonly FrameReport[];
}

/** Repairs the segments that belong to one initialization segment. */
export interface SegmentRepairer {
  /**
   * Makes a valid segment of what has arrived.
   *
   * `segment` has its full length, from the first byte of its first box to the last of its last; its missing bytes may have any value. It
   * is not changed, so that bytes which arrive later can be put into it, and it can be repaired anew. `missing` says which bytes have not
   * arrived, in any order.
   *
   * `removable`: instead of replacing slices of H.264, it takes these frames out where they are missing, in any codec and encryption, and
   * the picture shown before stands for longer. All other bytes must arrive.
   *
   * Throws `RepairError` (`missing-reliable-bytes`, `unsupported-stream`, `malformed`): this segment has to be fetched whole.
   */
  repair(
    segment: Uint8Array<ArrayBuffer>,
    missing: readonly ByteRange[],
    removable?: readonly RemovableFrame[],
  ): RepairedSegment;

  /**
   * Which bytes of a complete segment may go missing, ascending: any of them, or all of them, and `repair` still makes a valid segment. A
   * sender sends these without retransmission, and all others reliably. Of H.264 whose slices can be replaced.
   *
   * Throws `RepairError` (`unsupported-stream`, `malformed`): segments of this kind must come whole.
   */
  unreliableRanges(segment: Uint8Array): ByteRange[];
}

/**
 * The repairer for the segments of an initialization segment: fragmented MP4 with one track. Of progressive 4:2:0 H.264 it replaces slices,
 * of every other codec it only takes out frames that are `removable`. Throws `RepairError` (`unsupported-stream`, `malformed`).
 */
export function createRepairer(init: Uint8Array): SegmentRepairer {
  requireBytes('init', init);
  const track = readTrack(init, commonEncryption);
  const repairer = trackRepairer({ track, plans: { removeMissing } });
  return {
    repair(segment, missing, removable) {
      requireBytes('segment', segment);
      const received = allExcept(missing, segment.length);
      const plan = removable && ({ kind: 'remove', frames: removable } as const);
      const { bytes, frames } = repairer.repair(segment, received, plan);
      // Either the segment itself or a new array.
      return { bytes: bytes as Uint8Array<ArrayBuffer>, frames };
    },
    unreliableRanges(segment) {
      requireBytes('segment', segment);
      // Finds everything that a repair could object to.
      repairer.repair(segment, allExcept([], segment.length));
      return unreliableRanges(track, segment);
    },
  };
}

/** Tells callers without a type checker: `fetch` gives an `ArrayBuffer`, in which nothing would be found. */
function requireBytes(name: string, value: unknown): void {
  if (value instanceof Uint8Array) return;
  const found = value === null ? 'null' : typeof value === 'object' ? value.constructor.name : typeof value;
  throw new TypeError(`${name} must be a Uint8Array, got ${found}`);
}
