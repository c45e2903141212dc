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
type AbrErrorCode = "unknown-rule" | "bad-setting";
type FrameState = "reliable" | "complete" | "skipped" | "repaired";
type Delivery = "datagrams" | "streams" | "http";
interface PathReport {
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
type PlayerErrorCode = 
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
type ErrorCode = PlayerErrorCode | VoxelErrorCode | ManifestErrorCode | AbrErrorCode | "internal";
interface VoxelHandle {
	/** Calls `listener` for every event of that type; the function returned ends that. */
	on<Type extends keyof VoxelEventMap>(type: Type, listener: (event: VoxelEventMap[Type]) => void): () => void;
	statistics(): VoxelStatistics;
	/** What the viewer has had of this playback so far. */
	summary(): VoxelSummary;
	/** Takes the plugin off: running downloads end over HTTP, and the player is plain dash.js with its settings again. */
	detach(): void;
}
interface SegmentRecord extends DeliveryCounts {
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
interface VoxelStatistics {
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
type SessionEvent = {
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
interface PathEvent {
	readonly url: string;
	readonly state: "open" | "failed";
	/** Why it is not. */
	readonly code: ErrorCode | undefined;
	readonly message: string | undefined;
}
interface DecisionEvent {
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
interface DeliveredEvent {
	readonly record: SegmentRecord;
	/** The very bytes that dash.js appends (not a copy): do not change them. */
	readonly data: Uint8Array;
}
interface LostEvent {
	readonly index: number;
	readonly representation: string;
	readonly bytes: number;
}
interface RepairedEvent {
	readonly index: number;
	readonly representation: string;
	/** Frames with at least one all-skip slice, skipped on purpose or lost. */
	readonly frames: number;
	readonly slices: number;
}
interface FallbackEvent {
	/** `http`: dash.js' own path. */
	readonly to: "streams" | "http";
	/** Number of the segment, of video or audio: see `url`; undefined when the reason concerns the whole presentation. */
	readonly index: number | undefined;
	readonly code: ErrorCode;
	readonly message: string;
	readonly url: string;
}
interface VoxelSummary {
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
interface SummaryEvent {
	/** `ended`: to its end; `pagehide`: the page is left, or put aside for now; `source`: another presentation is to play; `detached`: the plugin is. */
	readonly reason: "ended" | "pagehide" | "source" | "detached";
	/** From the beginning of the playback: where there are several events of one, the last one counts. */
	readonly summary: VoxelSummary;
}
interface VoxelEventMap {
	session: SessionEvent;
	path: PathEvent;
	decision: DecisionEvent;
	delivered: DeliveredEvent;
	lost: LostEvent;
	repaired: RepairedEvent;
	fallback: FallbackEvent;
	summary: SummaryEvent;
}
interface DashPlayer {
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
type MediaMembers = Omit<HTMLVideoElement, keyof HTMLElement | "src" | "srcObject" | "load" | "play">;
/** What the element needs of dash.js: the package as it is imported, or the page's global `dashjs`. */
export interface DashNamespace {
	MediaPlayer(): {
		create(): ElementPlayer;
	};
}
export interface ElementPlayer extends DashPlayer {
	initialize(view: HTMLMediaElement, source: string, autoPlay: boolean): void;
	destroy(): void;
}
declare const Base: new () => HTMLElement & MediaMembers;
/**
 * `<voxel-video src="manifest.mpd">`: a video, a dash.js player and the plugin in one element. `abr`, `delivery`,
 * `buffer-segments`, `endpoint`, `certificate-hashes` and `worker-url` are the plugin's options, read when `src` is loaded.
 *
 * It has the properties and methods of a video, but for `srcObject`, so that whatever drives one drives this. It repeats the events of its video and, as `voxel` + their name, those of the plugin with the event as `detail`.
 * `error` is an `ErrorEvent` with the error of dash.js or, without dash.js, a `PlayerError`.
 */
export declare class VoxelVideoElement extends Base {
	#private;
	static readonly observedAttributes: readonly string[];
	/** The dash.js to play with; undefined: the page's global `dashjs`. */
	static dashjs: DashNamespace | undefined;
	readonly video: HTMLVideoElement;
	constructor();
	/** The dash.js player; undefined while nothing is loaded. */
	get player(): ElementPlayer | undefined;
	/** The plugin; undefined while nothing is loaded. */
	get voxel(): VoxelHandle | undefined;
	get src(): string;
	set src(url: string);
	/** Starts over. */
	load(): void;
	/** Once there is something to play: to attach it would end what a video has begun to do. Rejects as a video does. */
	play(): Promise<void>;
	connectedCallback(): void;
	disconnectedCallback(): void;
	attributeChangedCallback(name: string, previous: string | null, value: string | null): void;
}
declare global {
	interface HTMLElementTagNameMap {
		"voxel-video": VoxelVideoElement;
	}
}
/** Makes `<voxel-video>` work on this page, with the dash.js given or the page's global `dashjs`. */
export declare function defineVoxelVideo(dashjs?: DashNamespace): void;

export {};
