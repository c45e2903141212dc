import type { ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { VoxelError, type VoxelErrorCode } from '../errors.js';
import type { DeliveredSegment, Endpoint, SegmentProgress, SegmentRequest } from '../types.js';

/** From the page to the worker. `id`: a number that the page gives each download. */
export type PageMessage =
  | { readonly type: 'open'; readonly endpoint: Endpoint }
  | { readonly type: 'download'; readonly id: number; readonly request: SegmentRequest }
  | { readonly type: 'keep' | 'abort'; readonly id: number }
  | { readonly type: 'close' };

/** From the worker to the page. */
export type WorkerMessage =
  /** The worker runs. */
  | { readonly type: 'started' }
  | { readonly type: 'opened' }
  /** The session could not be opened, or is gone. */
  | { readonly type: 'failed' | 'closed'; readonly error: ErrorMessage }
  | { readonly type: 'progress'; readonly id: number; readonly progress: SegmentProgress }
  | { readonly type: 'delivered'; readonly id: number; readonly delivered: DeliveredMessage }
  | { readonly type: 'rejected'; readonly id: number; readonly error: ErrorMessage };

/** A `VoxelError` as structured cloning keeps it. */
export interface ErrorMessage {
  readonly code: VoxelErrorCode;
  readonly message: string;
  readonly status: number | undefined;
}

/** A delivered segment: its buffer changes hands, an `IntervalSet` cannot. */
export type DeliveredMessage = Omit<DeliveredSegment, 'received' | 'failure' | 'bytes'> & {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly received: readonly ByteRange[];
  readonly failure: ErrorMessage | undefined;
};

export function encodeError(error: unknown): ErrorMessage {
  if (error instanceof VoxelError) return { code: error.code, message: error.message, status: error.status };
  return { code: 'bad-request', message: String(error), status: undefined };
}

export function decodeError({ code, message, status }: ErrorMessage): VoxelError {
  return new VoxelError(code, message, status === undefined ? {} : { status });
}

export function encodeDelivered({ received, failure, ...facts }: DeliveredSegment): DeliveredMessage {
  return {
    ...facts,
    bytes: facts.bytes as Uint8Array<ArrayBuffer>,
    received: [...received],
    failure: failure && encodeError(failure),
  };
}

export function decodeDelivered({ received, failure, ...facts }: DeliveredMessage): DeliveredSegment {
  const set = new IntervalSet();
  for (const { start, end } of received) set.add(start, end);
  return { ...facts, received: set, failure: failure && decodeError(failure) };
}
