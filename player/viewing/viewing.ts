import type { EventEmitter } from '../api/events.js';
import type { Delivery, LivePluginEventMap, SummaryEvent, VoxelSummary } from '../api/types.js';
import { PictureMetrics } from './picture-metrics.js';
import { isOfPlace } from './place.js';
import { PlaybackMetrics, type PlaybackEvent } from './playback-metrics.js';
import { WatchedSegments } from './watched-segments.js';

/** Seconds that players jump at most where a gap keeps playback waiting; what is farther a viewer asked for. */
const LONGEST_NUDGE = 2;

/**
 * Seconds before the end and from the beginning of what is buffered, or less: players jump over gaps before the last picture is shown, on a busy
 * machine several of them, and a little further.
 */
const BORDER = { end: 0.5, beginning: 0.25 };

/** Seconds: what is said to be longer has no end, and players jump to its live edge from any place. */
const ENDLESS = 1e8;

/** ms between the request for another manifest and the element's word that what played before is gone. */
const CHANGE = 1000;

const HAVE_CURRENT_DATA = 2;

export interface ViewingCollaborators {
  /** The player's element, once it has one. */
  readonly element: () => HTMLMediaElement | undefined;
  readonly events: Pick<EventEmitter<LivePluginEventMap>, 'on' | 'emit'>;
  /** How chunks of live streams come. */
  readonly delivery: Delivery;
}

/** Measures what a viewer has of a playback, by the events of the media element and the pictures that the browser says it shows. */
export class Viewing {
  #playback = new PlaybackMetrics();
  #pictures = new PictureMetrics();
  #segments = new WatchedSegments();
  readonly #stopped = new AbortController();
  #element: HTMLMediaElement | undefined;
  /** When the last manifest was asked for, and whether that began a playback. */
  #requestedAt = -Infinity;
  #isRequested = false;
  /** The place of the seek that goes on, and of the last picture; seconds of media. */
  #target = 0;
  #place: number | undefined;
  #hasSought = false;
  #hasEnded = false;
  /** The start-up of this playback has been taken. */
  #isStartupTaken = false;
  /** Nothing has been played since it was last told. */
  #isTold = true;

