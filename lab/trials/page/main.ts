import type { MediaPlayerClass } from 'dashjs';
import { plainSegment, type FragmentLoadingCompleted } from '../../../demo/plain-source.js';
import { VideoObserver } from '../../../demo/video-observer.js';
import { attachVoxel } from '../../../lab/index.js';
import type { SegmentRecord, VoxelSummary } from '../../../player/api/types.js';
import { base64 } from './base64.js';
import { Deliveries } from './deliveries.js';
import { discardedShare, type FragmentLoadingAbandoned } from './discards.js';
import { LiveRecorder } from './live-recorder.js';
import { prepareLivePlayer } from './live-stock-player.js';
import { watchPictures } from './pictures.js';
import { SeekingViewer } from './seeking-viewer.js';
import { prepareStockPlayer } from './stock-player.js';
import type { PageSettings, PathMoment, PlaybackRecord, Progress, Sample, ShownPicture } from './types.js';
import { voxelOptions } from './voxel-options.js';

/** The page loads the unmodified dash.js with a script element of its own. */
declare const dashjs: typeof import('dashjs');

/** Fine enough for a picture of the buffer, coarse enough to cost nothing. */
const SAMPLING_MS = 250;

/** More requests than a browser remembers by itself. */
const REMEMBERED_REQUESTS = 20_000;

/** One playback: nothing on the page but the video. */
class Run {
  readonly #startedAt = performance.now();
  readonly #observer: VideoObserver;
  readonly #player: MediaPlayerClass;
  readonly #video: HTMLVideoElement;
  readonly #deliveries = new Deliveries();
  readonly #pictures: readonly ShownPicture[];
  readonly #viewer: SeekingViewer | undefined;
  readonly #samples: Sample[] = [];
  readonly #pathMoments: PathMoment[] = [];
  readonly #notes: string[] = [];
  #discards: number[] | undefined;
  readonly #live: LiveRecorder | undefined;
  #throughput: () => number | undefined;
  #summary: () => VoxelSummary | undefined = () => undefined;
  /** Bytes over each path. */
  #pathBytes: () => readonly number[] | undefined = () => undefined;

