const WAITED = 'seconds of start-up and stalls together';
/** What stands behind a score. */
export const SLIDE_SHOW =
  'slide show: higher than the named one’s, at less than .9 of its pictures a second or with a still that is over .5 s longer';

const BUF_RATIO = 'stalled time without start-up over the video’s duration, at most 1';

/** What the figures of the simulator's summary mean, by the keys of their columns. */
export const DEFINITIONS: Readonly<Record<string, string>> = {
  buffer: 'segments that the buffer holds; one more is under way',
  abr: 'the rule that chose representation and level',
  bufRatioMean: `mean over sessions of ${BUF_RATIO}`,
  bufRatio: `mean over sessions of ${BUF_RATIO}`,
  bufRatioStandardError: 'standard error of that mean; none of fewer than ten sessions',
  bufRatioMedian: 'median bufRatio',
  bufRatioP90: '90th percentile of bufRatio',
  bufRatioP95: '95th percentile of bufRatio',
  score: `mean score of the segments as delivered, losses and left-out frames included, in the content’s metric; ${SLIDE_SHOW}`,
  scoreP10: 'the score below which a tenth of all segments lies',
  bitrate: 'delivered bits over the video’s duration',
  switches: 'segments of another representation than the one before, a session',
  aSSIM: 'score / (1 + bufRatio): a frame period that stalls scores 0',
  qoe: 'aSSIM less half the mean step of the score from segment to segment',
  perfect: 'share of segments with the top representation’s full score',
  partial: 'share of segments that were played with bytes missing',
  startup: 'mean seconds of start-up',
  startupMedian: 'median seconds of start-up',
  startupP95: '95th percentile of the start-up',
  scoreFirst: 'mean score of the video’s first ten seconds',
  waited: `mean over sessions of the ${WAITED}`,
  waitedMedian: `median of the ${WAITED}`,
  waitedP90: `90th percentile of the ${WAITED}`,
  waitedWorst: `mean of the worst 5 % of the sessions: ${WAITED}`,
  waitsLong: 'share of sessions that wait for more than 5 % of their time',
  longestStall:
    'mean of the sessions’ longest stalls, s; ≤: no more than that, as a session does not say which of its stalls was the longest',
  longestStill:
    'mean over sessions of how long one picture stood at most, waiting or frames missing, s; start-up is none',
  picturesPerSecond:
    'new pictures in a second of playback, waits left out; what stands in a missing frame’s place is none',
  linkIdle: 'share of what the link could carry, from the first segment to the last, that was left unused',
  felt: 'QoE with start-up counted as stalled and switches of representation charged',
  soda: 'SODA’s measure: mean utility − 10 · bufRatio − share of segments that switch',
};
