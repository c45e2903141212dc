/** One way to download the next segment: a representation and how much of its unreliable part. */
export interface Option {
  /** Position in the ladder, 0 = lowest. */
  readonly representation: number;
  /** Virtual level: index into the segment's quality steps; the last one is the whole segment. */
  readonly level: number;
  readonly score: number;
  /** All bytes to download: reliable and the prefix of unreliable. */
  readonly bytes: number;
  /** The part of `bytes` that is reliable. */
  readonly reliableBytes: number;
}

/** One representation of the ladder, over the whole stream. */
export interface LadderRepresentation {
  /** Bit/s. */
  readonly bitrate: number;
  /** Mean score of its untouched segments. */
  readonly averageScore: number;
}

/** One finished (or reviewed) download, for throughput estimates. Pauses and the wait after a trailer are not in it. */
export interface ThroughputSample {
  readonly bytes: number;
  /** From the request to the last byte. */
  readonly seconds: number;
  /** The part of `seconds` before the first byte; 0 where it is not known. */
  readonly timeToFirstByte?: number;
}

/** One chunk of a live segment that came as datagrams. */
export interface Dispersion {
  readonly packets: number;
  /** Bytes of all of them but the first. */
  readonly bytes: number;
  /** From the first to the last. */
  readonly seconds: number;
}

/** What a rule for live streams may look at besides. */
export interface LiveState {
  /** Dispersions of the latest chunks, newest last. */
  readonly dispersions: readonly Dispersion[];
  /** Bit/s that the sender's congestion window lets through: a window each round trip. Undefined: not known yet. */
  readonly windowRate: number | undefined;
  /** Bytes of the picture that a segment begins with, for each representation of the ladder. */
  readonly keyFrameBytes: readonly number[];
  /** Seconds that a chunk may take from the server to the buffer; less two round trips where losses are the rule. */
  readonly slack: number;
  /** Seconds since a chunk last came with bytes that the server did not send in time, or since the beginning. */
  readonly secondsWithoutUnsent: number;
}

/** Everything a rule may look at before it chooses. Times in seconds, rates in bit/s, sizes in bytes. */
export interface DecisionState {
  readonly segmentIndex: number;
  readonly segmentDuration: number;
  readonly bufferLevel: number;
  /** An "N-segment buffer" is (N + 1) × segmentDuration here: N held and one in flight (docs/ABR.md). */
  readonly bufferCapacity: number;
  /** Estimate over everything downloaded so far, or undefined before the first sample. */
  readonly throughput: number | undefined;
  /** The latest samples, newest last, at most 20. */
  readonly samples: readonly ThroughputSample[];
  readonly lastChoice: Option | undefined;
  /** Ascending in bitrate. */
  readonly ladder: readonly LadderRepresentation[];
  /** Options of the next segment: never empty, sorted by representation, then level. */
  readonly options: readonly Option[];
  /**
   * `options` of the next segment and of those after it, for rules that look ahead: at most 8, fewer towards the end of
   * the stream. Undefined: what comes after the next segment is not known.
   */
  readonly upcoming?: readonly (readonly Option[])[];
  /** Share of the unreliable bytes sent lately that never arrived, nor when they were asked for again, 0 … 1. Undefined before the first. */
  readonly lossRate?: number;
  /** Whether anything that was asked for is missing of the latest segment. */
  readonly hasGaps?: boolean;
  /** Seconds of a piece in which the player gets a segment that is waited for; undefined: it gets whole segments alone. */
  readonly pieceSeconds?: number;
  /** Undefined: the stream is not live, or its server sends no chunks. */
  readonly live?: LiveState;
}

export interface Choice {
  readonly option: Option;
  /** Seconds to wait before the request. */
  readonly delay: number;
  /** On streams, whatever the player's default: what is lost on the way is sent again. It holds for restarts, too. */
  readonly delivery?: 'streams';
}

/** A download as it stands, for review every 50 ms. */
export interface DownloadProgress {
  /** The state as it is now: `bufferLevel` is what is left to play, `lastChoice` the segment before, `options` this one's. */
  readonly state: DecisionState;
  readonly option: Option;
  /** Seconds since the request was sent. */
  readonly elapsed: number;
  /** Bytes of `option.bytes` that are here. */
  readonly bytesReceived: number;
  /** `reliable` until every reliable byte is here: nothing may be kept before. */
  readonly phase: 'reliable' | 'unreliable';
  /**
   * The highest virtual level whose frames have arrived, 0 while in the reliable phase. Count bytes, not an unbroken
   * prefix: one lost datagram must not make all that follows it worthless.
   */
  readonly levelReceived: number;
  /**
   * Seconds of the segment that the player has already, where it gets it in pieces, as somebody waits for it: from then on there is no restart.
   * Undefined: it gets all of it at the end.
   */
  readonly handedOver?: number;
}

export type Review =
  | { readonly action: 'continue' }
  /** Stop here and play what has arrived. */
  | { readonly action: 'keep' }
  /** Throw away what has arrived and download this instead; one of `state.options`. */
  | { readonly action: 'restart'; readonly option: Option };

/**
 * A bitrate rule. It has memory (a rule is made anew for every playback) but no clock and no I/O, so player and simulator
 * run the very same code.
 */
export interface Abr {
  readonly name: string;
  /** Set by rules that are published for reliable transports: all that they choose travels on streams. */
  readonly delivery?: 'streams';
  /** Bit/s to begin with where a player must ask for something before it knows any sizes. Undefined: the lowest representation. */
  readonly firstRate?: number;
  /**
   * Ask once per segment and keep the answer: the rule takes it as downloaded next. The segment before may be still on its
   * way, and under review; `bufferLevel` then holds it.
   */
  choose(state: DecisionState): Choice;
  /** Ask every 50 ms while a chosen option downloads. Rules without it let every download run to its end. */
  review?(progress: DownloadProgress): Review;
  /** Forget everything, for example after a seek. */
  reset(): void;
}