  constructor(private readonly of: ViewingCollaborators) {
    const { events, delivery } = of;
    const undo = [
      events.on('delivered', ({ record }) => {
        const element = this.#element;
        this.#segments.add(record, element?.seeking ? undefined : element?.currentTime);
      }),
      events.on('chunk', (chunk) => chunk.mediaType === 'video' && this.#segments.addChunk(chunk, delivery)),
    ];
    this.#stopped.signal.addEventListener('abort', () => undo.forEach((off) => off()));
    // Rendered on a server there is no page.
    if (typeof window === 'undefined') return;
    this.#listen(window, { pagehide: () => this.#tell('pagehide') });
    this.#listen(document, {
      visibilitychange: ({ timeStamp }) =>
        document.hidden ? this.#pictures.interrupt(timeStamp) : this.#show(timeStamp),
    });
  }

  /** The player asks for a manifest, be it an update. */
  request(): void {
    this.#requestedAt = performance.now();
    if (!this.#isRequested) this.#begin();
    this.#isTold = false;
    this.look();
  }

  /** The player may have an element now. */
  look(): void {
    const element = this.of.element();
    if (!element || element === this.#element) return;
    this.#element = element;
    this.#follow(element);
  }

  /** The player says that playback has ended; the element may stand a picture short of that. */
  end(at = performance.now()): void {
    this.#playback.record('ended', at);
    this.#pictures.end();
    this.#hasEnded = true;
    this.#tell('ended');
  }

  summary(now = performance.now()): VoxelSummary {
    const { startupMs, stalls, stallSeconds, longestStall, seeks, seekSeconds, watchedSeconds } =
      this.#playback.summary(now);
    const { requestedAt } = this.#playback;
    const { pictures, seconds, stillSeconds, longestStill } = this.#pictures.summary(now);
    const hasPictures = seconds > 0;
    const startup = startupMs === undefined ? undefined : startupMs / 1000;
    const waits = requestedAt !== undefined && isToPlay(this.#element);
    return {
      startup,
      seeks: { count: seeks, seconds: seekSeconds },
      stalls: { count: stalls, seconds: stallSeconds, longest: longestStall },
      watchedSeconds,
      waitedSeconds: (startup ?? (waits ? (now - requestedAt) / 1000 : 0)) + seekSeconds + stallSeconds,
      stillShare: hasPictures ? stillSeconds / seconds : undefined,
      longestStill: hasPictures ? longestStill : undefined,
      picturesPerSecond: hasPictures ? pictures / seconds : undefined,
      ...this.#segments.summary(),
    };
  }

  /** Milliseconds of start-up, once they are known, and once a playback. */
  takeStartup(): number | undefined {
    if (this.#isStartupTaken) return undefined;
    const { startupMs } = this.#playback.summary(performance.now());
    this.#isStartupTaken = startupMs !== undefined;
    return startupMs;
  }

  stop(): void {
    this.#tell('detached');
    this.#stopped.abort();
  }

  #tell(reason: SummaryEvent['reason']): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.of.events.emit('summary', { reason, summary: this.summary() });
  }

  #follow(element: HTMLMediaElement): void {
    const record = (type: PlaybackEvent, { timeStamp }: Event): void => this.#playback.record(type, timeStamp);
    this.#listen(element, {
      play: ({ timeStamp }) => {
        this.#hasEnded = false;
        // What was loaded before has waited for the viewer.
        if (element.readyState >= HAVE_CURRENT_DATA && !element.autoplay) this.#playback.asked(timeStamp);
        this.#playback.record('play', timeStamp);
      },
      playing: (event) => {
        this.#isTold = false;
        record('playing', event);
        this.#show(event.timeStamp);
      },
      waiting: (event) => record('waiting', event),
      seeking: (event) => {
        if (this.#isPlayers(element)) return;
        record('seeking', event);
        this.#isTold = this.#hasSought = false;
        this.#target = element.currentTime;
        this.#pictures.interrupt(event.timeStamp);
      },
      seeked: (event) => {
        record('seeked', event);
        this.#hasSought = true;
        if (document.hidden || !('requestVideoFrameCallback' in element)) this.#found(event.timeStamp);
      },
      pause: (event) => {
        // The element says so just before it says that it has ended: that pause is nobody's wish.
        if (element.ended || this.#hasEnded) return;
        record('pause', event);
        this.#pictures.interrupt(event.timeStamp);
      },
      ended: ({ timeStamp }) => this.end(timeStamp),
      emptied: () => this.#change(),
    });
    if ('requestVideoFrameCallback' in element) this.#watch(element as HTMLVideoElement);
  }

  #watch(video: HTMLVideoElement): void {
    const look: VideoFrameRequestCallback = (_, { expectedDisplayTime: at, mediaTime, presentedFrames }) => {
      if (this.#stopped.signal.aborted) return;
      video.requestVideoFrameCallback(look);
      this.#place = mediaTime;
      this.#segments.show(mediaTime);
      if (this.#playback.isSeeking) {
        if (!this.#hasSought && !isOfPlace(mediaTime, this.#target)) return;
        this.#found(at);
      }
      if (this.#isShown(video)) this.#pictures.add(at, presentedFrames);
    };
    video.requestVideoFrameCallback(look);
  }

  /** Pictures are to follow, if there were some before. */
  #show(at: number): void {
    if (this.#element && this.#isShown(this.#element)) this.#pictures.resume(at);
  }

  #isShown({ paused }: HTMLMediaElement): boolean {
    const { hasStarted, isSeeking } = this.#playback;
    return hasStarted && !isSeeking && !paused && !document.hidden && !this.#hasEnded;
  }

  #found(at: number): void {
    this.#playback.record('found', at);
  }

  /** Whether the player itself jumps: to where playback begins, over what is missing, to the live edge, or back from the end. */
  #isPlayers({ currentTime, duration, buffered }: HTMLMediaElement): boolean {
    const { hasStarted, isStalled } = this.#playback;
    const place = this.#place ?? NaN;
    const step = currentTime - place;
    if (this.#hasEnded) return Math.abs(step) < LONGEST_NUDGE;
    if (!hasStarted) return true;
    return (
      step > 0 &&
      (isOverGap(buffered, place, currentTime) || (isStalled && (step < LONGEST_NUDGE || !(duration < ENDLESS))))
    );
  }

  /** Another presentation is to play. */
  #change(): void {
    if (this.#playback.hasStarted) {
      this.#tell('source');
      this.#playback = new PlaybackMetrics();
      this.#pictures = new PictureMetrics();
      this.#segments = new WatchedSegments();
      this.#place = undefined;
      this.#isRequested = this.#hasEnded = this.#isStartupTaken = false;
    }
    if (performance.now() - this.#requestedAt < CHANGE) this.#begin();
  }

  /** A playback begins with the request for its manifest. */
  #begin(): void {
    this.#isRequested = true;
    this.#playback.asked(this.#requestedAt);
  }

  #listen(target: EventTarget, listeners: Readonly<Record<string, (event: Event) => void>>): void {
    for (const [type, listener] of Object.entries(listeners))
      target.addEventListener(type, listener, { signal: this.#stopped.signal });
  }
}

/** Whether a jump leads from the end of something that is buffered to the beginning of what is buffered next. */
function isOverGap(buffered: TimeRanges, from: number, to: number): boolean {
  for (let index = 1; index < buffered.length; index++) {
    const isBeginning = Math.abs(to - buffered.start(index)) < BORDER.beginning;
    if (isBeginning && Math.abs(from - buffered.end(index - 1)) < BORDER.end) return true;
  }
  return false;
}

/** Whether somebody waits for it to play. */
function isToPlay(element: HTMLMediaElement | undefined): boolean {
  return element !== undefined && (!element.paused || element.autoplay);
}
