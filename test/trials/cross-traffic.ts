/** Other people's downloads through the same bottleneck (thesis §6.5.2). */
export interface CrossTraffic {
  /** TCP downloads without an end. */
  readonly bulkFlows?: number;
  /** Web-like downloads with pauses between them, Mbit/s on average if the link lets them. */
  readonly webMbps?: number;
}

export function crossTrafficLabel({ bulkFlows = 0, webMbps = 0 }: CrossTraffic): string {
  const parts = [
    ...(bulkFlows > 0 ? [`${bulkFlows} bulk flow${bulkFlows > 1 ? 's' : ''}`] : []),
    ...(webMbps > 0 ? [`${webMbps} Mbit/s web`] : []),
  ];
  return parts.join(' and ') || 'none';
}
