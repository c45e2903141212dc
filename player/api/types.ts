import type { Abr } from '../../src/abr-star/index.js';
import type { DeliveryCounts, Strategy } from '../../src/delivery/index.js';
import type { DeliveredChunk, Delivery, FrameState, PathReport } from '../../src/voxel-loader/types.js';
import type { ErrorCode } from './errors.js';

/** The plugin's own rule, or `dashjs`: the page's dash.js rules choose, and whole segments go over VOXEL. */
export type AbrName = 'abr-star' | 'dashjs';

export type { Delivery, FrameState, PathReport, Strategy };

export interface VoxelOptions {
  /** Default `abr-star`. A rule of the page's own serves one player: rules have memory. */
  readonly abr?: AbrName | Abr;
  /** N of an "N-segment buffer": N segments held and one in flight (docs/ABR.md). Default 7. */
  readonly bufferSegments?: number;
  /** Default: `datagrams`, where the rule does not ask for streams. `http` never opens a session: every segment takes dash.js' own path. */
  readonly delivery?: Delivery;
  /** How losses, late bytes and the way between two segments are dealt with (docs/DELIVERY.md). Default `voxel`. */
  readonly strategy?: 'voxel' | Strategy;
  /** Whether what is lost on the way or missing of segments that are not played yet is fetched again. Default true. */
  readonly refetch?: boolean;
  /** Where the VOXEL server answers; default: `/.well-known/voxel.json` of the manifest's origin says so. */
  readonly endpoint?: EndpointOption;
  /**
   * Hosts, without ports, whose VOXEL server gets the headers of dash.js' requests (CMCD, and what the page adds, such as
   * `authorization`). Default: none but the media's own host, which gets them over HTTP, too.
   */
  readonly headerHosts?: readonly string[];
  /**
   * URL of `dist/voxel-worker.js` of this version, on the page's origin: for pages whose policy allows no worker from a Blob URL, which is what
   * the plugin starts otherwise.
   */
  readonly workerUrl?: string;
  /** Share of the measured throughput that plans count on where a link is unsteady, and reviews of a running download. Default 0.9. */
  readonly bandwidthSafety?: number;
}

export interface EndpointOption {
  /** `https://host:port/voxel` */
  readonly url: string;
  /** Base64 SHA-256 of acceptable certificates; absent or empty: the certificate must be publicly trusted. */
  readonly certificateHashes?: readonly string[];
}

/** What `attachVoxel` returns. */
export interface VoxelHandle {
  /** Calls `listener` for every event of that type; the function returned ends that. */
  on<Type extends keyof VoxelEventMap>(type: Type, listener: (event: VoxelEventMap[Type]) => void): () => void;
  statistics(): VoxelStatistics;
  /** What the viewer has had of this playback so far. */
  summary(): VoxelSummary;
  /** Takes the plugin off: running downloads end over HTTP, and the player is plain dash.js with its settings again. */
  detach(): void;
}

/** One delivered video segment. Bytes are bytes of the media file. */
export interface SegmentRecord extends DeliveryCounts {
  /** 0-based. */
  readonly index: number;
  /** Seconds on the media time line. */
  readonly startTime: number;
  readonly duration: number;
  /** `Representation@id`. */
  readonly representation: string;
  /** `Representation@bandwidth`, bit/s. */
  readonly bandwidth: number;
  /** Virtual level asked for: 0 = reliable bytes only, `levels - 1` = the whole segment. */
  readonly level: number;
  readonly levels: number;
  readonly delivery: Delivery;
  /** Asked for ahead of dash.js: while the segment before was on its way or, the first one, as soon as it could be chosen. */
  readonly early: boolean;
  /** Those of `bytesReliable` and `bytesUnreliable` that were fetched later, lost or left out before, while the buffer was full. */
  readonly bytesRefetched: number;
  readonly framesTotal: number;
  /** Not asked for or not sent, on purpose. */
  readonly framesSkipped: number;
  /** Asked for and sent, but arrived incomplete, or they need one that did. */
  readonly framesRepaired: number;
  /** What the first delivery counted, where gaps have been fetched since. */
  readonly firstPass?: Pick<SegmentRecord, 'bytesLost' | 'framesRepaired'>;
  /** Estimated score as delivered, in the manifest's metric; undefined where the manifest has none. */
  readonly score: number | undefined;
  /** Seconds of download, without the wait for what was lost at its end. */
  readonly seconds: number;
  /** Bit/s of this download. */
  readonly throughput: number;
  /** In decode order; empty where the segment's make-up is unknown. */
  readonly frames: readonly FrameState[];
  /** Places in `frames` of those that were taken out, for which the picture before is shown for longer; all others that are missing were replaced. */
  readonly removed: readonly number[];
}

