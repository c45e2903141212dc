import type { Playhead } from '../delivery/chunk-queue.js';
import type { DeliveredChunk, FollowRequest } from './live-types.js';
import type { ErrorMessage, PageMessage, WorkerMessage } from './messages.js';

/** From the page to the worker of `voxel-dash/full`, besides those that every worker takes. */
export type LivePageMessage =
  | PageMessage
  | { readonly type: 'follow'; readonly id: number; readonly session: number; readonly request: FollowRequest }
  | { readonly type: 'unfollow'; readonly id: number }
  /** `at` in ms since 1970: page and worker have clocks of their own. */
  | { readonly type: 'play'; readonly playhead: Playhead | undefined };

/** From that worker to the page. */
export type LiveWorkerMessage =
  | WorkerMessage
  | { readonly type: 'chunk'; readonly id: number; readonly chunk: DeliveredChunk }
  /** The last chunk has been handed over, or, with an error, no more will be. */
  | { readonly type: 'followed'; readonly id: number; readonly error: ErrorMessage | undefined };

/** Of the clock of playheads, which is the same in page and worker. */
export function epochNow(): number {
  return performance.timeOrigin + performance.now();
}
