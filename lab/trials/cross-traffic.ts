/** Other people's downloads through the same bottleneck (thesis §6.5.2). */
export interface CrossTraffic {
  /** TCP downloads without an end, from before the playback on. */
  readonly bulkFlows?: number;
  /** TCP downloads that come and go while it plays. */
  readonly timedFlows?: readonly TimedFlows[];
  /** Web-like downloads with pauses between them, Mbit/s on average if the link lets them. */
  readonly webMbps?: number;
}

/** Seconds since the player was started. */
export interface TimedFlows {
  readonly flows: number;
  readonly start: number;
  readonly stop: number;
}

export function hasCrossTraffic({ bulkFlows = 0, timedFlows = [], webMbps = 0 }: CrossTraffic): boolean {
  return bulkFlows + timedFlows.length + webMbps > 0;
}

export function crossTrafficLabel({ bulkFlows = 0, timedFlows = [], webMbps = 0 }: CrossTraffic): string {
  const parts = [
    ...(bulkFlows > 0 ? [flowsLabel(bulkFlows)] : []),
    ...(timedFlows.length > 0 ? [timedLabel(timedFlows)] : []),
    ...(webMbps > 0 ? [`${webMbps} Mbit/s web`] : []),
  ];
  return parts.join(' and ') || 'none';
}

const flowsLabel = (count: number) => `${count} bulk flow${count > 1 ? 's' : ''}`;

function timedLabel(timed: readonly TimedFlows[]): string {
  const from = Math.min(...timed.map(({ start }) => start));
  const to = Math.max(...timed.map(({ stop }) => stop));
  return `${flowsLabel(timed.reduce((sum, { flows }) => sum + flows, 0))} between ${from} and ${to} s`;
}
