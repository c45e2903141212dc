export { CONSTANTS } from './star/constants.js';
export { createAbrStar } from './star/create-abr-star.js';
export { AbrLive } from './live/abr-live.js';
export { linkRate } from './live/link-rate.js';
export { waitForRoom } from './buffer.js';
export { AbrError, type AbrErrorCode } from './errors.js';
export { LossEstimator } from './loss.js';
export { LOOKAHEAD, segmentOptions } from './options.js';
export type { AbrSettings } from './settings.js';
export { ThroughputEstimator } from './throughput.js';
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
} from './types.js';
