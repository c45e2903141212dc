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
  getDvrWindow(): { readonly end: number };
  /** Seconds behind the capture, and how many are aimed at; NaN and 0 on demand. */
  getCurrentLiveLatency(): number;
  getTargetLiveDelay(): number;
  /** Throws before the element is attached. */
  getVideoElement(): HTMLMediaElement;
}

/** Called before dash.js looks at a response, failed ones included. */
export type ResponseInterceptor = <Response>(response: Response) => Promise<Response>;

/** `StreamProcessor`: one per media type of a period. */
export interface StreamProcessor {
  getType(): string;
  /** The request that would follow now; nothing is sent. */
  probeNextRequest(): FragmentRequest | null;
  /** The one being loaded now. */
  getRepresentation(): DashRepresentation | null;
  getMediaSource(): MediaSource | null;
  /** True when the end of the period is in the buffer. */
  isBufferingCompleted(): boolean;
  getBufferController(): { getBuffer(): SourceBufferSink | null } | null;
}

/** Appends one chunk after the other. */
export interface SourceBufferSink {
  getBuffer(): SourceBuffer | null;
  /** Never settles when dash.js drops its queue, as it does for a seek. */
  append(chunk: DataChunk): Promise<unknown>;
}

export interface DataChunk {
  readonly bytes: ArrayBuffer;
  readonly segmentType: string;
  readonly representation: DashRepresentation;
  readonly streamId: string;
  readonly index: number;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly duration: number;
  readonly endFragment: boolean;
}

export interface Stream {
  getId(): string;
  getStreamInfo(): { readonly isLast: boolean; readonly start: number; readonly duration: number };
  getStreamProcessors(): readonly StreamProcessor[];
}

export interface DashMetrics {
  /** Seconds. */
  getCurrentBufferLevel(mediaType: string): number;
}

/** dash.js' `Representation` value object. */
export interface DashRepresentation {
  readonly id: string;
  readonly bandwidth: number;
  /** Seconds; NaN where it varies. */
  readonly segmentDuration: number;
  /** Seconds that the SourceBuffer adds to the times of its segments. */
  readonly mseTimeOffset: number;
  /** RFC 6381; null where the manifest does not say. */
  readonly codecs?: string | null;
  /** How the track is encrypted; nothing or an empty list: it is in the clear. */
  readonly mediaInfo?: { readonly contentProtection?: readonly unknown[] | null } | null;
  /** URL of the initialization segment, if that is a file of its own; undefined: it is in the `BaseURL`'s. */
  readonly initialization?: string | null;
  /** Range of the initialization segment: `first-last`, both inclusive; no string where it is a whole file. */
  readonly range?: unknown;
  readonly adaptation: {
    readonly index: number;
    /** Times in seconds. */
    readonly period: { readonly index: number; readonly start: number; readonly duration: number };
  };
}

export interface FragmentRequest {
  readonly type: string;
  readonly mediaType: string;
  readonly index: number;
  url: string;
  /** `first-last`, both inclusive, or null. */
  readonly range: string | null;
  /** Seconds. */
  readonly startTime: number;
  readonly duration: number;
  readonly representation: DashRepresentation | null;
  resourceTimingValues?: unknown;
}

/** `CommonMediaRequest`. dash.js clears handlers of `customData` when it aborts: look them up late. */
export interface LoaderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly credentials?: RequestCredentials;
  /** Milliseconds; 0 = none. */
  readonly timeout: number;
  readonly customData: {
    readonly request: FragmentRequest;
    onloadend?: (() => void) | undefined;
    onprogress?: ((event: ProgressInformation) => void) | undefined;
    onabort?: (() => void) | undefined;
    abort?: (() => void) | undefined;
  };
}

export type ProgressInformation =
  | {
      readonly loaded: number;
      readonly total: number;
      readonly lengthComputable: true;
      /** Milliseconds of download, for its throughput; default: since the last event. */
      readonly time?: number;
    }
  /** A piece to append of a segment that grows. It says nothing of the throughput. */
  | { readonly data: ArrayBuffer; readonly lengthComputable: false; readonly noTrace: true };

/** `CommonMediaResponse`: the loader fills it in, then calls `onloadend`. */
export interface LoaderResponse {
  readonly request: LoaderRequest;
  status?: number;
  statusText?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  data?: unknown;
}

/** `XHRLoader.load`. */
export type Load = (request: LoaderRequest, response: LoaderResponse) => void;

export interface RulesContext {
  getMediaType(): string;
  getMediaInfo(): object;
  getStreamInfo(): { readonly id: string };
  getCurrentRequest(): FragmentRequest;
  getAbrController(): {
    getPossibleVoRepresentationsFilteredBySettings(
      mediaInfo: object,
      includeCompatibleMediaInfos: boolean,
    ): readonly DashRepresentation[];
  };
  getScheduleController(): {
    /** Milliseconds until the next media request goes out. */
    setTimeToLoadDelay(delay: number): void;
  };
}

export interface SwitchRequest {
  /** null: no change. */
  readonly representation: DashRepresentation | null;
  /** 0 weak, 0.5 default, 1 strong: a strong one wins over dash.js' own rules. */
  readonly priority: 0 | 0.5 | 1;
  readonly reason: object | null;
  readonly rule: string;
}

/** The values of `HTTPRequest.type` that the plugin tells apart. */
export const requestTypes = {
  manifest: 'MPD',
  initialization: 'InitializationSegment',
  media: 'MediaSegment',
} as const;

/** The settings that the plugin reads or changes. */
export interface DashSettings {
  readonly streaming: {
    readonly abandonLoadTimeout: number;
    readonly abr: { readonly autoSwitchBitrate: { readonly video: boolean } };
    readonly buffer: {
      readonly fastSwitchEnabled: boolean | null;
      readonly bufferTimeDefault: number;
      readonly bufferTimeAtTopQuality: number;
      readonly bufferTimeAtTopQualityLongForm: number;
      readonly stallThreshold: number;
    };
    readonly gaps: { readonly smallGapLimit: number };
    readonly retryAttempts: { readonly MediaSegment: number };
    readonly scheduling: { readonly defaultTimeout: number };
  };
}
