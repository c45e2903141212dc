/** Bit/s of the thesis' 13 levels, 144p to 2160p (Table 6.2). */
export const THESIS_BITRATES = [0.16, 0.23, 0.37, 0.56, 0.75, 1.05, 1.75, 2.35, 3, 4.3, 5.8, 7.4, 10].map(
  (mbps) => mbps * 1e6,
);

/** Seconds of the thesis' segments (§6.4.1). */
export const THESIS_SEGMENT_DURATION = 4;
