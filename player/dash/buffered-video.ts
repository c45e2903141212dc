import { concatenate } from '../../src/concatenate.js';
import type { BufferedSegment, PlayerVideo } from '../port/player-segment.js';
import { secondsAhead, TIME_TOLERANCE } from '../port/buffered-time.js';
import type {
  DashMetrics,
  DashPlayer,
  DashRepresentation,
  FragmentRequest,
  Stream,
  StreamProcessor,
} from './dash-types.js';

/** A buffered segment as dash.js has it. */
export interface DashSegment extends BufferedSegment {
  readonly representation: DashRepresentation;
}

/** Looks up the initialization segment of a representation, if it was seen. */
export type FindInitialization = (representation: DashRepresentation) => Uint8Array | undefined;

/** The video that dash.js holds. */
export class BufferedVideo implements PlayerVideo {
  /** Where dash.js begins to play, in seconds on the media time line: the element learns that later. */
  startTime = NaN;

  readonly takesPieces = true;

  constructor(
    private readonly player: DashPlayer,
    private readonly findInitialization: FindInitialization,
  ) {}

  /** Undefined without a media element. */
  get element(): HTMLMediaElement | undefined {
    try {
      return this.player.getVideoElement();
    } catch {
      return undefined;
    }
  }

  /** Seconds of video; 0 before `initialize()` and after `destroy()`. dash.js' own figure is up to a quarter of a second old. */
  get bufferLevel(): number {
    const { element } = this;
    const now = element && !element.seeking ? secondsAhead(this.#buffered, element.currentTime) : undefined;
    if (now !== undefined) return now;
    const metrics = this.player.getDashMetrics() as DashMetrics | null | undefined;
    return metrics?.getCurrentBufferLevel('video') ?? 0;
  }

  /** 0 while nothing is to play. */
  get playbackRate(): number {
    const { element } = this;
    return !element || element.paused || element.seeking ? 0 : element.playbackRate;
  }

  /** True when all segments up to the end of the period have been asked for. */
  get isLastRequested(): boolean {
    return this.#processor !== undefined && !this.nextRequest;
  }

  /** What dash.js would ask for now, with the representation that it loads; undefined at the end of the period. */
  get nextRequest(): FragmentRequest | undefined {
    return this.#processor?.probeNextRequest() ?? undefined;
  }

  /** dash.js finds it this way where all segments have one duration; it goes on with the representation that it loads. */
  placeAfterSeek(time: number): DashSegment | undefined {
    const representation = this.#processor?.getRepresentation();
    if (!representation || secondsAhead(this.#buffered, time) !== undefined) return undefined;
    const { segmentDuration, adaptation } = representation;
    const { start, duration: periodDuration } = adaptation.period;
    const end = start + periodDuration;
    const index = Math.floor((time - start) / segmentDuration);
    if (!(index >= 0 && time < end)) return undefined;
    const startTime = start + index * segmentDuration;
    return { index, startTime, duration: Math.min(segmentDuration, end - startTime), representation };
  }

  /** Whether playback is to start within that segment. */
  startsIn({ startTime, duration }: Pick<DashSegment, 'startTime' | 'duration'>): boolean {
    return this.startTime >= startTime && this.startTime < startTime + duration;
  }

  /** True when the segment is in the buffer, and what is appended now would stand in its place. */
  holds({ representation, startTime, duration }: DashSegment): boolean {
    const buffer = this.#sourceBuffer;
    const current = this.#processor?.getRepresentation();
    if (!buffer || !current) return false;
    const [own, other] = [representation.adaptation, current.adaptation];
    const isSameSet = own.index === other.index && own.period.index === other.period.index;
    // While the next period is being loaded the SourceBuffer is set to that.
    const isPlacedAlike = !(Math.abs(buffer.timestampOffset - representation.mseTimeOffset) > 0);
    const isInWindow =
      buffer.appendWindowStart <= startTime + TIME_TOLERANCE &&
      buffer.appendWindowEnd >= startTime + duration - TIME_TOLERANCE;
    return isSameSet && isPlacedAlike && isInWindow && isCovered(buffer.buffered, startTime, startTime + duration);
  }

  /**
   * Appends `media` over the segment as it is; false when that is not possible. The initialization segments around it are
   * in the same piece because dash.js drops its queue of pieces at will: were only the last one dropped, the next segment
   * would meet a decoder that is set to the wrong representation.
   */
  async replace(segment: DashSegment, media: Uint8Array): Promise<boolean> {
    const processor = this.#processor;
    const sink = processor?.getBufferController()?.getBuffer();
    const current = processor?.getRepresentation();
    if (!sink || !current || !this.holds(segment)) return false;
    const [own, next] = [segment.representation, current].map(this.findInitialization);
    if (!own || !next) return false;
    const mediaSource = processor!.getMediaSource();
    const { index, startTime, duration } = segment;
    await sink.append({
      bytes: concatenate([own, media, next]).buffer,
      segmentType: 'MediaSegment',
      representation: segment.representation,
      streamId: this.#stream!.getId(),
      index,
      duration,
      start: startTime,
      end: startTime + duration,
      endFragment: true,
    });
    if (mediaSource) await this.#end(mediaSource);
    return true;
  }

  /** NaN while nothing is to play. */
  get secondsToEnd(): number {
    const info = this.#stream?.getStreamInfo();
    return info ? info.start + info.duration - (this.element?.currentTime ?? NaN) : NaN;
  }

  get isComplete(): boolean {
    const processors = this.#stream?.getStreamProcessors().filter((one) => /^(video|audio)$/.test(one.getType()));
    return processors?.every((processor) => processor.isBufferingCompleted()) ?? false;
  }

  async end(): Promise<void> {
    const mediaSource = this.#processor?.getMediaSource();
    if (mediaSource) await this.#end(mediaSource, this.element?.currentTime);
  }

  /**
   * Appending opens an ended MediaSource again, and dash.js ends it only once: never where something was being appended
   * at that moment. Playback would then halt just before the end for good. `from`: seconds from which on everything may be here, whatever
   * dash.js says.
   */
  async #end(mediaSource: MediaSource, from?: number): Promise<void> {
    const buffers = Array.from(mediaSource.sourceBuffers);
    for (;;) {
      const busy = buffers.find(({ updating }) => updating);
      if (!busy) break;
      await new Promise((resolve) => busy.addEventListener('updateend', resolve, { once: true }));
    }
    if (mediaSource.readyState !== 'open' || !this.#stream?.getStreamInfo().isLast) return;
    // All of the presentation's last period must be in the buffers; after a seek, for example, it is not.
    const { duration } = mediaSource;
    const isHere = from !== undefined && buffers.every(({ buffered }) => isCovered(buffered, from, duration));
    if (isHere || this.isComplete) mediaSource.endOfStream();
  }

  get #stream(): Stream | null {
    try {
      return this.player.getActiveStream() as Stream | null;
    } catch {
      // It has no source now.
      return null;
    }
  }

  get #processor(): StreamProcessor | undefined {
    return this.#stream?.getStreamProcessors().find((processor) => processor.getType() === 'video');
  }

  get #sourceBuffer(): SourceBuffer | null | undefined {
    return this.#processor?.getBufferController()?.getBuffer()?.getBuffer();
  }

  get #buffered(): TimeRanges | undefined {
    try {
      return this.#sourceBuffer?.buffered;
    } catch {
      // It has been taken out of its MediaSource.
      return undefined;
    }
  }
}

function isCovered(ranges: TimeRanges, start: number, end: number): boolean {
  for (let index = 0; index < ranges.length; index++) {
    if (ranges.start(index) <= start + TIME_TOLERANCE && ranges.end(index) >= end - TIME_TOLERANCE) return true;
  }
  return false;
}
