/**
 * The parts of hls.js 1.5 to 1.7 that the plugin touches, as structural types: it works on the instance that the page made, without
 * importing hls.js.
 */
export interface HlsPlayer {
  readonly config: object;
  readonly levels: readonly object[];
  readonly media: HTMLMediaElement | null;
  /** Level of the playlist and segments that are loaded now; -1 at first. */
  readonly loadLevel: number;
  readonly minAutoLevel: number;
  readonly maxAutoLevel: number;
  /** False: the user or the page pinned a level. */
  readonly autoLevelEnabled: boolean;
  /** The video's buffer, from where it plays; null without a media element. */
  readonly mainForwardBufferInfo: { readonly len: number; readonly end: number } | null;
  /** Fired by name, with data of a shape of its own each. */
  trigger(event: string, data: object): unknown;
  on(event: string, listener: (event: string, data: unknown) => void): void;
  off(event: string, listener: (event: string, data: unknown) => void): void;
}

/** What a playlist says of a variant. */
export interface HlsLevel {
  /** Absolute, of its playlist. */
  readonly uri: string;
  readonly attrs: Readonly<Record<string, string | undefined>>;
  /** The first four letters of its codecs, as `av01` or `avc1,mp4a`. */
  readonly codecSet: string;
  /** Bit/s, average where the playlist states one. */
  readonly averageBitrate: number;
  /** Failures in a row. */
  readonly loadError: number;
  readonly details?: HlsDetails | undefined;
}

export interface HlsDetails {
  readonly live: boolean;
  /** Seconds. */
  readonly targetduration: number;
  readonly startSN: number;
  /** Until where there are parts, or segments, in seconds. */
  readonly edge: number;
  readonly fragments: readonly HlsFragment[];
}

export interface HlsFragment {
  readonly type: string;
  readonly sn: number | 'initSegment';
  readonly level: number;
  readonly url: string;
  /** First byte, and the one after the last; empty where the segment is a whole file. */
  readonly byteRange: readonly number[];
  /** Seconds. */
  readonly start: number;
  readonly duration: number;
  readonly encrypted?: boolean;
  /** What comes before its media; null: its file has all. */
  readonly initSegment?: { readonly url?: string } | null;
  /** It is to show what the link carries, and nobody plays it. */
  readonly bitrateTest?: boolean;
  readonly stats: LoaderStats;
  abortRequests(): void;
}

/** A part of a segment of a live stream. */
export type HlsPart = Pick<HlsFragment, 'byteRange' | 'start'>;

/** What of a player matters to live streams only. */
export interface LiveHls {
  /** Seconds; 0 or null: not known. */
  readonly latency: number;
  readonly targetLatency: number | null;
  /** Where playback should be, in seconds on the element's time line, as far as the playlist goes. */
  readonly liveSyncPosition: number | null;
  /** Bit/s. */
  readonly bandwidthEstimate: number;
  readonly audioTracks: readonly { readonly name?: string; readonly bitrate?: number }[];
}

/** What the page's `xhrSetup` and `fetchSetup` are given of any request. */
export interface RequestContext {
  /** What kind of playlist it is for; undefined: for none. */
  readonly type?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request for a segment, for part of one, or for an initialization segment. */
export interface LoaderContext extends RequestContext {
  readonly frag: HlsFragment;
  readonly part: HlsPart | null;
}

export interface LoaderConfiguration {
  /** Milliseconds. */
  readonly loadPolicy: { readonly maxLoadTimeMs: number };
}

/** hls.js keeps the very object that its loader has. Times in milliseconds on the clock of `performance.now()`. */
export interface LoaderStats {
  aborted: boolean;
  /** Bytes. */
  loaded: number;
  total: number;
  readonly loading: { start: number; first: number; end: number };
}

export interface LoaderResponse {
  readonly url: string;
  readonly data?: unknown;
  readonly code?: number;
}

export interface LoaderCallbacks {
  onSuccess(response: LoaderResponse, stats: LoaderStats, context: LoaderContext, networkDetails: unknown): void;
  onError(error: unknown, context: LoaderContext, networkDetails: unknown, stats: LoaderStats): void;
  onTimeout(stats: LoaderStats, context: LoaderContext, networkDetails: unknown): void;
  onAbort?(stats: LoaderStats, context: LoaderContext, networkDetails: unknown): void;
  onProgress?(stats: LoaderStats, context: LoaderContext, data: unknown, networkDetails: unknown): void;
}

/** Loads once. */
export interface Loader {
  /** The loader that it is put around, as hls.js does to write CMCD into requests. */
  loader?: Loader;
  readonly context: LoaderContext | null;
  readonly stats: LoaderStats;
  load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks): void;
  abort(): void;
  destroy(): void;
  getCacheAge?(): number | null;
  getResponseHeader?(name: string): string | null;
  /** The page's, in the loaders of hls.js' own; that of `fetch` has one that adds nothing where the page has none. */
  readonly xhrSetup?: ((xhr: XMLHttpRequest, url: string, context: RequestContext) => unknown) | null;
  readonly fetchSetup?: ((context: RequestContext, init: RequestInit) => Request | Promise<Request>) | null;
}