export interface VoxelStatistics {
  /** How the next segment will be asked for. */
  readonly delivery: Delivery;
  /**
   * In the order of delivery; a segment that was downloaded twice is here twice. The record of one that was improved by
   * retransmission is replaced.
   */
  readonly segments: readonly SegmentRecord[];
  readonly decisions: number;
  readonly fallbacks: number;
  /** The latest hundred, one line each; every one of them ended in an ordinary HTTP request, or left a segment as it was. */
  readonly errors: readonly string[];
  /** Where several are used (`voxel-dash/live`): what is known of each. */
  readonly paths: readonly PathReport[];
  /** Estimate, bit/s; undefined before the first download. */
  readonly throughput: number | undefined;
  /** Seconds of video in the buffer. */
  readonly buffer: number;
}

/** The session was opened, could not be opened, or has ended. */
export type SessionEvent =
  | {
      readonly state: 'opened';
      readonly url: string;
      /** Where it runs: on the page's thread with `voxel-dash/lab` where the page's policy forbids workers from Blob URLs. */
      readonly thread: 'worker' | 'page';
    }
  | {
      readonly state: 'failed' | 'closed';
      readonly code: ErrorCode;
      readonly message: string;
      /** Seconds until the next attempt, 0 = with the next segment; undefined: the reason is permanent. */
      readonly retryIn: number | undefined;
    };

/** One of several paths has become usable, or is not any more; it is tried again then. */
export interface PathEvent {
  readonly url: string;
  readonly state: 'open' | 'failed';
  /** Why it is not. */
  readonly code: ErrorCode | undefined;
  readonly message: string | undefined;
}

/** What the rule chose for one segment. */
export interface DecisionEvent {
  readonly index: number;
  readonly representation: string;
  readonly bandwidth: number;
  readonly level: number;
  readonly levels: number;
  /** Expected score and bytes of the choice. */
  readonly score: number;
  readonly bytes: number;
  /** Seconds in the buffer, bit/s estimated, seconds to wait before the request, options weighed. */
  readonly buffer: number;
  readonly throughput: number | undefined;
  readonly delay: number;
  readonly options: number;
}

/** Again for a segment that comes a second time, or better than before by what was fetched again: the latest counts. */
export interface DeliveredEvent {
  readonly record: SegmentRecord;
  /** The very bytes that dash.js appends (not a copy): do not change them. */
  readonly data: Uint8Array;
}

/** Some of a delivered segment's bytes were lost on the way; what is fetched again later comes with `delivered`. */
export interface LostEvent {
  readonly index: number;
  readonly representation: string;
  readonly bytes: number;
}

/** Some of a delivered segment's frames were replaced or taken out. */
export interface RepairedEvent {
  readonly index: number;
  readonly representation: string;
  /** Frames with at least one all-skip slice, skipped on purpose or lost. */
  readonly frames: number;
  readonly slices: number;
}

/** A request took a lower rung of the ladder than was asked for: datagrams, streams of the session, HTTP. */
export interface FallbackEvent {
  /** `http`: dash.js' own path. */
  readonly to: 'streams' | 'http';
  /** Number of the segment, of video or audio: see `url`; undefined when the reason concerns the whole presentation. */
  readonly index: number | undefined;
  readonly code: ErrorCode;
  readonly message: string;
  readonly url: string;
}

