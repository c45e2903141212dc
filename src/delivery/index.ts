export { isWaitedFor, KEEPS_UP, mayBegin, PIECE_SECONDS, type ExpectedDownload, type ExpectedPiece } from './begin.js';
export { bufferCapacity, fullBuffer } from './buffer.js';
export { addCounts, NO_COUNTS, type DeliveryCounts } from './counts.js';
export { deadlineOf } from './deadline.js';
export { decisionState, linkState, type LinkEstimate, type Situation } from './decision-state.js';
export { firstRateOver, type FirstLink } from './first-rate.js';
export { bufferAhead, type PipelineMoment, type PipelineThreshold } from './pipeline.js';
export { comesInTime } from './recovery.js';
export { PathEstimate, type PathFacts } from './path.js';
export { dueTime } from './piece-queue.js';
export { frameParity, noParity, parityForTheTail, type Protection, type ProtectionNeed } from './protection.js';
export { planRetransmission, type PartialSegment, type RetransmissionLimits } from './retransmission-plan.js';
export {
  isBeingDecoded,
  look,
  LOOK_INTERVAL,
  pauseLength,
  planUrgent,
  type HeldSegment,
  type Look,
  type Moment,
  type PlaybackPosition,
} from './retransmission.js';
export { levelReached, REVIEW_INTERVAL } from './review.js';
export { pipelineThreshold, voxel, withoutRepeats, type Strategy } from './strategy.js';
export { UpcomingOptions, wholeAlone } from './upcoming-options.js';
