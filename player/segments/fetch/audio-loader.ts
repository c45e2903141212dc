import { REVIEW_INTERVAL } from '../../../src/delivery/index.js';
import { readRange } from '../../../src/manifest/byte-range.js';
import { MAX_SEGMENT_BYTES } from '../../../src/manifest/limits.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { SegmentDownload, SegmentProgress } from '../../../src/voxel-loader/index.js';
import { describeError } from '../../api/errors.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { RangeRequest } from '../../network/range-stream.js';
import { silentError, SilenceWatch } from '../../network/silence-watch.js';
import type { PlayerRequest } from '../../port/player-request.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { Presentation } from '../../port/presentation.js';
import type { Journal } from '../record/journal.js';
import { GivenPieces } from './given-pieces.js';
import { OverHttp } from './over-http.js';
import type { DownloadPlan, SegmentRequests, StartedDownload, WantedSegment } from './segment-requests.js';

/** What the player has been given of a segment, in order, and position in the file at which that ends. */
type Given = Pick<GivenPieces, 'given' | 'end'>;

/** All of it, on a stream. */
const WHOLE: DownloadPlan = {
  ...{ level: 0, delivery: 'streams', recovery: false },
  ...{ deadline: undefined, buffer: undefined, byTimeUntil: undefined, parity: undefined },
};

type AudioSegment = Pick<PlayerSegment, 'index' | 'url' | 'range' | 'startTime' | 'duration' | 'representation'>;

/** A segment of sound that the player waits for. */
interface WantedAudio extends WantedSegment {
  readonly request: RangeRequest;
  readonly fragment: AudioSegment;
  readonly answer: PlayerRequest;
}

export interface AudioLoaderCollaborators {
  readonly sessions: Pick<SessionManager, 'session' | 'abandon' | 'probe' | 'arrivals'>;
  readonly requests: Pick<SegmentRequests, 'start' | 'assemble' | 'canCut' | 'areOverSessions' | 'playback'>;
  readonly content: { readonly presentation: Pick<Presentation, 'origin' | 'keyOf'> };
  readonly journal: Pick<Journal, 'fallback'>;
  /** Finds a running download of video that is played before that time, in seconds. */
  readonly video: { downloadBefore(time: number): SegmentDownload | undefined };
}

/**
 * Loads segments of audio over the session, where the server sends them before all datagrams. Over a connection of its own audio gets
 * no more of the link than the video leaves it, and playback waits for it. What is played later than a segment of video that is on its way
 * comes after that. What the viewer waits for is handed over in pieces, over HTTP, too, while no session is open; all else that has none goes to
 * the player's own loader.
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

  load(fragment: AudioSegment, request: RangeRequest, answer: PlayerRequest): void {
    const { sessions, requests, content, video } = this.collaborators;
    const { representation, startTime, duration } = fragment;
    const map = wholeOf(fragment);
    const { session } = sessions;
    if (!map || this.hasRefused(fragment)) return answer.loadOwn();
    const { origin } = content.presentation;
    const key = representation ? content.presentation.keyOf(representation) : '';
    const time = { start: startTime, duration };
    const segment = { request, key, map, time, edition: 0, decision: undefined, origin, fragment, answer };
    if (!session) {
      const nothing = { bytesReliable: 0, bytesUnreliable: 0, bytesRequested: map.reliableBytes, elapsed: 0 };
      if (requests.areOverSessions && this.#isWaitedFor(segment, nothing)) void this.#takeHttp(segment);
      else answer.loadOwn();
      return;
    }
    try {
      // What is heard later does not hold up pictures that are shown sooner: after a seek the viewer waits for those.
      const after = video.downloadBefore(startTime);
      this.#follow(segment, requests.start(session, segment, WHOLE, after));
    } catch (error) {
      this.#fallBack(error, segment);
    }
  }

  release(): void {
    for (const handOver of this.#running.values()) handOver();
  }

  /** Whether it is to be handed over in pieces, as far as it has come. */
  #isWaitedFor({ key, answer }: WantedAudio, progress: Omit<SegmentProgress, 'phase'>): boolean {
    const { requests } = this.collaborators;
    return answer.piece !== undefined && requests.canCut(key) && requests.playback.waitsFor(progress);
  }

  /** Hands over what HTTP brings, as it comes: all of it, or what a session has left. */
  async #takeHttp(segment: WantedAudio, begun?: Given, continues?: SegmentDownload): Promise<void> {
    const { fragment, answer } = segment;
    const fed = this.collaborators.requests.assemble(segment, performance.now(), continues);
    const http = new OverHttp({ segment, fed, onProgress: () => undefined }, [...(begun?.given ?? [])]);
    const stop = (): void => {
      this.#running.delete(fragment);
      http.stop();
    };
    this.#running.set(fragment, () => {
      stop();
      answer.loadOwn();
    });
    answer.onAbort(stop);
    try {
      const bytes = begun ? (await http.takeRest(begun.end)).delivered.bytes : await http.take(http.ask());
      if (!http.isStopped) answer.deliver(bytes);
    } catch (error) {
      if (http.isStopped) return;
      if (http.pieces.length === 0) {
        answer.loadOwn();
        return;
      }
      // It may not be given all of it once more.
      this.collaborators.journal.fallback(error, fragment.url, fragment.index);
      answer.deliver(new Uint8Array(0));
    } finally {
      if (!http.isStopped) this.#running.delete(fragment);
    }
  }

  #follow(segment: WantedAudio, { session, download }: StartedDownload): void {
    const { fragment, map, answer, origin } = segment;
    const { sessions, requests } = this.collaborators;
    const pieces = new GivenPieces(answer);
    const handOver = (): void => {
      if (!this.#isWaitedFor(segment, download.progress())) return;
      requests.playback.tell(session);
      download.handOver((piece) => this.#running.has(fragment) && pieces.take(piece, false));
    };
    const silence = new SilenceWatch(() => sessions.probe(origin), sessions.arrivals, performance.now());
    const look = setInterval(() => {
      const { bytesReliable, bytesRequested } = download.progress();
      handOver();
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
    handOver();
    download.result.then(
      ({ bytes }) => {
        if (!end()) return;
        this.#delivered.add(fragment);
        answer.progress(map.reliableBytes, map.reliableBytes);
        answer.deliver(bytes);
      },
      (error: unknown) => {
        if (end()) this.#fallBack(error, segment, pieces, download);
      },
    );
  }

  #fallBack(error: unknown, segment: WantedAudio, pieces?: Given, download?: SegmentDownload): void {
    const { fragment, answer } = segment;
    // The next session may do better than this one, but not than this server.
    const { code } = describeError(error);
    if (code !== 'session-closed' && code !== 'timeout') this.#refused.add(fileOf(fragment));
    this.collaborators.journal.fallback(error, fragment.url, fragment.index);
    if (pieces && pieces.given.length > 0) void this.#takeHttp(segment, pieces, download);
    else answer.loadOwn();
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
