import type { ByteRange } from '../../manifest/byte-range.js';
import type { IntervalSet } from '../../manifest/interval-set.js';
import type { VoxelError } from '../errors.js';
import type { SegmentAssembly } from './assembly.js';
import type { FileVersion } from './file-version.js';
import type { PlannedRequest } from './request-plan.js';
import type { DeliveryFacts, SegmentProgress, SegmentRequest } from '../types.js';

/** Called for every datagram of a flow, in order of arrival. Must not throw. `payload` may be kept. */
export type DatagramListener = (offset: number, payload: Uint8Array) => void;

/** A number space for the datagrams of one request. */
export interface Flow {
  /** Never used again in this session. */
  readonly id: number;
  /** Closes it: its datagrams are dropped from here on. */
  close(): void;
}

/** A WebTransport session, as downloads use it. */
export interface Session {
  /** Authority of the server, for the `host` field; of several paths, of one of them. */
  readonly host: string;
  /** The server's smoothed round-trip time in ms, as its downloads last heard; undefined: it has not said it yet. */
  roundTrip?: number | undefined;
  /** Resolves, never rejects, with the reason once the session is gone. */
  readonly closed: Promise<VoxelError>;
  /**
   * Sends `head` and FIN on a new stream and gives the bytes of the answer. Aborting `signal` resets the stream and ends
   * the iteration. Throws `VoxelError` with code `session-closed` or `incomplete` (reset by the server).
   */
  request(head: Uint8Array<ArrayBuffer>, signal: AbortSignal): AsyncIterable<Uint8Array>;
  openFlow(onDatagram: DatagramListener): Flow;
  /** Deals a download out to several paths; undefined: there is one. */
  dispatch?(options: PathDownloadOptions): PathDownload;
  /** Picks the session of the path over which something is best asked for now; undefined: there is one path. */
  pick?(): Session;
  /** Ends the session; everything in flight fails with `session-closed`. */
  close(): void;
}

/** What of a download is needed to deal it out to several paths. */
export interface PathDownloadOptions {
  readonly request: DownloadRequest;
  readonly assembly: SegmentAssembly;
  /** Sends a request over the session of one path, and returns its flow. `after`: the flow of that session whose bytes go first. */
  send(planned: PlannedRequest, over: Session, after: number | undefined): number | undefined;
  /** Nothing more is asked for, because all has been answered, or of that failure. */
  end(failure: VoxelError | undefined): void;
}

/** A download on its way over several paths. */
export interface PathDownload {
  /** Bytes that were asked for over two paths. */
  readonly bytesRepeated: number;
  /** Picks the path over which lost bytes are asked for again. */
  pick(): Session;
  /** Its last flow over that path. */
  flowOver(path: Session): number | undefined;
  /** Something came over that path: so many bytes that were not here. */
  arrived(path: Session, bytes: number): void;
  lost(path: Session, bytes: number): void;
  /** A request is finished. True: its failure is dealt with, what it was for is asked for elsewhere. */
  finished(planned: PlannedRequest, path: Session, failure: VoxelError | undefined): boolean;
  /** The download has ended. */
  stop(): void;
}

/** What a download asks the server for. */
export type DownloadRequest = Omit<SegmentRequest, 'representation' | 'edition' | 'after'> & {
  readonly file: FileVersion;
  /** A running download of the same session whose bytes go first. */
  readonly after?: Download | undefined;
};

/** What has arrived of a segment, before its repair. */
export interface ReceivedSegment extends DeliveryFacts {
  /** The whole segment's length; gaps are zero. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Positions from the segment's first byte. */
  readonly received: IntervalSet;
  /** Asked for as datagrams, sent by the server, not here; positions from the segment's first byte. */
  readonly lost: readonly ByteRange[];
}

/** Who hands a segment over while it comes. */
export interface PieceWatcher {
  /** Looks what has to be done now: something has come, will not come, or playback has moved otherwise than expected. */
  look(): void;
  /**
   * Those of these lost places of the delivery order that are of use if they are back in so many ms: of pieces that are due later. The
   * first pieces come first.
   */
  inTime(places: readonly ByteRange[], milliseconds: number): readonly ByteRange[];
}

/** A segment on its way, as far as it can be handed over in pieces. */
export interface PieceSource {
  readonly assembly: SegmentAssembly;
  progress(): SegmentProgress;
  /** Whether bytes of these places of the delivery order may still come, soon enough to wait for. */
  mayCome(places: readonly ByteRange[]): boolean;
  /** Positions in the segment of what is lost so far. */
  lost(): readonly ByteRange[];
  /** Tells the watcher what happens from now on. */
  watch(watcher: PieceWatcher): void;
  /** Stops with what has arrived; false: reliable bytes are missing. */
  keep(): boolean;
  /** Throws everything away: `result` rejects with that error. */
  fail(error: unknown): void;
}

/** A download under way. */
export interface Download extends PieceSource {
  readonly session: Session;
  /** Rejects with `VoxelError` when not every reliable byte came, or after `abort()`. */
  readonly result: Promise<ReceivedSegment>;
  /** The flow of its datagrams; undefined: there are none. */
  readonly flow: number | undefined;
  /** Its part that is dealt out to several paths; undefined: there is one. */
  readonly paths: PathDownload | undefined;
  /** When the last byte came of what it began with, recoveries apart; before the first: when it began. In ms. */
  readonly lastMeasured: number;
  /**
   * Stops here: `result` resolves with what has arrived. Returns false, and does nothing, in the reliable phase: there
   * is nothing to play yet.
   */
  keep(): boolean;
  /** Throws everything away: `result` rejects with code `aborted`. */
  abort(): void;
}
