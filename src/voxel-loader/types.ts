import type { Parity } from '../coding/symbols.js';
import type { DeliveryCounts } from '../delivery/counts.js';
import type { Playhead } from '../delivery/piece-queue.js';
import type { ByteRange } from '../manifest/byte-range.js';
import type { IntervalSet } from '../manifest/interval-set.js';
import type { SegmentMap } from '../manifest/segment-map.js';
import type { VoxelError, VoxelErrorCode } from './errors.js';
import type { DeliveredChunk, DeliveredPiece, SegmentFrames } from './piece-types.js';

export type * from './piece-types.js';

/**
 * How the bytes of a segment travel: the unreliable part as datagrams, all of it on streams of the session, or by an
 * ordinary HTTP request.
 */
export type Delivery = 'datagrams' | 'streams' | 'http';

/** How a session delivers. */
export type SessionDelivery = Exclude<Delivery, 'http'>;

/** Address at which a VOXEL server answers, from `/.well-known/voxel.json` or `options.endpoint`. */
export interface Endpoint {
  /** `https://host:port/voxel` */
  readonly url: string;
  /** SHA-256 of acceptable certificates, raw bytes; empty: the certificate must be publicly trusted. */
  readonly certificateHashes: readonly Uint8Array[];
  /** Every address of the service, this one first, where several are to be used: with `voxel-dash/live` only. */
  readonly paths?: readonly PathEndpoint[];
}

/** One address of a service that has several. */
export interface PathEndpoint extends Pick<Endpoint, 'url' | 'certificateHashes'> {
  /** Above 0: metered. */
  readonly cost: number;
}

/** What is known of one path. */
export interface PathReport {
  readonly url: string;
  readonly cost: number;
  /** `failed`: it is tried again. */
  readonly state: 'opening' | 'open' | 'failed';
  /** Bytes of segments that came over it, and over no other before. */
  readonly bytes: number;
  /** Bit/s, as last seen; undefined: not known yet. */
  readonly rate: number | undefined;
  /** Milliseconds. */
  readonly roundTrip: number | undefined;
  /** Share of datagrams that are lost on the way. */
  readonly lossRate: number;
  /** Why it is not open. */
  readonly error: { readonly code: VoxelErrorCode; readonly message: string } | undefined;
}

/** Places of a segment's bytes, and what becomes of those that are missing: what a download needs to know of it. */
export type SegmentLayout = Pick<
  SegmentMap,
  'range' | 'reliable' | 'unreliable' | 'reliableBytes' | 'needs' | 'reach'
> &
  Partial<Pick<SegmentMap, 'lossCosts' | 'steps'>>;

/** Where a segment is played, in seconds of media time as the page's video counts it. */
export interface SegmentTime {
  readonly start: number;
  readonly duration: number;
}

export interface SegmentRequest {
  /** Whose initialization segment the repair needs: the name that it was given with. */
  readonly representation: string;
  /** Path and query of the media file on the server. */
  readonly target: string;
  readonly map: SegmentLayout;
  /** Another number after the file was found changed: requests of one edition agree on its ETag. */
  readonly edition: number;
  /** How many bytes of `map.unreliable` to ask for: a step's `bytes`. */
  readonly unreliableBytes: number;
  /** `streams`: nothing is sent as datagrams. */
  readonly delivery: SessionDelivery;
  /** Whether datagrams that are lost are asked for again while the rest still comes. */
  readonly recovery: boolean;
  /** That the datagrams should come with; of a request that has to be divided, each part gets it. Undefined: none. */
  readonly parity?: Parity | undefined;
  /** Number of connections to use, of an endpoint that has several; default: all that are open. */
  readonly connections?: number;
  /** Extra request headers (CMCD), sent unchanged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Those, without ports, whose server gets these headers; no other does. */
  readonly headerHosts?: readonly string[];
  /** Milliseconds from now; what of the unreliable part is unsent then need not be sent. */
  readonly deadline?: number | undefined;
  /** Milliseconds until the buffer runs out; undefined: nothing plays. */
  readonly buffer?: number | undefined;
  /** Where the segment is played; undefined: not known, and it cannot be handed over in pieces. */
  readonly time?: SegmentTime | undefined;
  /**
   * Media time in seconds up to which bytes are asked for in the order in which they are shown, and before all others; those are asked for
   * by their worth. Undefined: all by worth.
   */
  readonly byTimeUntil?: number | undefined;
  /** Media time in seconds with which playback is to begin, within the segment: what is shown before is only decoded. */
  readonly playFrom?: number | undefined;
  /** A running download of the same session: nothing comes of this one before its datagrams are sent. */
  readonly after?: SegmentDownload | undefined;
}

/** What a live segment is asked for with, whose pieces are followed as they are made. */
export interface FollowRequest extends Pick<SegmentRequest, 'representation' | 'target' | 'delivery' | 'headers'> {
  /** Media time of the segment's first frame, in seconds. */
  readonly startTime: number;
  /** Milliseconds that the server has for the frames of a chunk; undefined: all are sent, however late. */
  readonly deadline: number | undefined;
  /** The segment's frames are one group: once some are too late, none that follow them are sent or used. */
  readonly isGroup: boolean;
  /** Those, without ports, whose server gets these headers; no other does. */
  readonly headerHosts: readonly string[];
}

