type VoxelErrorCode = 
/** This browser has no WebTransport, or one that does not last, or the page allows no worker. */
"unsupported"
/** No usable `/.well-known/voxel.json` or `options.endpoint`. */
 | "discovery-failed"
/** The session could not be opened: UDP blocked, certificate refused, no such server. */
 | "session-failed"
/** The session was open and is gone. */
 | "session-closed"
/** The request cannot be sent: a line break in a header value, a target that is not a path. */
 | "bad-request"
/** The server broke the protocol. */
 | "bad-response"
/** The server answered with something other than 206: see `status`. */
 | "status"
/** The server wants to know who asks, or does not let them read: 401 or 403 in `status`. */
 | "unauthorized"
/** The media file is another one than earlier responses were of. */
 | "file-changed"
/** A stream ended or was reset before the bytes that it promised. */
 | "incomplete"
/** Nothing arrived for too long. */
 | "timeout"
/** The caller gave up. */
 | "aborted"
/** Incomplete, and the initialization segment that the repair needs is not known. */
 | "no-initialization"
/** Incomplete, and the repair does not support a feature of the stream (src/repair). */
 | "unsupported-stream"
/** Incomplete, and what is here is not what it should be (src/repair). */
 | "malformed"
/** Bytes have not arrived without which there is no repair (src/repair). */
 | "missing-reliable-bytes";
