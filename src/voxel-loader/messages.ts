import type { Playhead } from '../delivery/piece-queue.js';
import type { ByteRange } from '../manifest/byte-range.js';
import { VoxelError, type VoxelErrorCode } from './errors.js';
import type {
  DeliveredChunk,
  DeliveredPiece,
  DeliveredSegment,
  Endpoint,
  FedRequest,
  FollowRequest,
  PathReport,
  SegmentFrames,
  SegmentLayout,
  SegmentProgress,
  SegmentRequest,
} from './types.js';

/**
 * Messages from the page to the worker. The page numbers what it asks for: `session` is one number space, `id` (downloads,
 * what is followed, inspections) another. A segment that is kept with gaps has the number of the download that brought it.
 */
export type PageMessage =
  /** Tracks of that codec (RFC 6381; of encrypted video `encv`) are to be initialized soon. */
  | { readonly type: 'expect'; readonly codec: string }
  | { readonly type: 'initialize'; readonly representation: string; readonly bytes: Uint8Array }
  | { readonly type: 'open'; readonly session: number; readonly endpoint: Endpoint }
  | {
      readonly type: 'download';
      readonly id: number;
      readonly session: number;
      /** A download of the same session whose bytes go first. */
      readonly after: number | undefined;
      readonly request: Omit<SegmentRequest, 'after'>;
    }
  | {
      readonly type: 'fetch-into';
      readonly id: number;
      readonly session: number;
      readonly segment: number;
      readonly ranges: readonly ByteRange[];
    }
  /** Its answers are pieces. Workers that follow nothing leave it without an answer. */
  | { readonly type: 'follow'; readonly id: number; readonly session: number; readonly request: FollowRequest }
  /** `at` in ms since 1970: page and worker have clocks of their own. */
  | { readonly type: 'play'; readonly playhead: Playhead | undefined }
  | { readonly type: 'keep'; readonly id: number }
  /** From now on the download is handed over in pieces. */
  | { readonly type: 'hand-over'; readonly id: number }
  /** A download whose bytes the page brings. */
  | {
      readonly type: 'assemble';
      readonly id: number;
      /** A download that failed, and whose pieces this one goes on with. */
      readonly continues: number | undefined;
      readonly request: Omit<FedRequest, 'continues'>;
    }
  /** `position` in the media file. */
  | { readonly type: 'feed'; readonly id: number; readonly position: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'feed-end'; readonly id: number }
  /** Ends the download, and forgets the segment that it has brought. */
  | { readonly type: 'release'; readonly id: number }
  | {
      readonly type: 'inspect';
      readonly id: number;
      readonly representation: string;
      readonly map: SegmentLayout;
      readonly bytes: Uint8Array;
    }
  | { readonly type: 'close'; readonly session: number }
  | { readonly type: 'stop' };

/** Messages from the worker to the page. */
export type WorkerMessage =
  /** The worker runs. */
  | { readonly type: 'started' }
  | { readonly type: 'initialized'; readonly representation: string; readonly repairs: RepairAbility | ErrorMessage }
  | { readonly type: 'opened'; readonly session: number }
  /** The paths of a session with several. */
  | { readonly type: 'paths'; readonly paths: readonly PathReport[] }
  /** The session could not be opened, or is gone. */
  | { readonly type: 'closed'; readonly session: number; readonly error: ErrorMessage }
  | { readonly type: 'progress'; readonly id: number; readonly progress: SegmentProgress }
  | { readonly type: 'piece'; readonly id: number; readonly piece: DeliveredPiece | DeliveredChunk }
  /** Undefined: its pieces were all of it. */
  | { readonly type: 'delivered'; readonly id: number; readonly delivered: DeliveredMessage | undefined }
  | { readonly type: 'rejected'; readonly id: number; readonly error: ErrorMessage }
  | { readonly type: 'inspected'; readonly id: number; readonly frames: SegmentFrames };

/** Which segments of a representation can be repaired: `planned`, those of which an index says what may be taken out. */
export type RepairAbility = 'all' | 'planned' | 'none';

/** An error as structured cloning keeps it. */
export interface ErrorMessage {
  readonly code: VoxelErrorCode;
  readonly message: string;
  readonly status: number | undefined;
}

/** A delivered segment: its buffer changes hands, an `IntervalSet` cannot. */
export type DeliveredMessage = Omit<DeliveredSegment, 'received' | 'failure' | 'kept'> & {
  readonly received: readonly ByteRange[];
  readonly failure: ErrorMessage | undefined;
  /** The number of the segment that the worker keeps with its gaps. */
  readonly kept: number | undefined;
};

/** Layout alone: a clone of all that is known of a segment would cost more than a request. */
export function layoutOf(map: SegmentLayout): SegmentLayout {
  const { range, reliable, unreliable, reliableBytes, needs, reach, lossCosts, steps } = map;
  const missing = { ...(needs && { needs }), ...(reach && { reach }) };
  return { range, reliable, unreliable, reliableBytes, ...missing, ...(lossCosts && { lossCosts, steps }) };
}

export function decodeError({ code, message, status }: ErrorMessage): VoxelError {
  return new VoxelError(code, message, status === undefined ? {} : { status });
}
