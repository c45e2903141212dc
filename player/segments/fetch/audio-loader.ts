import { REVIEW_INTERVAL } from '../../../src/delivery/index.js';
import { readRange } from '../../../src/manifest/byte-range.js';
import { MAX_SEGMENT_BYTES } from '../../../src/manifest/limits.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { SegmentDownload } from '../../../src/voxel-loader/index.js';
import { describeError } from '../../api/errors.js';
import type { SessionManager } from '../../network/session-manager.js';
import { silentError, SilenceWatch } from '../../network/silence-watch.js';
import type { PlayerRequest } from '../../port/player-request.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { Presentation } from '../../port/presentation.js';
import type { Journal } from '../record/journal.js';
import type { DownloadPlan, SegmentRequests, StartedDownload, WantedSegment } from './segment-requests.js';

/** All of it, on a stream. */
const WHOLE: DownloadPlan = {
  ...{ level: 0, delivery: 'streams', recovery: false },
  ...{ deadline: undefined, buffer: undefined, byTimeUntil: undefined, parity: undefined },
};

type AudioSegment = Pick<PlayerSegment, 'index' | 'url' | 'range' | 'startTime'>;

export interface AudioLoaderCollaborators {
  readonly sessions: Pick<SessionManager, 'session' | 'abandon' | 'probe' | 'arrivals'>;
  readonly requests: Pick<SegmentRequests, 'start'>;
  readonly content: { readonly presentation: Pick<Presentation, 'origin'> };
  readonly journal: Pick<Journal, 'fallback'>;
  /** Finds a running download of video that is played before that time, in seconds. */
  readonly video: { downloadBefore(time: number): SegmentDownload | undefined };
}

/**
 * Loads segments of audio over the session, where the server sends them before all datagrams. Over a connection of its own audio gets
 * no more of the link than the video leaves it, and playback waits for it. What is played later than a segment of video that is on its way
 * comes after that. What has no session goes to the player's own loader.
 */
export class AudioLoader {
  /** What hands each download under way over to the player's own loader. */
  readonly #running = new Map<AudioSegment, () => void>();
  readonly #delivered = new WeakSet<AudioSegment>();
  /** Files that the VOXEL server does not have, or not as they were. */
  readonly #refused = new Set<string>();

  constructor(private readonly collaborators: AudioLoaderCollaborators) {}

  /** True when that segment came over a session. */
  hasDelivered(fragment: AudioSegment): boolean {
    return this.#delivered.has(fragment);
  }

  /** True when the server has not that file, or not as it was. */
  hasRefused(fragment: Pick<AudioSegment, 'url'>): boolean {
    return this.#refused.has(fileOf(fragment));
  }

  load(fragment: AudioSegment, request: WantedSegment['request'], answer: PlayerRequest): void {
    const { sessions, requests, content, video } = this.collaborators;
    const map = wholeOf(fragment);
    const { session } = sessions;
    if (!map || !session || this.hasRefused(fragment)) return answer.loadOwn();
    const { origin } = content.presentation;
    const segment = { request, key: '', map, time: undefined, edition: 0, decision: undefined, origin };
    try {
      // What is heard later does not hold up pictures that are shown sooner: after a seek the viewer waits for those.
      const after = video.downloadBefore(fragment.startTime);
      this.#follow(fragment, answer, requests.start(session, segment, WHOLE, after), origin);
    } catch (error) {
      this.#fallBack(error, fragment, answer);
    }
  }

  release(): void {
    for (const handOver of this.#running.values()) handOver();
  }

  #follow(fragment: AudioSegment, answer: PlayerRequest, { session, download }: StartedDownload, origin: string): void {
    const { sessions } = this.collaborators;
    const silence = new SilenceWatch(() => sessions.probe(origin), sessions.arrivals, performance.now());
    const look = setInterval(() => {
      const { bytesReliable, bytesRequested } = download.progress();
      if (bytesReliable > 0) answer.progress(bytesReliable, bytesRequested);
      if (silence.look(bytesReliable, performance.now())) sessions.abandon(session, silentError());
    }, 1000 * REVIEW_INTERVAL);
    /** Ends it: nothing of it reaches the player any more. False: that was so already. */
    const end = (): boolean => {
      clearInterval(look);
      return this.#running.delete(fragment);
    };
    const stop = (): boolean => {
      const wasRunning = end();
      download.abort();
      return wasRunning;
    };
    this.#running.set(fragment, () => {
      if (stop()) answer.loadOwn();
    });
    answer.onAbort(stop);
    download.result.then(
      ({ bytes }) => {
        if (!end()) return;
        this.#delivered.add(fragment);
        answer.progress(bytes.length, bytes.length);
        answer.deliver(bytes);
      },
      (error: unknown) => {
        if (end()) this.#fallBack(error, fragment, answer);
      },
    );
  }

  #fallBack(error: unknown, segment: AudioSegment, answer: PlayerRequest): void {
    // The next session may do better than this one, but not than this server.
    const { code } = describeError(error);
    if (code !== 'session-closed' && code !== 'timeout') this.#refused.add(fileOf(segment));
    this.collaborators.journal.fallback(error, segment.url, segment.index);
    answer.loadOwn();
  }
}

/** The query may differ with every request (CMCD). */
const fileOf = ({ url }: Pick<AudioSegment, 'url'>): string => url.split('?', 1)[0]!;

/** Undefined for what is not a part of a file: its length is not known. */
function wholeOf({ range: text }: AudioSegment): SegmentMap | undefined {
  const range = readRange(text ?? '');
  const length = range.end - range.start;
  if (!(length > 0 && length <= MAX_SEGMENT_BYTES)) return undefined;
  return {
    range,
    reliable: [range],
    unreliable: [],
    reliableBytes: length,
    steps: [{ score: 1, frames: 0, bytes: 0 }],
  };
}
