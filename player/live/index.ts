export * from '../index.js';
export { attachVoxel } from './attach-live.js';
export type { LiveHandle, LiveOptions, LivePluginEventMap, LivePluginStatistics, PathOption } from './attach-live.js';
export type { ChunkEvent, LiveStatistics } from './live-plugin.js';
export { liveClock, measureLatency, type LatencyMeter, type LiveClock } from '../latency/latency.js';
export type { LatencySummary } from '../latency/latency-statistics.js';
