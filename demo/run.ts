import type { MediaPlayerClass } from 'dashjs';
import { attachVoxel, liveClock, measureLatency, type FullVoxelHandle } from '../lab/index.js';
import type { FallbackEvent, SessionEvent } from '../player/api/types.js';
import { meterFirstPictures, type FirstPictureTimes } from './first-pictures.js';
import { dashErrorNotice, fallbackNotice, notice, type Notice } from './notices.js';
import { plainSegment, plainSource, type FragmentLoadingCompleted } from './plain-source.js';
import { buildReport, type LivePlayback, type Report } from './report.js';
import { voxelSource, type SegmentSource } from './segment-source.js';
import { voxelOptions, type Settings } from './settings.js';
import { VideoObserver, type PlaybackSummary } from './video-observer.js';

/** The page loads the unmodified dash.js with a script element of its own. */
declare const dashjs: typeof import('dashjs');

/** Whom a run tells about its troubles. */
export interface RunListener {
  notice(notice: Notice): void;
  session(event: SessionEvent): void;
}

/** One playback, from the settings to the report. */
export interface Run {
  readonly player: MediaPlayerClass;
  /** Undefined with plain dash.js. */
  readonly handle: FullVoxelHandle | undefined;
  readonly source: SegmentSource;
  readonly playback: () => PlaybackSummary;
  readonly firstPictures: () => FirstPictureTimes;
  /** Undefined: not live. */
  readonly live: () => LivePlayback | undefined;
  /** `Representation@id`s of the video, lowest bitrate first; empty before the manifest is here. */
  readonly ladder: () => readonly string[];
  /** As the manifest has it, of the video that plays; undefined before. */
  readonly codec: () => string | undefined;
  readonly report: () => Report;
}

/** Plays the settings' manifest in `video`. */
export function startRun(video: HTMLVideoElement, settings: Settings, listener: RunListener): Run {
  const observer = new VideoObserver(video, settings.autoplay ? 0 : undefined);
  const firstPictures = meterFirstPictures(video, settings.autoplay ? 0 : undefined);
  const player = dashjs.MediaPlayer().create();
  const options = voxelOptions(settings);
  const handle = options && attachVoxel(player, options);
  const source = handle ? voxelSource(handle) : plainSource(player);
  const fallbacks = handle ? listenToPlugin(handle, listener) : [];
  if (handle) listenForPlainSegments(player, () => source.segments().length === 0, listener);
  listenForErrors(player, video, observer, listener);
  player.on('playbackEnded', () => observer.playbackEnded());
  const ladder = ladderOf(player);
  const live = livePlayback(video, player, source);

  video.muted = settings.autoplay;
  player.initialize(video, new URL(settings.manifest, location.href).href, settings.autoplay);
  return {
    player,
    handle,
    source,
    playback: () => observer.summary(),
    firstPictures,
    live,
    ladder,
    codec: () => (player.isReady() ? player.getCurrentRepresentationForType('video')?.codecs : null) ?? undefined,
    report: () =>
      buildReport({
        ...{ playback: observer.summary(), segments: source.segments(), live: live() },
        ...{ fallbacks, settings },
      }),
  };
}

function livePlayback(video: HTMLVideoElement, player: MediaPlayerClass, source: SegmentSource): Run['live'] {
  const clock = liveClock(player);
  const meter = measureLatency(video, clock);
  return () => clock() && { ...meter.summary(), target: player.getTargetLiveDelay(), chunks: source.chunks() };
}

/** Returns the list that fallbacks are added to. */
function listenToPlugin(handle: FullVoxelHandle, listener: RunListener): readonly FallbackEvent[] {
  const fallbacks: FallbackEvent[] = [];
  handle.on('session', (event) => listener.session(event));
  handle.on('fallback', (event) => {
    if (event.to !== 'http') return;
    fallbacks.push(event);
    const problem = fallbackNotice(event);
    if (problem) listener.notice(problem);
  });
  return fallbacks;
}

/** Milliseconds in which the plugin reports a segment that came over HTTP: it looks through its frames first. */
const REPORT_TIME = 2000;

/** The plugin is silent about segments without VOXEL data; a page that shows nothing should say why. */
function listenForPlainSegments(player: MediaPlayerClass, pluginHasNone: () => boolean, listener: RunListener): void {
  player.on('fragmentLoadingCompleted', (event: object) => {
    const segment = plainSegment(event as FragmentLoadingCompleted);
    if (!segment) return;
    setTimeout(() => {
      if (pluginHasNone()) listener.notice(notice('no-voxel-data', `representation ${segment.representation}`));
    }, REPORT_TIME);
  });
}

function ladderOf(player: MediaPlayerClass): Run['ladder'] {
  let ladder: readonly string[] = [];
  player.on('streamInitialized', () => {
    const representations = [...player.getRepresentationsByType('video')].sort((a, b) => a.bandwidth - b.bandwidth);
    ladder = representations.map(({ id }) => id);
  });
  return () => ladder;
}

/** dash.js' `error` event, as far as the page reads it. */
interface DashErrorEvent {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly response?: { readonly status?: number } } | null;
  };
}

function listenForErrors(
  player: MediaPlayerClass,
  video: HTMLVideoElement,
  observer: VideoObserver,
  listener: RunListener,
): void {
  video.addEventListener('error', () => {
    if (video.error) listener.notice(notice('decode', video.error.message));
  });
  player.on('error', (event: object) => {
    const { code, message, data } = (event as DashErrorEvent).error;
    // The element's own errors, which dash.js repeats under their codes, have been heard already.
    if (code <= MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED) return;
    observer.addError('dash.js', code, message);
    const problem = dashErrorNotice({ code, message, status: data?.response?.status });
    if (problem) listener.notice(problem);
  });
}