  constructor(video: HTMLVideoElement, settings: PageSettings) {
    this.#video = video;
    const { seekTo } = settings;
    this.#observer = new VideoObserver(video, this.#startedAt, seekTo ? 'viewer' : 'player');
    this.#pictures = watchPictures(video);
    this.#viewer = seekTo && new SeekingViewer(video, this.#pictures, seekTo);
    this.#player = dashjs.MediaPlayer().create();
    this.#live = this.#liveRecorder(settings);
    this.#throughput =
      settings.player.kind === 'stock' ? this.#listenToStock(settings) : this.#listenToPlugin(settings);
    this.#player.on('playbackEnded', () => this.#observer.playbackEnded());
    video.muted = true;
    this.#player.initialize(video, settings.manifest, true);
    setInterval(() => this.#takeSample(), SAMPLING_MS);
  }

  progress(): Progress {
    const { ended, errors, startupMs, stallSeconds, position } = this.#observer.summary();
    const isOver = ended || this.#viewer?.isDone === true;
    return {
      ended: isOver,
      failed: errors.length > 0,
      started: startupMs !== undefined,
      stalled: stallSeconds,
      position,
    };
  }

  record(): PlaybackRecord {
    const summary = this.#summary();
    return {
      playback: this.#observer.summary(),
      segments: this.#deliveries.segments,
      samples: this.#samples,
      pictures: this.#pictures,
      ...(this.#viewer && { seeks: this.#viewer.seeks }),
      times: {
        start: performance.timeOrigin + this.#startedAt,
        request: firstRequest(this.#startedAt),
        end: performance.timeOrigin + performance.now(),
      },
      pathMoments: this.#pathMoments,
      protocols: mediaProtocols(),
      ...(this.#discards && { discards: this.#discards }),
      notes: this.#notes,
      ...(this.#live && { live: this.#live.record }),
      ...(summary && { summary }),
    };
  }

  appended(piece: number): string {
    return this.#live?.appended(piece) ?? '';
  }

  damagedSegment(index: number): string | undefined {
    const bytes = this.#deliveries.damaged(index);
    return bytes && base64(bytes);
  }

  #liveRecorder({ live, segmentDuration }: PageSettings): LiveRecorder | undefined {
    if (!live) return undefined;
    const summary = () => this.#observer.summary();
    return new LiveRecorder(this.#video, segmentDuration, this.#pictures, { seconds: live.settling, summary });
  }

  #listenToStock(settings: PageSettings): () => number | undefined {
    if (settings.live && settings.player.kind === 'stock')
      prepareLivePlayer(this.#player, settings.player.rule, settings.live.latency);
    else prepareStockPlayer(this.#player, settings);
    this.#listenToRequests();
    const discards: number[] = (this.#discards = []);
    this.#player.on('fragmentLoadingAbandoned', (event: object) => {
      const share = discardedShare(event as FragmentLoadingAbandoned);
      if (share !== undefined) discards.push(share);
    });
    // dash.js gives kbit/s, and 0 or NaN where it does not know.
    return () => this.#player.getAverageThroughput('video') * 1000 || undefined;
  }

  /** Listens to dash.js' requests: in a live stream the segments that came over the session are requests of dash.js, too. */
  #listenToRequests(): void {
    this.#player.on('fragmentLoadingCompleted', (event: object) => {
      const segment = plainSegment(event as FragmentLoadingCompleted);
      if (!segment) return;
      const index = this.#live?.numberAt(segment.startTime) ?? segment.index;
      const chunked = this.#live?.segment(index, segment.representation);
      if (chunked) this.#deliveries.addDelivered(chunked);
      else this.#add({ ...segment, index });
    });
  }

  #listenToPlugin(settings: PageSettings): () => number | undefined {
    const handle = attachVoxel(this.#player, voxelOptions(settings));
    this.#summary = () => handle.summary();
    const { live, delivery } = settings;
    if (live) {
      prepareLivePlayer(this.#player, undefined, live.latency);
      this.#listenToRequests();
      const over = delivery === 'streams' ? delivery : 'datagrams';
      handle.on('chunk', (chunk) => {
        if (chunk.mediaType === 'video') this.#live?.add(chunk, this.#now(), over);
      });
    }
    let before: readonly number[] = [];
    handle.on('delivered', ({ record, data }) => {
      const { paths } = handle.statistics();
      const connections = paths.filter(({ bytes }, place) => bytes > (before[place] ?? 0)).length;
      before = paths.map(({ bytes }) => bytes);
      this.#add(record, data, paths.length > 1 ? connections : undefined);
    });
    handle.on('fallback', ({ index, code, message }) => this.#note(`segment ${index}: ${code}: ${message}`));
    handle.on('session', (event) =>
      this.#note(`session ${event.state}${event.state === 'opened' ? '' : `: ${event.message}`}`),
    );
    handle.on('path', ({ url, state, message }) => {
      this.#note(`path ${url} ${state}${message === undefined ? '' : `: ${message}`}`);
      this.#pathMoments.push({ at: this.#now(), url, state });
    });
    this.#pathBytes = () => {
      const { paths } = handle.statistics();
      return settings.paths?.map(({ url }) => paths.find((path) => path.url === url)?.bytes ?? 0);
    };
    return () => handle.statistics().throughput;
  }

  #add(record: SegmentRecord, data?: Uint8Array, connections?: number): void {
    const moment = {
      // Who jumps sees what comes again: players empty their buffers.
      ...{ at: this.#now(), position: this.#viewer ? -Infinity : this.#video.currentTime },
      ...(connections !== undefined && { connections }),
    };
    if (!this.#deliveries.add(record, moment, data))
      this.#note(`segment ${record.index} came again, too late to be seen`);
  }

  #takeSample(): void {
    if (this.#observer.ended) return;
    const pathBytes = this.#pathBytes();
    this.#samples.push({
      at: this.#now(),
      position: this.#video.currentTime,
      buffer: this.#player.getBufferLength('video') || 0,
      throughput: this.#throughput() ?? null,
      ...(pathBytes && { pathBytes }),
    });
  }

  #note(text: string): void {
    this.#notes.push(`${this.#now().toFixed(1)} s: ${text}`);
  }

  #now(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }
}

/** When the media's first request began, ms since 1970; `startedAt`, on the page's clock, where there was none. */
function firstRequest(startedAt: number): number {
  const begun = (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
    .filter(({ name }) => name.includes('/media/'))
    .map(({ fetchStart }) => fetchStart);
  return performance.timeOrigin + Math.min(...(begun.length > 0 ? begun : [startedAt]));
}

function mediaProtocols(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of performance.getEntriesByType('resource') as PerformanceResourceTiming[]) {
    if (!entry.name.includes('/media/')) continue;
    counts[entry.nextHopProtocol] = (counts[entry.nextHopProtocol] ?? 0) + 1;
  }
  return counts;
}

let run: Run | undefined;

function started(): Run {
  if (!run) throw new Error('nothing has been started');
  return run;
}

performance.setResourceTimingBufferSize(REMEMBERED_REQUESTS);
window.trialPage = {
  start(settings) {
    run = new Run(document.querySelector('video')!, settings);
  },
  progress: () => started().progress(),
  record: () => started().record(),
  damagedSegment: (index) => started().damagedSegment(index),
  appended: (piece) => started().appended(piece),
};
