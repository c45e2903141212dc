export * from '../index.js';
export { attachVoxel } from './attach-live.js';
export type { LiveOptions, PathOption } from './attach-live.js';
export type { ChunkEvent, LiveHandle, LivePluginEventMap, LivePluginStatistics, LiveStatistics } from '../api/types.js';
export { liveClock, measureLatency, type LatencyMeter, type LiveClock } from '../latency/latency.js';
export type { LatencySummary } from '../latency/latency-statistics.js';
