import { bufferAhead, pipelineThreshold, type Strategy } from '../../../src/delivery/index.js';
import type { DeliveredSegment, SegmentDownload, SegmentProgress } from '../../../src/voxel-loader/index.js';
import type { PlayerSettings, PlayerVideo } from '../../port/player-segment.js';

export interface NextRequestCollaborators {
  readonly preferences: { readonly strategy: Strategy };
  readonly settings: Pick<PlayerSettings, 'secondsHeld'>;
  readonly video: Pick<PlayerVideo, 'bufferLevel' | 'playbackRate'>;
}

/** What the choice of the next segment counts on: seconds of buffer that there will be, and what the download shows of the link. */
export interface Foresight {
  readonly bufferLevel: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Says when the next segment is asked for: by the download under way, the room in the buffer, and the round trip. */
export class NextRequest {
  /** The latest download that has had its answer: the segment after it is chosen once. */
  #done: SegmentDownload | undefined;
  #watched: SegmentDownload | undefined;
  /** Seconds of it until its first byte, to within the time between two looks. */
  #timeToFirstByte = 0;
  /** Seconds. */
  #roundTrip = 0;

  constructor(private readonly collaborators: NextRequestCollaborators) {}

  /** Undefined: it is too early, or this download has had its answer. In seconds: `duration` of its segment, and what the player has of it. */
  look(download: SegmentDownload, duration: number, progress: SegmentProgress, handedOver = 0): Foresight | undefined {
    const { preferences, settings, video } = this.collaborators;
    const threshold = pipelineThreshold(preferences.strategy, this.#roundTrip);
    if (!threshold || download === this.#done) return undefined;
    if (download !== this.#watched) this.#timeToFirstByte = 0;
    this.#watched = download;
    const { bytesReliable, bytesUnreliable, bytesRequested } = progress;
    const bytesReceived = bytesReliable + bytesUnreliable;
    if (bytesReceived < 1) this.#timeToFirstByte = progress.elapsed;
    const elapsed = progress.elapsed - this.#timeToFirstByte;
    const { bufferLevel, playbackRate } = video;
    const { secondsHeld: fullBuffer } = settings;
    const buffer = bufferAhead(
      {
        ...{ bytesReceived, bytesRequested, elapsed, bufferLevel, fullBuffer, playbackRate },
        segmentDuration: duration,
        handedOver: handedOver > 0 ? handedOver : undefined,
      },
      threshold,
    );
    if (buffer === undefined) return undefined;
    this.#done = download;
    return { bufferLevel: buffer, bytes: bytesReceived, seconds: elapsed };
  }

  /** A segment has been delivered. `early`: it had been asked for ahead of the player. */
  delivered({ rtt, timeToFirstByte }: Pick<DeliveredSegment, 'rtt' | 'timeToFirstByte'>, early: boolean): void {
    // The first byte of an early download comes soon after the others: but for the very first, that tells no round trip.
    const first = early ? this.#roundTrip || timeToFirstByte : timeToFirstByte;
    this.#roundTrip = rtt === undefined ? first : rtt / 1000;
  }
}
