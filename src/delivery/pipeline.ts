/** Nothing is asked for before this share is here: the choice would be made with too little knowledge. */
const LEAST_SHARE = 0.2;

/** Seconds by which a request goes out sooner: worker and page look every 50 ms, one after the other, and the next look may be too late. */
const LOOKS = 0.1;

/** A look at a running download. Times in seconds of the clock, but for the buffer's, which are of video. */
export interface PipelineMoment {
  readonly bytesReceived: number;
  readonly bytesRequested: number;
  /** Since its first byte could come. */
  readonly elapsed: number;
  readonly segmentDuration: number;
  /** Seconds of the segment that the player has already, where it gets it in pieces; undefined: it gets all of it at the end. */
  readonly handedOver?: number | undefined;
  readonly bufferLevel: number;
  /** No segment is asked for with so much in the buffer. */
  readonly fullBuffer: number;
  /** 0 while nothing plays. */
  readonly playbackRate: number;
}

/** When the next segment is asked for. */
export interface PipelineThreshold {
  /** Rx_T. */
  readonly share: number;
  /** Sooner by so many seconds: later, the request would come too late to keep the link busy. */
  readonly lead: number;
}

/**
 * Pipelining: the buffer that there will be when the running download is complete, if the segment after it should be asked
 * for now, while the last bytes are on their way; undefined while it should not.
 */
export function bufferAhead(moment: PipelineMoment, { share, lead }: PipelineThreshold): number | undefined {
  const { bytesReceived, bytesRequested, elapsed, bufferLevel, segmentDuration, handedOver } = moment;
  // Before the first byte nothing says how long the rest will take.
  if (bytesReceived <= 0 || elapsed <= 0) return undefined;
  const secondsTo = (bytes: number) => (elapsed * Math.max(0, bytes - bytesReceived)) / bytesReceived;
  const isNear = bytesReceived >= LEAST_SHARE * bytesRequested && secondsTo(share * bytesRequested) <= lead + LOOKS;
  const played = secondsTo(bytesRequested) * moment.playbackRate;
  const buffer =
    handedOver === undefined
      ? Math.max(0, bufferLevel - played) + segmentDuration
      : Math.max(0, bufferLevel + segmentDuration - handedOver - played);
  return isNear && buffer < moment.fullBuffer ? buffer : undefined;
}