interface Parity {
	/** Parity symbols of each block, 0 … 64; the last number holds for all further blocks. At most 64 numbers. */
	readonly amounts: readonly number[];
	/** Data symbols of a block, 1 … 192. */
	readonly block: number;
	/** Bytes of a symbol, 64 … 1400. Undefined: every range of the request is a block, of symbols of equal length. */
	readonly symbol?: number | undefined;
	/** Sent whatever the link does. */
	readonly always?: boolean | undefined;
}
interface DeliveryCounts {
	readonly bytesReliable: number;
	readonly bytesUnreliable: number;
	/** Sent as datagrams, not here, nor fetched again. */
	readonly bytesLost: number;
	/** Asked for a second time while the segment was on its way, because they seemed lost. */
	readonly bytesRepeated: number;
	/** Those of them that came no sooner: lost, and here all the same. */
	readonly bytesRecovered: number;
	/** Lost on the way, and filled from parity. */
	readonly bytesDecoded: number;
	/** Parity that came, in addition to all other counts. */
	readonly bytesParity: number;
}
interface ByteRange {
	readonly start: number;
	readonly end: number;
}
interface AbrSettings {
	/**
	 * Share of the throughput that is counted on, in (0, 1], 0.9 unless told: `abr-star` plans and reviews with it, the others review
	 * with it. The thesis lowers it for its T-Mobile trace (§6.6), whose rate falls faster than any average.
	 */
	readonly bandwidthSafety?: number;
}
/** One way to download the next segment: a representation and how much of its unreliable part. */
interface Option$1 {
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
	readonly lastChoice: Option$1 | undefined;
	/** Ascending in bitrate. */
	readonly ladder: readonly LadderRepresentation[];
	/** Options of the next segment: never empty, sorted by representation, then level. */
	readonly options: readonly Option$1[];
	/**
	 * `options` of the next segment and of those after it, for rules that look ahead: at most 8, fewer towards the end of
	 * the stream. Undefined: what comes after the next segment is not known.
	 */
	readonly upcoming?: readonly (readonly Option$1[])[];
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
	readonly option: Option$1;
	/** Seconds to wait before the request. */
	readonly delay: number;
	/** On streams, whatever the player's default: what is lost on the way is sent again. It holds for restarts, too. */
	readonly delivery?: "streams";
}
/** A download as it stands, for review every 50 ms. */
export interface DownloadProgress {
	/** The state as it is now: `bufferLevel` is what is left to play, `lastChoice` the segment before, `options` this one's. */
	readonly state: DecisionState;
	readonly option: Option$1;
	/** Seconds since the request was sent. */
	readonly elapsed: number;
	/** Bytes of `option.bytes` that are here. */
	readonly bytesReceived: number;
	/** `reliable` until every reliable byte is here: nothing may be kept before. */
	readonly phase: "reliable" | "unreliable";
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
export type Review = {
	readonly action: "continue";
}
/** Stop here and play what has arrived. */
 | {
	readonly action: "keep";
}
/** Throw away what has arrived and download this instead; one of `state.options`. */
 | {
	readonly action: "restart";
	readonly option: Option$1;
};
/**
 * A bitrate rule. It has memory (a rule is made anew for every playback) but no clock and no I/O, so player and simulator
 * run the very same code.
 */
export interface Abr {
	readonly name: string;
	/** Set by rules that are published for reliable transports: all that they choose travels on streams. */
	readonly delivery?: "streams";
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
/** What can be wrong when a rule is made; the decision itself never throws. */
export type AbrErrorCode = "unknown-rule" | "bad-setting";
export declare class AbrError extends Error {
	readonly name = "AbrError";
	readonly code: AbrErrorCode;
	constructor(code: AbrErrorCode, message: string);
}
/**
 * What the viewer gets of one frame: `reliable` – every byte of it was among the reliable ones; `complete` – its
 * unreliable bytes all came; `skipped` – not asked for or not sent, on purpose; `repaired` – asked for and sent,
 * but arrived incomplete, or it needs such a frame and goes with it. A frame that is not here is replaced, slice by slice, by repeats of
 * its reference pictures, or taken out: then the picture before it is shown for longer.
 */
export type FrameState = "reliable" | "complete" | "skipped" | "repaired";
interface SegmentFrames {
	/** States in decode order; empty where the make-up of the segment is unknown. */
	readonly states: readonly FrameState[];
	/** Frames that are not here as they were encoded, skipped on purpose or lost: replaced or taken out, and how many slices were replaced. */
	readonly repairedFrames: number;
	readonly repairedSlices: number;
	/** Places, in decode order, of those that were taken out: the picture before them is shown for longer. */
	readonly removed: readonly number[];
}
interface Piece {
	/** Its number in its segment, from 0. */
	readonly number: number;
	/** Positions in the segment's file; the piece handed over may have another length. */
	readonly range: ByteRange;
	/** Media time in seconds. */
	readonly startTime: number;
	readonly duration: number;
}
interface DeliveredPiece extends Piece {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly frames: SegmentFrames;
}
interface ChunkFacts extends Piece, DeliveryCounts {
	/** When its first picture was captured, in ms since 1970. */
	readonly capturedAt: number;
	/** What of the segment's score is to be expected with all of it, with its reliable bytes alone, and as it arrived. */
	readonly wholeScore: number;
	readonly reliableScore: number;
	readonly score: number;
	/** Left out by the server for want of time. */
	readonly bytesUnsent: number;
	/** How its datagrams came; undefined: it had fewer than two. */
	readonly dispersion: Dispersion | undefined;
	/** Milliseconds from its record until it was due, as far as could be told then; undefined: nothing played. */
	readonly slack: number | undefined;
	/** Milliseconds; undefined: not known yet. */
	readonly roundTrip: number | undefined;
	/** The sender's congestion window in bytes, as it last said; undefined: not known yet. */
	readonly window: number | undefined;
}
interface DeliveredChunk extends DeliveredPiece, ChunkFacts {
}
/**
 * How the bytes of a segment travel: the unreliable part as datagrams, all of it on streams of the session, or by an
 * ordinary HTTP request.
 */
export type Delivery = "datagrams" | "streams" | "http";
/** What is known of one path. */
export interface PathReport {
	readonly url: string;
	readonly cost: number;
	/** `failed`: it is tried again. */
	readonly state: "opening" | "open" | "failed";
	/** Bytes of segments that came over it, and over no other before. */
	readonly bytes: number;
	/** Bit/s, as last seen; undefined: not known yet. */
	readonly rate: number | undefined;
	/** Milliseconds. */
	readonly roundTrip: number | undefined;
	/** Share of datagrams that are lost on the way. */
	readonly lossRate: number;
	/** Why it is not open. */
	readonly error: {
		readonly code: VoxelErrorCode;
		readonly message: string;
	} | undefined;
}
interface ProtectionNeed {
	readonly bytesReliable: number;
	/** Those of the unreliable bytes that are asked for, most valuable first; they are sent after the reliable ones. */
	readonly bytesUnreliable: number;
	/** Milliseconds until the buffer runs out; undefined: there is no hurry. */
	readonly deadline: number | undefined;
	/** Bit/s; undefined: not known yet. */
	readonly throughput: number | undefined;
	/** Milliseconds. */
	readonly roundTrip: number;
	/** Share of datagrams that are lost on the way, whatever becomes of them; undefined: not known yet. */
	readonly lossRate: number | undefined;
}
type Protection = (need: ProtectionNeed) => Parity | undefined;
/**
 * How a player deals with losses, with the way between two segments and with bytes that come too late: one choice of each
 * (docs/DELIVERY.md). For simulator and player.
 */
export interface Strategy {
	readonly name: string;
	/** What is lost on the way is asked for again at once. */
	readonly recovery: boolean;
	/** What is missing of segments in the buffer is fetched again in pauses. */
	readonly retransmission: boolean;
	/** Whether requests say when the buffer runs out: what is unsent then stays unsent, and is not asked for again. */
	readonly deadlines: boolean;
	/** Which datagrams come with parity. */
	readonly protection: Protection;
	/**
	 * Share of a segment's bytes at which the next segment is asked for; `round-trip`: so late that its first byte follows the last
	 * of this one; undefined: when the player asks.
	 */
	readonly pipelineAt: number | "round-trip" | undefined;
}
type ManifestErrorCode = 
/** An attribute is missing or does not have its syntax. */
"syntax"
/** `reliable` and `unreliable` do not make up the segment, each byte once. */
 | "ranges"
/** The scores (`ssims`…) do not fit the ranges. */
 | "steps"
/** The segment is larger than any real one. */
 | "size"
/** The index is damaged, or no index. */
 | "index"
/** The records of a live segment are damaged, or none. */
 | "record";
/** What can go wrong in the glue itself; the parts below have their own catalogues. Every one of them ends in HTTP. */
export type PlayerErrorCode = 
/** The session is still being opened and the segment should not wait longer. */
"session-opening"
/** The media file is on another origin than the manifest, so the VOXEL server does not have it. */
 | "other-origin"
/** The index that describes a segment is not here yet and the segment should not wait longer. */
 | "index-late"
/** No answer to the request for an index, or a failure: it is asked for again later. */
 | "index-failed"
/** The server has no such index, or what it sends is none. */
 | "index-refused"
/** One plugin per player. */
 | "already-attached"
/** dash.js makes its loaders in `initialize()`, hls.js tells of a playlist once. */
 | "attached-too-late"
/** What is to be attached to is no player, or the other one. */
 | "wrong-player"
/** The plugin has no option of that name. */
 | "unknown-option"
/** Nothing of the presentation has VOXEL data. */
 | "not-prepared"
/** `<voxel-video>` was given no dash.js and the page has none. */
 | "no-dashjs";
export declare class PlayerError extends Error {
	readonly code: PlayerErrorCode;
	readonly name = "PlayerError";
	constructor(code: PlayerErrorCode, message: string);
}
/** Every code that an error or an event can have (docs/ERRORS.md); `internal` is none of the project's own. */
export type ErrorCode = PlayerErrorCode | VoxelErrorCode | ManifestErrorCode | AbrErrorCode | "internal";
/** The plugin's own rule, or `dashjs`: the page's dash.js rules choose, and whole segments go over VOXEL. */
export type AbrName = "abr-star" | "dashjs";
export interface VoxelOptions {
	/** Default `abr-star`. A rule of the page's own serves one player: rules have memory. */
	readonly abr?: AbrName | Abr;
	/** N of an "N-segment buffer": N segments held and one in flight (docs/ABR.md). Default 7. */
	readonly bufferSegments?: number;
	/** Default: `datagrams`, where the rule does not ask for streams. `http` never opens a session: every segment takes dash.js' own path. */
	readonly delivery?: Delivery;
	/** How losses, late bytes and the way between two segments are dealt with (docs/DELIVERY.md). Default `voxel`. */
	readonly strategy?: "voxel" | Strategy;
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
	readonly firstPass?: Pick<SegmentRecord, "bytesLost" | "framesRepaired">;
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
export type SessionEvent = {
	readonly state: "opened";
	readonly url: string;
	/** Where it runs: on the page's thread with `voxel-dash/lab` where the page's policy forbids workers from Blob URLs. */
	readonly thread: "worker" | "page";
} | {
	readonly state: "failed" | "closed";
	readonly code: ErrorCode;
	readonly message: string;
	/** Seconds until the next attempt, 0 = with the next segment; undefined: the reason is permanent. */
	readonly retryIn: number | undefined;
};
/** One of several paths has become usable, or is not any more; it is tried again then. */
export interface PathEvent {
	readonly url: string;
	readonly state: "open" | "failed";
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
	readonly to: "streams" | "http";
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
	readonly seeks: {
		readonly count: number;
		readonly seconds: number;
	};
	/** Playback waited for data, for 40 ms at least; not at the start, nor in a seek. */
	readonly stalls: {
		readonly count: number;
		readonly seconds: number;
		readonly longest: number;
	};
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
	readonly score: {
		readonly mean: number;
		readonly p10: number;
	} | undefined;
	/** Bytes of those segments of video that VOXEL knows, by the way that they came; of a live stream those that came over the session. */
	readonly bytes: Readonly<Record<Delivery, number>>;
}
/** A playback is over, or the page is put aside or left. */
export interface SummaryEvent {
	/** `ended`: to its end; `pagehide`: the page is left, or put aside for now; `source`: another presentation is to play; `detached`: the plugin is. */
	readonly reason: "ended" | "pagehide" | "source" | "detached";
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
export interface ChunkEvent extends DeliveryCounts, Pick<DeliveredChunk, "number" | "startTime" | "duration" | "capturedAt" | "wholeScore" | "score" | "bytesUnsent"> {
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
	on<Type extends keyof LivePluginEventMap>(type: Type, listener: (event: LivePluginEventMap[Type]) => void): () => void;
	statistics(): LivePluginStatistics;
}
/**
 * The parts of dash.js 5.2 that the plugin touches, as structural types: its own `index.d.ts` lacks several of them,
 * and the plugin works on the instance that the page made, without importing dash.js at run time.
 */
export interface DashPlayer {
	extend(parentName: string, child: object, override: boolean): void;
	on(type: string, listener: (event: unknown) => void): void;
	off(type: string, listener: (event: unknown) => void): void;
	addABRCustomRule(type: string, name: string, rule: object): void;
	removeABRCustomRule(name: string): void;
	addResponseInterceptor(interceptor: ResponseInterceptor): void;
	removeResponseInterceptor(interceptor: ResponseInterceptor): void;
	isReady(): boolean;
	getSettings(): object;
	updateSettings(settings: object): void;
	getDashMetrics(): object | null | undefined;
	getActiveStream(): object | null;
	/** Window of a live presentation, from the earliest to the latest of its pictures that may be asked for, in seconds. */
	getDvrWindow(): {
		readonly end: number;
	};
	/** Seconds behind the capture, and how many are aimed at; NaN and 0 on demand. */
	getCurrentLiveLatency(): number;
	getTargetLiveDelay(): number;
	/** Throws before the element is attached. */
	getVideoElement(): HTMLMediaElement;
}
type ResponseInterceptor = <Response>(response: Response) => Promise<Response>;
/** One address of the service. */
export interface PathOption extends EndpointOption {
	/** Above 0: metered, used where playback would stall otherwise. Default 0. */
	readonly cost?: number;
}
export interface LiveOptions extends VoxelOptions {
	/** Several addresses of the service, all of which are used: each has a session. Default: what `voxel.json` says (docs/DELIVERY.md). */
	readonly paths?: readonly PathOption[];
}
/** Seconds. */
export interface LatencySummary {
	/** Now: while no picture follows it grows with the clock. Undefined before the first one and while nothing is measured. */
	readonly latency: number | undefined;
	/** Weighted by time; undefined before there is any. */
	readonly mean: number | undefined;
	/** For 95 % of the time it was no longer, to 1 ms and at most a minute. */
	readonly p95: number | undefined;
	/** That were measured. */
	readonly seconds: number;
}
/** Which moment a media time is of. */
export interface LiveClock {
	/** When media time 0 was captured: a live presentation's availability start. ms since 1970, UTC. */
	readonly start: number;
	/** What the server's clock shows more than this machine's, ms. Default 0: the machines' clocks agree. */
	readonly offset?: number;
}
export interface LatencyMeter {
	summary(): LatencySummary;
	stop(): void;
}
/**
 * Measures how far a video plays behind the capture, by the pictures that the browser shows (`requestVideoFrameCallback`):
 * the wall clock when one is displayed less the moment of its media time. While no picture follows latency grows with the
 * clock, and that counts; the time in which the viewer has paused, or the page is hidden, does not.
 *
 * Works with any player. `clock` is asked at every picture; undefined: not known yet. Without `requestVideoFrameCallback`
 * nothing is measured.
 */
export declare function measureLatency(video: HTMLVideoElement, clock: () => LiveClock | undefined): LatencyMeter;
/**
 * The clock of what a dash.js player plays, for `measureLatency`: the manifest's availability start, and the offset of the
 * server's clock that dash.js found by the manifest's `UTCTiming`. Call it before `initialize()`; undefined until a live manifest is loaded.
 */
export declare function liveClock(player: DashPlayer): () => LiveClock | undefined;
type Create = (settings: AbrSettings) => Abr;
declare const rules: Readonly<Record<"abr-star" | "bola-ssim" | "bba" | "tput" | "beta" | "bola" | "bola-e" | "fugu" | "mpc" | "soda" | "abr-star-2021" | "abr-star-reliable", Create>>;
type AbrName$1 = keyof typeof rules;
type Connections = number | "adaptive" | "voxel";
interface PathLink {
	readonly id: number;
	/** Bytes per second. */
	readonly rate: number;
	readonly roundTrip: number;
	/** Share of datagrams that are lost on the way. */
	readonly lossRate: number;
	/** Bytes that were asked for over it and are not here. */
	readonly queued: number;
	/** Congestion window in bytes; Infinity: not in slow start. */
	readonly window: number;
	/** Seconds until it takes a request: what its handshakes still take, 0 once it is open. */
	readonly setup: number;
	/** Seconds since anything came, while bytes are owed; 0 where none are. */
	readonly silence: number;
	/** Above 0: metered. */
	readonly cost: number;
}
interface UnderWay extends ByteRange {
	readonly path: number;
	/** They were asked for a second time, over another path. */
	readonly isRepeated: boolean;
}
interface Work {
	readonly reliableLength: number;
	/** Not yet asked for, ascending and apart. */
	readonly left: readonly ByteRange[];
	/** Bytes of the downloads before this one that are not yet asked for: they go first. */
	readonly before: number;
	readonly underWay: readonly UnderWay[];
	/** Seconds until the buffer runs out; Infinity: nothing plays. */
	readonly buffer: number;
	/** Bytes that may be asked for a second time. */
	readonly repeatable: number;
}
interface Dealt extends ByteRange {
	readonly path: number;
	/** They are under way on another path, too. */
	readonly isRepeat: boolean;
}
type Schedule = (work: Work, paths: readonly PathLink[]) => readonly Dealt[];
declare const SCHEDULES: {
	readonly single: Schedule;
	readonly "round-robin": Schedule;
	readonly "min-rtt": Schedule;
	readonly victor: Schedule;
	readonly eaf: Schedule;
	readonly "whoever-is-free": Schedule;
	readonly voxel: Schedule;
};
type ScheduleName = keyof typeof SCHEDULES;
interface LabStrategy extends Strategy {
	/** Whether a segment of which the reliable bytes are here is played as it is when the buffer runs out, whatever the rule says; default false. */
	readonly keepsLate?: boolean | undefined;
	/** Whether the rule is shown a buffer that is a segment shorter after a segment with losses; default false. */
	readonly discountsLosses?: boolean | undefined;
	/** Over which of several paths what is asked for; default `voxel`. */
	readonly schedule?: ScheduleName | undefined;
	/** Over how many connections to one address; undefined: one. */
	readonly flows?: Connections | undefined;
	/** Whether a live segment's frames are one group, of which nothing is sent or used after a gap; default false. */
	readonly isGroup?: boolean | undefined;
}
declare const STRATEGIES: {
	readonly voxel: Strategy;
	readonly clipstream: LabStrategy;
	readonly "clipstream-fec": LabStrategy;
	readonly hollywood: LabStrategy;
	readonly victor: LabStrategy;
	readonly eaf: LabStrategy;
	readonly "min-rtt": LabStrategy;
	readonly "round-robin": LabStrategy;
	readonly chunklets: LabStrategy;
	readonly "adaptive-chunklets": LabStrategy;
	readonly "voxel-chunklets": LabStrategy;
	readonly "without-parity": LabStrategy;
	readonly groups: LabStrategy;
};
type StrategyName = keyof typeof STRATEGIES;
/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = AbrName$1 | AbrName;
interface LabOptions extends Omit<LiveOptions, "abr" | "strategy"> {
	/** Default `abr-star`. */
	readonly abr?: RuleName | VoxelOptions["abr"];
	/** Default `voxel`. */
	readonly strategy?: StrategyName | LabStrategy;
}
/**
 * `attachVoxel` of the build for live streams with every rule and strategy by its name, and with sessions on the page's own thread where the
 * page's content security policy forbids workers from Blob URLs.
 */
export declare function attachVoxel(player: DashPlayer, options?: LabOptions): LiveHandle;

export {
	LabOptions as FullVoxelOptions,
	LiveHandle as FullVoxelHandle,
	LivePluginEventMap as FullEventMap,
	LivePluginStatistics as FullStatistics,
	Option$1 as Option,
};

export {};
