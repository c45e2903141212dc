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
	/** Throws before the element is attached. */
	getVideoElement(): HTMLMediaElement;
}
type ResponseInterceptor = <Response>(response: Response) => Promise<Response>;
type SegmentTransport = "datagrams" | "reliable" | "http";
interface VoxelHandle {
	/** Calls `listener` for every event of that type; the function returned ends that. */
	on<Type extends keyof VoxelEventMap>(type: Type, listener: (event: VoxelEventMap[Type]) => void): () => void;
	statistics(): VoxelStatistics;
	/** Takes the plugin off: running downloads end over HTTP, and the player is plain dash.js with its settings again. */
	detach(): void;
}
type FrameState = "reliable" | "complete" | "skipped" | "repaired";
interface SegmentRecord {
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
	readonly transport: SegmentTransport;
	readonly bytesReliable: number;
	readonly bytesUnreliable: number;
	/** Sent as datagrams, not here, nor fetched again. */
	readonly bytesLost: number;
	/** Those of the other two counts that were fetched later, lost or left out before, while the buffer was full. */
	readonly bytesRefetched: number;
	readonly framesTotal: number;
	/** Not asked for or not sent, on purpose. */
	readonly framesSkipped: number;
	/** Asked for and sent, but arrived incomplete: replaced. */
	readonly framesRepaired: number;
	/** Estimated score as delivered, in the manifest's metric; undefined where the manifest has none. */
	readonly score: number | undefined;
	/** Seconds of download, without the wait for late datagrams. */
	readonly seconds: number;
	/** Bit/s of this download. */
	readonly throughput: number;
	/** In decode order; empty where the segment's make-up is unknown. */
	readonly frames: readonly FrameState[];
}
interface VoxelStatistics {
	/** How the next segment will be asked for. */
	readonly transport: SegmentTransport;
	/**
	 * In the order of delivery; a segment that was downloaded twice is here twice. The record of one that was improved by
	 * retransmission is replaced.
	 */
	readonly segments: readonly SegmentRecord[];
	readonly decisions: number;
	readonly fallbacks: number;
	/** One line each; every one of them ended in an ordinary HTTP request, or left a segment as it was. */
	readonly errors: readonly string[];
	/** Estimate, bit/s; undefined before the first download. */
	readonly throughput: number | undefined;
	/** Seconds of video in the buffer. */
	readonly buffer: number;
}
type SessionEvent = {
	readonly state: "opened";
	readonly url: string;
	/** Where it runs: on the page's thread where the page's content security policy forbids workers from Blob URLs. */
	readonly thread: "worker" | "page";
} | {
	readonly state: "failed" | "closed";
	readonly code: string;
	readonly message: string;
	/** Seconds until the next attempt, 0 = with the next segment; undefined: the reason is permanent. */
	readonly retryIn: number | undefined;
};
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
	readonly to: "reliable" | "http";
	/** Of the segment; undefined when the reason concerns the whole presentation. */
	readonly index: number | undefined;
	readonly code: string;
	readonly message: string;
	readonly url: string;
}
interface VoxelEventMap {
	session: SessionEvent;
	decision: DecisionEvent;
	delivered: DeliveredEvent;
	lost: LostEvent;
	repaired: RepairedEvent;
	fallback: FallbackEvent;
}
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
declare const Base: {
	new (): HTMLElement;
	prototype: HTMLElement;
};
/**
 * `<voxel-video src="manifest.mpd">`: a video, a dash.js player and the plugin in one element. `abr`, `transport`,
 * `buffer-segments`, `endpoint` and `certificate-hashes` are the plugin's options, read when `src` is loaded.
 *
 * It repeats the events of its video and, as `voxel` + their name, those of the plugin with the event as `detail`.
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
