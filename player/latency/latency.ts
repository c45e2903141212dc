import type { DashPlayer } from '../dash/dash-types.js';
import { LatencyStatistics, type LatencySummary } from './latency-statistics.js';

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
export function measureLatency(video: HTMLVideoElement, clock: () => LiveClock | undefined): LatencyMeter {
  const statistics = new LatencyStatistics();
  const stopped = new AbortController();
  const { signal } = stopped;
  let callback = 0;
  const onFrame: VideoFrameRequestCallback = (_now, { expectedDisplayTime, mediaTime, presentedFrames }) => {
    if (signal.aborted) return;
    callback = video.requestVideoFrameCallback(onFrame);
    const known = clock();
    if (!known || video.paused || document.hidden) return;
    // The wall clock is read now: what a page has counted since its start leaves out that clocks are set.
    const wallClock = Date.now() + expectedDisplayTime - performance.now();
    const latency = wallClock + (known.offset ?? 0) - (known.start + mediaTime * 1000);
    statistics.add({ at: expectedDisplayTime, latency, mediaTime, count: presentedFrames });
  };
  const interrupt = (): void => statistics.interrupt(performance.now());
  if ('requestVideoFrameCallback' in video) callback = video.requestVideoFrameCallback(onFrame);
  for (const type of ['pause', 'ended', 'emptied']) video.addEventListener(type, interrupt, { signal });
  document.addEventListener('visibilitychange', () => document.hidden && interrupt(), { signal });
  return {
    summary: () => statistics.summary(performance.now()),
    stop: () => {
      if (signal.aborted) return;
      interrupt();
      stopped.abort();
      if ('cancelVideoFrameCallback' in video) video.cancelVideoFrameCallback(callback);
    },
  };
}

interface LoadedManifest {
  readonly type?: string;
  readonly availabilityStartTime?: Date | string;
}

/**
 * The clock of what a dash.js player plays, for `measureLatency`: the manifest's availability start, and the offset of the
 * server's clock that dash.js found by the manifest's `UTCTiming`. Call it before `initialize()`; undefined until a live manifest is loaded.
 */
export function liveClock(player: DashPlayer): () => LiveClock | undefined {
  let start: number | undefined;
  let offset = 0;
  player.on('manifestLoaded', (event) => {
    const { data } = event as { readonly data?: LoadedManifest | null };
    if (!data) return;
    const { type, availabilityStartTime } = data;
    start = type === 'dynamic' && availabilityStartTime ? new Date(availabilityStartTime).getTime() : undefined;
  });
  player.on('updateTimeSyncOffset', (event) => {
    const found = (event as { readonly offset?: number }).offset;
    if (found !== undefined && Number.isFinite(found)) offset = found;
  });
  return () => (start === undefined ? undefined : { start, offset });
}
