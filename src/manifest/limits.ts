/** The largest segment taken for real, in bytes: 30 s at 71 Mbit/s. A player must be able to hold it in memory. */
export const MAX_SEGMENT_BYTES = 2 ** 28;
