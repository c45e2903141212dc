import type { MediaPlayerClass } from 'dashjs';
import { attachVoxel, liveClock, measureLatency, type FullVoxelHandle, type LatencyMeter } from '../../lab/index.js';
import { concatenate } from '../../src/concatenate.js';
import { LiveSegments } from '../live-segments.js';
import type { Delivery, SegmentRecord } from '../../player/api/types.js';
import { plainSegment, type FragmentLoadingCompleted } from '../plain-source.js';
import { VideoObserver } from '../video-observer.js';
import type { LanePlace, Program } from './control.js';
import { seenPictures } from './seen-pictures.js';
import { ShownSegments, type Knowledge } from './shown-segments.js';
import { prepareLivePlayer, prepareStockPlayer } from './stock-player.js';
import type { Lane, LaneKind, LaneNow, LaneReport, LinkMoment, Moment, ShownSegment } from './types.js';

/** The page loads the unmodified dash.js with a script element of its own. */
declare const dashjs: typeof import('dashjs');

/** What a lane plays, and over what. */
export interface LaneSetup {
  readonly kind: LaneKind;
  readonly place: LanePlace;
  readonly certificateHashes: readonly string[];
  readonly bufferSegments: number;
  readonly program: Program;
  readonly knowledge: Knowledge;
  /** Of the comparison, on the clock of `performance.now()`. */
  readonly startedAt: number;
}

/** One player of a comparison that runs. */
export class LiveLane implements Lane {
  readonly kind: LaneKind;
  readonly moments: Moment[] = [];
  readonly #video: HTMLVideoElement;
  readonly #startedAt: number;
  readonly #observer: VideoObserver;
  readonly #player: MediaPlayerClass;
  readonly #shown: ShownSegments;
  readonly #handle: FullVoxelHandle | undefined;
  readonly #fallbacks: string[] = [];
  /** Undefined: not live. */
  readonly #latency: LatencyMeter | undefined;
  #hasStopped = false;

  constructor(video: HTMLVideoElement, setup: LaneSetup) {
    this.kind = setup.kind;
    this.#video = video;
    this.#startedAt = setup.startedAt;
    this.#observer = new VideoObserver(video, this.#startedAt);
    this.#player = dashjs.MediaPlayer().create();
    this.#shown = new ShownSegments(setup.knowledge);
    this.#handle = this.#prepare(setup);
    if (setup.program.isLive) this.#latency = measureLatency(video, liveClock(this.#player));
    this.#player.on('playbackEnded', () => this.#observer.playbackEnded());
    this.#player.on('error', (event: object) => {
      const { code, message } = (event as { error: { code: number; message: string } }).error;
      this.#observer.addError('dash.js', code, message);
    });
    video.muted = true;
    this.#player.initialize(video, new URL('manifest.mpd', setup.place.http).href, true);
    this.sample();
  }

  now(): LaneNow {
    const summary = this.#observer.summary();
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    const startup = summary.startupMs === undefined ? elapsed : summary.startupMs / 1000;
    const before = this.moments.at(-1);
    const waited = startup + summary.stallSeconds;
    return {
      ...{ at: elapsed, position: summary.position, waited },
      latency: this.#hasStopped ? this.#latency?.summary().mean : this.#latency?.summary().latency,
      isFrozen: !this.#hasStopped && !summary.ended && before !== undefined && waited > before.waited,
      hasEnded: summary.ended || this.#hasStopped,
    };
  }

  /** Notes where playback stands; nothing moves after its end. */
  sample(): void {
    if (this.#hasStopped) return;
    const { at, position, waited, hasEnded } = this.now();
    this.moments.push({ at, position, waited });
    this.#hasStopped = hasEnded;
  }

  /** Playback is over, as far as this comparison goes. */
  end(): void {
    this.sample();
    this.#latency?.stop();
    this.#player.pause();
    this.#hasStopped = true;
  }

  segments(): readonly ShownSegment[] {
    return this.#shown.all;
  }

  repaired(index: number): Uint8Array | undefined {
    return this.#shown.repaired(index);
  }

  report(place: number, link: LinkMoment | undefined): LaneReport {
    const { startupMs, stallSeconds, stalls, errors, ended } = this.#observer.summary();
    const segments = this.segments();
    const scores = segments.flatMap(({ score }) => score ?? []);
    const { perSecond, longestStill, stillShare } = seenPictures(this.moments, segments);
    return {
      id: this.kind.id,
      waited: this.now().waited,
      startup: startupMs === undefined ? undefined : startupMs / 1000,
      ...{ stalled: stallSeconds, stalls },
      latency: this.#latency?.summary().mean,
      ssim: scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : undefined,
      ...{ picturesPerSecond: perSecond, longestStill, stillShare },
      bytes: link?.sent[place] ?? 0,
      packetsLost: link?.lost[place] ?? 0,
      segments: segments.length,
      hasEnded: ended,
      fallbacks: this.#fallbacks,
      errors: errors.map(({ source, code, message }) => `${source} ${code}: ${message}`),
    };
  }

  stop(): void {
    this.#hasStopped = true;
    this.#latency?.stop();
    this.#handle?.detach();
    this.#player.destroy();
  }

  #prepare(setup: LaneSetup): FullVoxelHandle | undefined {
    const { kind, place, certificateHashes, bufferSegments, program } = setup;
    if (kind.delivery === undefined) {
      if (program.isLive) prepareLivePlayer(this.#player);
      else prepareStockPlayer(this.#player, bufferSegments, program.segmentDuration);
      this.#player.on('fragmentLoadingCompleted', (event: object) => {
        const record = plainSegment(event as FragmentLoadingCompleted);
        if (record) this.#show(record);
      });
      return undefined;
    }
    const paths = place.endpoints.map((url) => ({ url, certificateHashes }));
    const handle = attachVoxel(this.#player, {
      bufferSegments,
      ...(kind.delivery === 'streams' && { delivery: kind.delivery }),
      ...(paths.length > 1 ? { paths } : { endpoint: paths[0]! }),
    });
    handle.on('delivered', ({ record, data }) => this.#show(record, data));
    this.#listenForChunks(handle, kind.delivery);
    handle.on('fallback', ({ to, index, code, message }) => {
      if (to === 'http') this.#fallbacks.push(`segment ${index}: ${code}: ${message}`);
    });
    return handle;
  }

  /** Of a live stream. */
  #listenForChunks(handle: FullVoxelHandle, delivery: Delivery): void {
    const segments = new LiveSegments();
    let pieces: Uint8Array[] = [];
    handle.on('chunk', (chunk) => {
      if (chunk.mediaType !== 'video') return;
      const over = segments.add(chunk, { delivery, throughput: handle.statistics().throughput ?? 0 });
      if (over) this.#show(over.record, concatenate(pieces));
      if (over) pieces = [];
      pieces.push(chunk.data);
    });
  }

  #show(record: SegmentRecord, data?: Uint8Array): void {
    this.#shown.add(record, this.#video.currentTime, data);
  }
}
