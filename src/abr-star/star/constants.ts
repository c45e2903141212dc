/** What of `abr-star` is chosen, not derived. `npm run simulate -- --abr abr-star:CONSTANT=VALUE` plays with another value. */
export const CONSTANTS = {
  /** Share of the throughput that plans count on where a link is unsteady, and reviews of a running download's. */
  bandwidthSafety: 0.9,

  /** A stall as long as a segment costs so many times what separates the ends of the ladder. */
  stallWeight: 6,
  /** What another representation than that of the segment before costs, in the same unit, on an unsteady link: prefixes follow it. */
  switchWeight: 0.16,
  /** What a change of score from one segment to the next costs, against the score itself. */
  stepWeight: 0.5,

  /** How many segments after the next one a plan covers. */
  horizon: 4,
  /** What is buffered at a plan's end is worth what it buys when spread over so many average segments. */
  segmentsBeyond: 16,

  /** Bounds of the deviation: no link is steadier, and beyond, keeping what has arrived is the better answer. */
  leastDeviation: 0.05,
  mostDeviation: 0.2,
  /** How often an unsteady link fades while a segment is on its way, and how many times slower it is then: reliable parts must be small. */
  fadeChance: 0.06,
  fadeFactor: 4,
  /** How often a segment ends in an outage, on an unsteady link, and its mean length in seconds: 3G logs have such. */
  outageChance: 0.25,
  outageSeconds: 12,
  /** Seconds of download after which a rate weighs half. */
  halfLife: 3,

  /** Weight of a running download's own throughput against the estimate from before it: links return to their mean. */
  progressWeight: 0.8,
  /** Standard deviation of the logarithm of the rate for what is left of a late download. */
  lateDeviation: 0.6,
  /** A restart throws away what is here: it must gain so much of what separates the ends of the ladder. */
  restartGain: 0.5,
  /** Bytes in queues when a link slows down: they come before anything of a restart. */
  bytesInQueues: 40_000,
  /** Seconds of buffer at which a late download is kept as it is: a few reviews, as timers, repair and appending take time. */
  lastMoment: 0.3,

  /** Share of datagram bytes lost for good from which a segment goes on streams, where there is time for their repeats. */
  lossLimit: 0.02,

  /** How much more a score counts in the first seconds, where the first choice is for a quick start: it lifts what follows. */
  firstWeight: 3,
  /** Seconds after which playback begins with what has come, if it will do: a better first picture is not worth a longer wait. */
  startUp: 0.8,
  /** Bit/s that a first download counts on while nothing is known of the link: dash.js' own first guess. */
  firstRate: 1e6,
};

export type Constants = Readonly<typeof CONSTANTS>;