/** What a viewer had of one playback, from the request for its manifest on. Seconds are those of the clock, unless they say otherwise. */
export interface VoxelSummary {
  /**
   * From the request for the manifest, or from the wish to play where something was ready for that, until it plays; undefined: it has not
   * yet.
   */
  readonly startup: number | undefined;
  /** The viewer's, each until a picture of the place is shown. */
  readonly seeks: { readonly count: number; readonly seconds: number };
  /** Playback waited for data, for 40 ms at least; not at the start, nor in a seek. */
  readonly stalls: { readonly count: number; readonly seconds: number; readonly longest: number };
  /** In which the video played. */
  readonly watchedSeconds: number;
  /** Start-up, seeks and stalls together. */
  readonly waitedSeconds: number;
  /**
   * Share of still pictures, which stood for more than .2 s, of the time in which pictures were to follow each other, stalls with it. Pauses, seeks and
   * the time in which the page was hidden are left out. Undefined, as the two below: the browser has told of no picture.
   */
  readonly stillShare: number | undefined;
  /** Seconds that one picture stood at most. */
  readonly longestStill: number | undefined;
  /** That the browser has shown, of the same time. A picture that replaces a missing one counts. */
  readonly picturesPerSecond: number | undefined;
  /** Mean and 10th percentile of the scores of the segments that were shown, in the manifest's metric; undefined: it has none. */
  readonly score: { readonly mean: number; readonly p10: number } | undefined;
  /** Bytes of those segments of video that VOXEL knows, by the way that they came; of a live stream those that came over the session. */
  readonly bytes: Readonly<Record<Delivery, number>>;
}

/** A playback is over, or the page is put aside or left. */
export interface SummaryEvent {
  /** `ended`: to its end; `pagehide`: the page is left, or put aside for now; `source`: another presentation is to play; `detached`: the plugin is. */
  readonly reason: 'ended' | 'pagehide' | 'source' | 'detached';
  /** From the beginning of the playback: where there are several events of one, the last one counts. */
  readonly summary: VoxelSummary;
}

export interface VoxelEventMap {
  session: SessionEvent;
  path: PathEvent;
  decision: DecisionEvent;
  delivered: DeliveredEvent;
  lost: LostEvent;
  repaired: RepairedEvent;
  fallback: FallbackEvent;
  summary: SummaryEvent;
}

/** A chunk of a live segment was handed to dash.js. */
export interface ChunkEvent
  extends
    DeliveryCounts,
    Pick<DeliveredChunk, 'number' | 'startTime' | 'duration' | 'capturedAt' | 'wholeScore' | 'score' | 'bytesUnsent'> {
  readonly mediaType: string;
  /** Index of its segment. */
  readonly index: number;
  readonly representation: string;
  /** Bit/s. */
  readonly bandwidth: number;
  readonly framesTotal: number;
  /** With at least one slice that was replaced, left out by the server or lost. */
  readonly framesRepaired: number;
  /** In decode order. */
  readonly frames: readonly FrameState[];
  /** Bytes as they were handed to dash.js, a fragment of its own; not to be written to. */
  readonly data: Uint8Array;
}

/** What is known of the live presentation that plays. */
export interface LiveStatistics {
  /** Handed to dash.js over the session, and those of them with frames that were replaced. */
  readonly chunks: number;
  readonly chunksRepaired: number;
  /** Bit/s; undefined: not known yet. */
  readonly rate: number | undefined;
  /** Fallbacks and errors, as in `VoxelStatistics`. */
  readonly fallbacks: number;
  readonly errors: readonly string[];
}

/** Events of builds that play live streams. */
export interface LivePluginEventMap extends VoxelEventMap {
  chunk: ChunkEvent;
}

/** Statistics of builds that play live streams. */
export interface LivePluginStatistics extends VoxelStatistics {
  /** Undefined: what plays is not live with records. */
  readonly live: LiveStatistics | undefined;
}

/** A `VoxelHandle` with what live streams add to it. */
export interface LiveHandle extends VoxelHandle {
  on<Type extends keyof LivePluginEventMap>(
    type: Type,
    listener: (event: LivePluginEventMap[Type]) => void,
  ): () => void;
  statistics(): LivePluginStatistics;
}