export type LoaderClass = new (config: object) => Loader;

/** The settings that the plugin reads or changes. */
export interface HlsConfig {
  /** For segments; undefined: `loader` is for them, too. */
  fLoader: LoaderClass | undefined;
  /** For playlists. */
  pLoader: LoaderClass | undefined;
  readonly loader: LoaderClass;
  /** What requests say of the player (CMCD); undefined: nothing. */
  readonly cmcd?: object | undefined;
  /** -1 or undefined: hls.js chooses. */
  readonly startLevel: number | undefined;
  testBandwidth: boolean;
  /** Parts of a segment are appended as its loader brings them. */
  readonly progressive: boolean;
  /** Seconds. */
  maxBufferLength: number;
  maxMaxBufferLength: number;
  /** 1: hls.js does not catch up with the live edge. */
  readonly maxLiveSyncPlaybackRate: number;
}

/** What hls.js is about to append, or is told to. */
export interface BufferAppending {
  readonly type: string;
  /** `main`, `audio`. */
  readonly parent: string;
  readonly frag: { readonly level: number };
  readonly part: object | null;
  /** Object that comes back once it is appended, with times of each buffer. */
  readonly chunkMeta: {
    readonly buffering: { readonly audio: object; readonly video: object; readonly audiovideo: object };
  };
  /** Seconds that the buffer adds to its times. */
  readonly offset?: number | undefined;
  readonly data: Uint8Array;
}

/** Names of events of hls.js, and what comes with them. */
export const events = {
  manifestLoading: 'hlsManifestLoading',
  manifestParsed: 'hlsManifestParsed',
  levelLoaded: 'hlsLevelLoaded',
  mediaAttached: 'hlsMediaAttached',
  mediaDetaching: 'hlsMediaDetaching',
  fragLoaded: 'hlsFragLoaded',
  bufferAppending: 'hlsBufferAppending',
  bufferAppended: 'hlsBufferAppended',
  bufferEos: 'hlsBufferEos',
  loadAborted: 'hlsFragLoadEmergencyAborted',
  error: 'hlsError',
  destroying: 'hlsDestroying',
} as const;

export interface ManifestParsed {
  readonly levels: readonly HlsLevel[];
  readonly sessionData: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> | null;
}

export function levelsOf({ levels }: Pick<HlsPlayer, 'levels'>): readonly HlsLevel[] {
  return levels as readonly HlsLevel[];
}

export function liveOf(hls: object): LiveHls {
  return hls as LiveHls;
}

/** Whether it has been given a playlist. 1.5 has no type for that. */
export function hasSource(hls: HlsPlayer): boolean {
  return Boolean((hls as { readonly url?: string | null }).url);
}

/** hls.js before that puts pieces of a segment at wrong times, without an error (findings/hlsjs-progressive-times.sh). */
const FIRST_WITH_PIECES = '1.7.4';

/** Whether it can be given a segment in pieces. */
export function takesPieces(hls: Pick<HlsPlayer, 'config'>): boolean {
  return configOf(hls).progressive && isAtLeast(hls, FIRST_WITH_PIECES);
}

/** Whether its version is that one or a later one. */
export function isAtLeast(hls: object, version: string): boolean {
  const { version: own = '' } = hls.constructor as { readonly version?: string };
  return own.localeCompare(version, undefined, { numeric: true }) >= 0;
}

export function configOf({ config }: Pick<HlsPlayer, 'config'>): HlsConfig {
  return config as HlsConfig;
}
