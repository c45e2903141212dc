import type { Playhead } from '../../src/delivery/piece-queue.js';
import { LiveLink, type LiveRung } from '../../src/delivery/live-link.js';
import { addCounts } from '../../src/delivery/index.js';
import type { DeliveredChunk, FollowRequest } from '../../src/voxel-loader/types.js';
import { PlayerError } from '../api/errors.js';
import type { ChunkEvent, Delivery, LivePluginStatistics } from '../api/types.js';
import { PlayheadWatch, type PlayingElement } from '../port/playhead-watch.js';
import type { PluginParts } from '../segments/wiring.js';

export interface GrowingOptions {
  /** Delivery as the page's options have it. */
  readonly delivery: Delivery;
  /** Whether a segment's frames are one group, of which nothing is sent or used after a gap; default false. */
  readonly isGroup?: boolean | undefined;
  /** Where playback is. */
  readonly element: () => PlayingElement | undefined;
  /** Until where there are pictures, in seconds on the presentation's time line. */
  readonly edge: () => number;
}

/** A segment whose file grows, as a player asks for it. */
export interface GrowingSegment {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its representation, by the name that the receiver has its initialization segment by. */
  readonly key: string;
  /** Seconds on the presentation's time line. */
  readonly startTime: number;
  readonly duration: number;
  /** Seconds that media time, of which records speak, is behind that. */
  readonly mediaOffset: number;
}

/** Whose chunk it is, as events have it. */
export type ChunkPlace = Pick<ChunkEvent, 'mediaType' | 'index' | 'representation' | 'bandwidth'> & {
  /** Seconds on the element's time line, where that is another than media time. */
  readonly startTime?: number;
};

/** What following growing files takes in any player: how they are asked for, what the link carries, what became of their chunks. */
export class GrowingFiles {
  link = new LiveLink(performance.now());
  readonly #watch = new PlayheadWatch();
  #origin = '';
  #chunks = 0;
  #chunksRepaired = 0;

  constructor(
    private readonly parts: Pick<PluginParts, 'sessions' | 'journal' | 'preferences'>,
    private readonly options: GrowingOptions,
  ) {}

  /** Another presentation plays, whose manifest came from that origin. */
  begin(origin: string): void {
    this.link = new LiveLink(performance.now());
    this.#origin = origin;
  }

  get statistics(): Partial<LivePluginStatistics> {
    const { sessions, journal } = this.parts;
    const { rate } = this.link;
    const { fallbacks, errors } = journal;
    return {
      delivery: sessions.isOpen ? this.options.delivery : 'http',
      throughput: rate,
      live: { chunks: this.#chunks, chunksRepaired: this.#chunksRepaired, rate, fallbacks, errors: [...errors] },
    };
  }

  /** Throws `PlayerError` unless the VOXEL server has the file. */
  request({ url, headers = {}, key, startTime, duration, mediaOffset }: GrowingSegment): FollowRequest {
    const { delivery, isGroup, edge } = this.options;
    const { origin, hostname, pathname, search } = new URL(url);
    if (origin !== this.#origin)
      throw new PlayerError('other-origin', `the manifest is on ${this.#origin}, its media on ${origin}`);
    return {
      representation: key,
      target: pathname + search,
      delivery: delivery === 'streams' ? 'streams' : 'datagrams',
      startTime: startTime - mediaOffset,
      deadline: this.link.deadlineOf(
        { startTime, duration },
        { edge: edge(), playhead: this.#playhead(0), now: performance.now() },
      ),
      isGroup: isGroup ?? false,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'range')),
      headerHosts: [hostname, ...this.parts.preferences.headerHosts],
    };
  }

  /** A chunk of video has come. */
  arrived(rung: LiveRung, chunk: DeliveredChunk): void {
    this.link.add(rung, chunk, performance.now());
  }

  /** A chunk was handed to the player. */
  handedOver(chunk: DeliveredChunk, place: ChunkPlace): void {
    const { repairedFrames, states } = chunk.frames;
    this.#chunks++;
    if (repairedFrames > 0) this.#chunksRepaired++;
    const { number, startTime, duration, capturedAt, wholeScore, score, bytesUnsent } = chunk;
    this.parts.journal.chunk({
      ...{ number, startTime, duration, capturedAt, wholeScore, score, bytesUnsent },
      ...addCounts(chunk),
      ...place,
      ...{ framesTotal: states.length, framesRepaired: repairedFrames, frames: states, data: chunk.bytes },
    });
  }

  /** Tells the session where playback is, by which chunks are due. `mediaOffset`: as of segments. */
  tellPlayhead(mediaOffset: number): void {
    this.parts.sessions.session?.play(this.#playhead(mediaOffset));
  }

  #playhead(offset: number): Playhead | undefined {
    return this.#watch.look(this.options.element(), offset, performance.now());
  }
}