/** Bytes here so far, of what was asked. */
export interface SegmentProgress {
  /** `reliable` until every reliable byte is here. */
  readonly phase: 'reliable' | 'unreliable';
  readonly bytesReliable: number;
  readonly bytesUnreliable: number;
  readonly bytesRequested: number;
  /** Seconds since the requests were sent or, if that was later, since the last byte of what goes first. */
  readonly elapsed: number;
}

/** What a download says about the link. */
export interface DeliveryFacts extends DeliveryCounts {
  /** Asked for, but not sent: the download was kept early, the deadline passed or the unreliable part failed. */
  readonly bytesUnsent: number;
  /**
   * Seconds of download, without the wait for what was lost at its end or, at its begin, for what went first: the time of a
   * throughput sample.
   */
  readonly seconds: number;
  /** Bytes that came in that time. */
  readonly bytesMeasured: number;
  /** Seconds of those before the first byte. */
  readonly timeToFirstByte: number;
  /** The server's smoothed round-trip time in ms, as it last said in this session. */
  readonly rtt: number | undefined;
  /** Why the unreliable part ended early, when it failed. The segment can be played all the same. */
  readonly failure: VoxelError | undefined;
}

/** A segment that can be played: whatever is missing of it has been replaced. */
export interface DeliveredSegment extends DeliveryFacts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly frames: SegmentFrames;
  /** What of the segment has arrived; positions from its first byte. */
  readonly received: IntervalSet;
  /** What bytes that arrive later are put into; undefined when none is missing, or the page brought it. */
  readonly kept: KeptSegment | undefined;
}

/** A segment with gaps, as it arrived, which is kept where segments are put together, whatever becomes of its session. */
export interface KeptSegment {
  /** ID that the `Receiver` has for it. */
  readonly id: number;
  /** It will not be needed again. */
  release(): void;
}

/** A segment on its way whose pieces are handed over one by one. */
export interface Following {
  /** Resolves after the last piece; rejects with `VoxelError` when no more will come, or after `abort()`. */
  readonly result: Promise<unknown>;
  /** Throws away what has not been handed over: `result` rejects with code `aborted`. */
  abort(): void;
}

/** A download under way. Poll `progress()`: a stalled link must be reviewed too, and it calls nobody. */
export interface SegmentDownload {
  /**
   * Rejects with `VoxelError` when not every reliable byte came, when what came cannot be repaired, or after `abort()`.
   */
  readonly result: Promise<DeliveredSegment>;
  progress(): SegmentProgress;
  /**
   * Stops here: `result` resolves with what has arrived. False in the reliable phase, in which there is nothing to play yet
   * and the download goes on. The answer is as old as the last report of progress.
   */
  keep(): boolean;
  /** Throws everything away: `result` rejects with code `aborted`. */
  abort(): void;
  /**
   * From now on hands the segment over in pieces, in order: each complete, or due with what is missing of it repaired. The last one is the
   * `bytes` of `result`: without this call, or where the segment cannot be cut, they are the whole segment. May be called at any time;
   * after the first time it does nothing.
   */
  handOver(onPiece: (piece: DeliveredPiece) => void): void;
}

/** A segment that somebody else brings, over HTTP, and that is put together and handed over as downloads are. */
export interface FedDownload extends Pick<SegmentDownload, 'result' | 'abort' | 'handOver'> {
  /** Brings bytes from that position of the media file on; the buffer changes hands. */
  push(position: number, bytes: Uint8Array<ArrayBuffer>): void;
  /** Nothing more comes: `result` resolves with what has arrived, or rejects with `VoxelError` where a reliable byte is missing. */
  end(): void;
}

/** What of a segment is fed. */
export interface FedRequest
  extends Required<Pick<SegmentRequest, 'representation' | 'map' | 'time'>>, Pick<SegmentRequest, 'playFrom'> {
  /** A download that failed after pieces of it had been handed over: it goes on, with what it has. */
  readonly continues?: SegmentDownload | undefined;
  /** When its bytes were asked for, in ms since 1970; default: when it begins to be put together. */
  readonly askedAt?: number | undefined;
}

/** A WebTransport session with a server. */
export interface VoxelSession {
  /** Thread that it runs on. */
  readonly thread: 'worker' | 'page';
  /** Resolves, never rejects, with the reason once the session is gone. */
  readonly closed: Promise<VoxelError>;
  /** Downloads one segment; `result` rejects with code `bad-request` when `unreliableBytes` is more than it has. */
  download(request: SegmentRequest): SegmentDownload;
  /**
   * Fetches ranges of the media file into a segment that was delivered with gaps, in that order, on a stream. `result` is the
   * segment with what has arrived now, kept or failed downloads included; the counts and times are those of this request,
   * except for `bytesLost`, which is what is still missing of what was lost.
   */
  fetchInto(segment: KeptSegment, ranges: readonly ByteRange[]): SegmentDownload;
  /** Hands over the pieces of a live segment as they are made, each when it is complete or due. */
  follow(request: FollowRequest, onPiece: (piece: DeliveredChunk) => void): Following;
  /** Says where playback is, on the clock of `performance.now()`, by which pieces are due. Undefined: nothing plays. */
  play(playhead: Playhead | undefined): void;
  /** Ends the session; everything in flight fails with `session-closed`. */
  close(): void;
}
