import { STREAM_INFO } from './representation.js';

/** Seconds of buffer of the playback whose rule is asked: sessions of a thread are played one after the other. */
let bufferLevel = 0;

/** Tells the metrics whose playback they are of, for the next question. */
export function showBuffer(seconds: number): void {
  bufferLevel = seconds;
}

/** dash.js' own values. */
const stateOf = (seconds: number) => (seconds > 0 ? 'bufferLoaded' : 'bufferStalled');

/** `DashMetrics`, as far as rules have use for it. */
export const DASH_METRICS = {
  getCurrentBufferLevel: () => bufferLevel,
  getCurrentBufferState: () => ({ state: stateOf(bufferLevel) }),
};

/** `MetricsModel`: the latest of each list. Milliseconds. */
export const METRICS_MODEL = {
  getMetricsFor: () => ({
    BufferLevel: [{ level: 1000 * bufferLevel }],
    BufferState: [{ state: stateOf(bufferLevel) }],
  }),
};

export const STREAM_CONTROLLER = { getActiveStreamInfo: () => STREAM_INFO };
