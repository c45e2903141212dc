export { attachVoxel } from './attach.js';
export type {
  Abr,
  Choice,
  DecisionState,
  Dispersion,
  DownloadProgress,
  LadderRepresentation,
  LiveState,
  Option,
  Review,
  ThroughputSample,
} from '../src/abr-star/index.js';
export { AbrError, type AbrErrorCode } from '../src/abr-star/index.js';
export type { DashPlayer } from './dash/dash-types.js';
export { PlayerError, type ErrorCode, type PlayerErrorCode } from './api/errors.js';
export type {
  AbrName,
  DecisionEvent,
  DeliveredEvent,
  EndpointOption,
  FallbackEvent,
  FrameState,
  LostEvent,
  PathEvent,
  PathReport,
  RepairedEvent,
  SegmentRecord,
  Delivery,
  SessionEvent,
  Strategy,
  SummaryEvent,
  VoxelEventMap,
  VoxelHandle,
  VoxelOptions,
  VoxelStatistics,
  VoxelSummary,
} from './api/types.js';
