/** What became of one frame (sample) of a segment, in decode order. */
export interface FrameReport {
	/** Position in decode order, 0-based. */
	readonly index: number;
	/** Position of its first byte in the segment as delivered. */
	readonly start: number;
	/** Its size as delivered. */
	readonly bytes: number;
	/** B when any slice is B, else P when any is P, else I; undefined where missing frames are removed: samples are not parsed then. */
	readonly type: "I" | "P" | "B" | undefined;
	/** 0 where samples are not parsed. */
	readonly slices: number;
	/** Slices that were incomplete and are now all-skip slices. */
	readonly repairedSlices: number;
	/** It was taken out: the picture before it is shown for longer. */
	readonly removed: boolean;
}
interface PlannedRange {
	readonly start: number;
	readonly end: number;
}
/** A frame that is taken out where it is missing: all its bytes. */
export interface RemovableFrame extends PlannedRange {
	/** Frames without which it goes, too, by their places in the plan; all stand before it there. */
	readonly needs: readonly number[];
}
/** Consecutive bytes of a segment: `[start, end)`, counted from the segment's first byte. */
export interface ByteRange {
	readonly start: number;
	readonly end: number;
}
/**
 * - `unsupported-stream`: the stream uses a feature that repair does not know.
 * - `malformed`: the bytes have arrived, but are not what they should be.
 * - `missing-reliable-bytes`: bytes that every repair needs have not arrived.
 */
export type RepairErrorCode = "unsupported-stream" | "malformed" | "missing-reliable-bytes";
/** Why a stream or a segment cannot be repaired; the message is one line. */
export declare class RepairError extends Error {
	readonly code: RepairErrorCode;
	readonly name = "RepairError";
	constructor(code: RepairErrorCode, message: string, options?: ErrorOptions);
}
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
	repair(segment: Uint8Array<ArrayBuffer>, missing: readonly ByteRange[], removable?: readonly RemovableFrame[]): RepairedSegment;
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
export declare function createRepairer(init: Uint8Array): SegmentRepairer;

export {};
