import type { ByteRange } from '../manifest/byte-range.js';
import type { IntervalSet } from '../manifest/interval-set.js';
import type { SegmentMap } from '../manifest/segment-map.js';
import type { VoxelError } from './errors.js';

/**
 * How the bytes of a segment travel: the unreliable part as datagrams, all of it on streams of the session, or by an
 * ordinary HTTP request.
 */
export type Delivery = 'datagrams' | 'streams' | 'http';

/** How a session delivers. */
export type SessionDelivery = Exclude<Delivery, 'http'>;

/** Where a VOXEL server answers, from `/.well-known/voxel.json` or `options.endpoint`. */
export interface Endpoint {
  /** `https://host:port/voxel` */
  readonly url: string;
  /** SHA-256 of acceptable certificates, raw bytes; empty: the certificate must be publicly trusted. */
  readonly certificateHashes: readonly Uint8Array[];
}

/** Where the bytes of a segment lie: what a download needs to know of it. */
export type SegmentLayout = Pick<SegmentMap, 'range' | 'reliable' | 'unreliable' | 'reliableBytes'>;

export interface SegmentRequest {
  /** Path and query of the media file on the server. */
  readonly target: string;
  readonly map: SegmentLayout;
  /** How many bytes of `map.unreliable` to ask for: a step's `bytes`. */
  readonly unreliableBytes: number;
  /** `streams`: nothing is sent as datagrams. */
  readonly delivery: SessionDelivery;
  /** Extra request headers (CMCD), sent unchanged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from now; what of the unreliable part is unsent then need not be sent. */
  readonly deadline?: number | undefined;
}

/** Bytes here so far, of what was asked. */
export interface SegmentProgress {
  /** `reliable` until every reliable byte is here. */
  readonly phase: 'reliable' | 'unreliable';
  readonly bytesReliable: number;
  readonly bytesUnreliable: number;
  readonly bytesRequested: number;
  /** Seconds since the requests were sent. */
  readonly elapsed: number;
}

/** What came of a segment. Holes in `bytes` are zero; `received` says where they are. */
export interface DeliveredSegment {
  /** The whole segment's length. */
  readonly bytes: Uint8Array;
  /** Positions from the segment's first byte. */
  readonly received: IntervalSet;
  readonly bytesReliable: number;
  readonly bytesUnreliable: number;
  /** Asked for as datagrams, sent by the server, not here; positions from the segment's first byte. */
  readonly lost: readonly ByteRange[];
  /** Bytes in `lost`. */
  readonly bytesLost: number;
  /** Asked for, but not sent: the download was kept early, the deadline passed or the unreliable part failed. */
  readonly bytesUnsent: number;
  /** Seconds of download, without the wait for late datagrams: the time of a throughput sample. */
  readonly seconds: number;
  /** Seconds from the request to the first byte. */
  readonly timeToFirstByte: number;
  /** The server's smoothed round-trip time in ms, when it said so before the last byte was here. */
  readonly rtt: number | undefined;
  /** Why the unreliable part ended early, when it failed. The segment is good to repair and play all the same. */
  readonly failure: VoxelError | undefined;
}

/** A download under way. Poll `progress()`: a stalled link must be reviewed too, and it calls nobody. */
export interface SegmentDownload {
  /** Rejects with `VoxelError` when not every reliable byte came, or after `abort()`. */
  readonly result: Promise<DeliveredSegment>;
  progress(): SegmentProgress;
  /**
   * Stops here: `result` resolves with what has arrived. Returns false, and does nothing, in the reliable phase: there
   * is nothing to play yet. A download in a worker answers by what it has last heard.
   */
  keep(): boolean;
  /** Throws everything away: `result` rejects with code `aborted`. */
  abort(): void;
}

/** A session with a server, wherever it runs. */
export interface VoxelSession {
  readonly thread: 'worker' | 'page';
  /** Resolves, never rejects, with the reason once the session is gone. */
  readonly closed: Promise<VoxelError>;
  /** Downloads one segment. Throws `RangeError`, or rejects, when `unreliableBytes` is more than the segment has. */
  download(request: SegmentRequest): SegmentDownload;
  /** Ends the session; everything in flight fails with `session-closed`. */
  close(): void;
}
