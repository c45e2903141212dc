import { isWaitedFor, type LinkEstimate } from '../../../src/delivery/index.js';
import type { SegmentProgress, SegmentTime, VoxelSession } from '../../../src/voxel-loader/index.js';
import { PlayheadWatch } from '../../port/playhead-watch.js';
import type { PlayerVideo } from '../../port/player-segment.js';

/** Share of a download that says more about its rate than those before it did. */
const LEAST_SHARE = 0.2;

/** Seconds of a segment that go by time where it is waited for: the first two pieces that are shown. */
const BY_TIME = 1;

export interface PlaybackCollaborators {
  readonly video: Pick<PlayerVideo, 'element' | 'bufferLevel' | 'playbackRate' | 'takesPieces'>;
  /** What downloads so far say about the link. */
  readonly link: { readonly throughput: Pick<LinkEstimate['throughput'], 'throughput'> };
}

/** Playback beside the downloads: whether it waits for one, and when pieces are due. */
export class Playback {
  readonly #watch = new PlayheadWatch();

  constructor(private readonly collaborators: PlaybackCollaborators) {}

  /**
   * Seconds of media time up to which the bytes of a segment of so many bytes go by time; undefined: none, nobody waits for it.
   * `bufferLevel`: seconds that are left to play before it.
   */
  byTimeUntil(time: SegmentTime | undefined, bytes: number, bufferLevel: number): number | undefined {
    if (!time || !this.#waitsFor(bytes, this.#linkRate, bufferLevel)) return undefined;
    return (this.playFrom(time) ?? time.start) + BY_TIME;
  }

  /** Media time, in seconds, with which playback goes on within a segment, after a seek; undefined: not within it. */
  playFrom(time: SegmentTime | undefined): number | undefined {
    const { element } = this.collaborators.video;
    if (!time || !element?.seeking) return undefined;
    const { currentTime } = element;
    return currentTime >= time.start && currentTime < time.start + time.duration ? currentTime : undefined;
  }

  /** Whether the viewer waits, or is about to wait, for the segment that is under way. */
  waitsFor({ bytesReliable, bytesUnreliable, bytesRequested, elapsed }: Omit<SegmentProgress, 'phase'>): boolean {
    const bytes = bytesReliable + bytesUnreliable;
    const hasShown = bytesRequested > 0 && bytes >= LEAST_SHARE * bytesRequested && elapsed > 0;
    const rate = hasShown ? (8 * bytes) / elapsed : this.#linkRate;
    return this.#waitsFor(bytesRequested - bytes, rate, this.collaborators.video.bufferLevel);
  }

  /** Tells a session where playback is. */
  tell(session: Pick<VoxelSession, 'play'>): void {
    session.play(this.#watch.look(this.collaborators.video.element, 0, performance.now()));
  }

  /** Bit/s; undefined: not known. */
  get #linkRate(): number | undefined {
    return this.collaborators.link.throughput.throughput;
  }

  #waitsFor(bytes: number, rate: number | undefined, bufferLevel: number): boolean {
    const { element, playbackRate, takesPieces } = this.collaborators.video;
    // Paused, the viewer waits for nothing but a picture.
    const isPaused = element !== undefined && element.paused && !element.seeking && bufferLevel > 0;
    if (!takesPieces || isPaused) return false;
    const buffer = playbackRate > 0 ? bufferLevel / playbackRate : undefined;
    return isWaitedFor({ buffer, seconds: rate ? (8 * bytes) / rate : Infinity });
  }
}
