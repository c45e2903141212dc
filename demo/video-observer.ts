import { PlaybackMetrics, type PlaybackEvent } from '../player/viewing/playback-metrics.js';
import { totalSeconds, type TimeSpan } from './time-spans.js';

/** Something that went wrong with playback itself. */
export interface PlaybackError {
  /** Who said so. */
  readonly source: 'media' | 'dash.js';
  /** `MediaError.code`, or dash.js' error code. */
  readonly code: number;
  readonly message: string;
  /** Media time, s. */
  readonly position: number;
}

/** What the viewer had so far, told by the media element alone. */
export interface PlaybackSummary {
  readonly startupMs: number | undefined;
  readonly stalls: number;
  readonly stallSeconds: number;
  readonly longestStall: number;
  /** Distinct seconds of the media that were played. */
  readonly playedSeconds: number;
  readonly errors: readonly PlaybackError[];
  readonly totalVideoFrames: number;
  readonly droppedVideoFrames: number;
  readonly buffered: readonly TimeSpan[];
  /** s; undefined while unknown. */
  readonly duration: number | undefined;
  /** Where playback stands on the media time line, s. */
  readonly position: number;
  readonly ended: boolean;
}

const playbackEvents = ['play', 'playing', 'waiting', 'seeking', 'seeked', 'pause', 'ended'] as const;

/** Feeds `PlaybackMetrics` from a media element. */
export class VideoObserver {
  readonly #video: HTMLVideoElement;
  readonly #metrics: PlaybackMetrics;
  readonly #errors: PlaybackError[] = [];
  #saidToHaveEnded = false;

  /** The rest as for `PlaybackMetrics`, on the clock of `performance.now()`. */
  constructor(video: HTMLVideoElement, ...of: ConstructorParameters<typeof PlaybackMetrics>) {
    this.#video = video;
    this.#metrics = new PlaybackMetrics(...of);
    for (const type of playbackEvents) video.addEventListener(type, (event) => this.#record(type, event.timeStamp));
    video.addEventListener('seeked', ({ timeStamp }) => this.#metrics.record('found', timeStamp));
    // Not when it seeks: dash.js 5.2 may go half a second back after it has ended, and stays there.
    video.addEventListener('play', () => (this.#saidToHaveEnded = false));
    // dash.js recovers from a decode error by itself and keeps silent; it is an error all the same.
    video.addEventListener('error', () => {
      if (video.error) this.addError('media', video.error.code, video.error.message);
    });
  }

  get ended(): boolean {
    return this.#video.ended || this.#saidToHaveEnded;
  }

  /** dash.js has ended playback; it may pause a frame short of the end, and then the element never says `ended`. */
  playbackEnded(): void {
    this.#saidToHaveEnded = true;
    this.#record('ended', performance.now());
  }

  addError(source: PlaybackError['source'], code: number, message: string): void {
    this.#errors.push({ source, code, message, position: this.#video.currentTime });
  }

  summary(): PlaybackSummary {
    const video = this.#video;
    const quality = video.getVideoPlaybackQuality();
    return {
      ...this.#metrics.summary(performance.now()),
      playedSeconds: totalSeconds(spans(video.played)),
      errors: [...this.#errors],
      totalVideoFrames: quality.totalVideoFrames,
      droppedVideoFrames: quality.droppedVideoFrames,
      buffered: spans(video.buffered),
      duration: Number.isFinite(video.duration) ? video.duration : undefined,
      position: video.currentTime,
      ended: this.ended,
    };
  }

  #record(type: PlaybackEvent, at: number): void {
    // The element fires `pause` just before `ended`: that pause is nobody's wish.
    this.#metrics.record(type === 'pause' && this.ended ? 'ended' : type, at);
  }
}

function spans(ranges: TimeRanges): TimeSpan[] {
  return Array.from({ length: ranges.length }, (_, index) => [ranges.start(index), ranges.end(index)] as const);
}
