import type { DeliveredChunk, FollowRequest } from '../../../src/voxel-loader/types.js';
import { describeError } from '../../api/errors.js';
import { GrowingFiles } from '../../growing/growing-files.js';
import { withFigures, withoutCmcd, withoutCmcdOfRequest } from '../../network/cmcd.js';
import type { RangeRequest } from '../../network/range-stream.js';
import type { Connection, PluginParts } from '../../segments/wiring.js';
import type { FragmentAnswer } from '../fragment-loader.js';
import { representationOf } from '../hls-segments.js';
import {
  configOf,
  levelsOf,
  liveOf,
  type HlsFragment,
  type HlsLevel,
  type HlsPlayer,
  type LoaderContext,
} from '../hls-types.js';
import { CatchUp } from './catch-up.js';
import { GrowingFile } from './growing-file.js';
import { inFolder, Lane, nextOf, type AskedSegment, type FollowedSegment, type Track } from './lane.js';
import { listenTo } from './listen-to.js';
import { LiveLevels } from './live-levels.js';

/** Milliseconds between two looks where playback is. */
const LOOK_INTERVAL = 100;

/** Seconds: the next segment's file is followed when no more than that of this one is missing. */
const LEAD = 0.25;

/** Milliseconds without a chunk after which a session that is late is taken to be gone, though the browser has not noticed. */
const SILENCE = 1000;

/** What of the plugin it works with. */
type LiveParts = Omit<PluginParts, 'link' | 'video' | 'settings' | 'retransmission'>;

/** What came of a segment. */
interface Taken extends Pick<AskedSegment, 'track' | 'index'> {
  /** Where hls.js has the first chunk, in seconds on the element's time line. */
  readonly start: number;
  readonly chunks: readonly DeliveredChunk[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Brings the parts of a live stream to hls.js: each is a chunk of a file that grows, and that is followed over the session. What cannot come
 * that way its own loader brings.
 */
export class HlsLive implements Connection {
  readonly #growing: GrowingFiles;
  readonly #lanes: Readonly<Record<string, Lane>> = { main: new Lane(), audio: new Lane() };
  readonly #catchUp = new CatchUp();
  readonly #levels: LiveLevels;
  readonly #looks: ReturnType<typeof setInterval>;
  /** Seconds that media time is behind the element's; undefined: nothing has come. */
  #mediaOffset: number | undefined;
  #lastArrival = 0;
  /** Ends what is heard of the element that plays. */
  #leave: (() => void) | undefined;
  #element: HTMLMediaElement | null = null;

  /** `origin`: that of the playlists. */
  constructor(
    private readonly hls: HlsPlayer,
    private readonly parts: LiveParts,
    origin: string,
  ) {
    const { delivery } = parts.preferences;
    const element = (): HTMLMediaElement | undefined => hls.media ?? undefined;
    const edge = (): number => levelsOf(hls)[hls.loadLevel]?.details?.edge ?? 0;
    this.#growing = new GrowingFiles(parts, { delivery, element, edge });
    this.#growing.begin(origin);
    this.#levels = new LiveLevels(hls, () => this.#growing.link);
    this.#looks = setInterval(() => this.#look(), LOOK_INTERVAL);
  }

  get live(): Connection['live'] {
    return this.#growing.statistics;
  }

  /** Ends it: hls.js' own loader brings what is under way. */
  detach(): void {
    clearInterval(this.#looks);
    for (const lane of Object.values(this.#lanes)) lane.keep(undefined);
    this.#leave?.();
    this.#catchUp.end(this.hls.media ?? undefined);
  }

  /** Hears when playback goes on elsewhere, begins to wait or goes on: what is due depends on it. */
  #listen(): void {
    const { media } = this.hls;
    if (media === this.#element) return;
    this.#leave?.();
    this.#element = media;
    const look = (): void => this.#look();
    const seeking = (): void => this.#growing.link.seek();
    this.#leave = listenTo(media, { seeking, waiting: look, playing: look });
  }

  /**
   * The level that hls.js is to load from, of those; undefined: it chooses. A segment of which it has parts is not left: the others need them, and
   * what comes next is chosen once, when it is followed ahead or asked for.
   */
  chooseLevel(allowed: readonly HlsLevel[]): number | undefined {
    this.#levels.allowed = allowed;
    const { asked, files } = this.#lanes['main']!;
    const hasEnded = asked && files.get(asked.url)?.endsAt(asked.given);
    if (!asked || hasEnded === undefined) return undefined;
    const levels = levelsOf(this.hls);
    const level = hasEnded ? this.#levelAfter(asked) : levels.find((one) => isOf(one, asked.track));
    const index = level ? levels.indexOf(level) : -1;
    return index < 0 ? undefined : index;
  }

  /** False: hls.js' own loader is for it. */
  load(context: LoaderContext, answer: FragmentAnswer): boolean {
    const { frag, part } = context;
    const lane = this.#lanes[frag.type];
    const { receiver } = this.parts;
    const track = this.#trackOf(frag);
    if (!lane || !track || frag.bitrateTest || !receiver.initialization(track.key)) return false;
    let cancel: (() => void) | undefined = () => (cancel = undefined);
    answer.onAbort(() => cancel?.());
    // hls.js is answered after it has asked.
    queueMicrotask(() => {
      if (!cancel) return;
      const { start, duration, sn: index } = frag as HlsFragment & { readonly sn: number };
      const { url } = context;
      const former = lane.asked?.url === url ? lane.asked : undefined;
      const sent = former?.sent ?? this.#asSent(context, answer, track);
      const asked: AskedSegment = { url, track, start, duration, index, sent, given: former?.given ?? 0 };
      lane.asked = asked;
      // hls.js then finds nothing to abandon.
      if (this.parts.rateControl) answer.progress(1);
      const file = lane.follow(url, () => this.#follow(lane, asked));
      lane.keep(url);
      cancel = file.ask({
        range: part ? { start: part.byteRange[0] ?? 0, end: part.byteRange[1] ?? 0 } : undefined,
        take: (chunks, bytes) => {
          asked.given = chunks.at(-1)!.range.end;
          this.#handOver(answer, { track, index, start: (part ?? frag).start, chunks, bytes });
        },
        refuse: () => answer.loadOwn(),
      });
      this.#lookAhead(lane);
    });
    return true;
  }

  #handOver(answer: FragmentAnswer, { track, index, start, chunks, bytes }: Taken): void {
    const { mediaType, representation, bandwidth } = track;
    const isVideo = mediaType === 'video';
    const offset = start - chunks[0]!.startTime;
    if (isVideo) this.#mediaOffset = offset;
    if (isVideo) this.#sayRate(answer, bytes.length);
    answer.deliver(bytes);
    for (const chunk of chunks) {
      const startTime = chunk.startTime + offset;
      this.#growing.handedOver(chunk, { mediaType, representation, bandwidth, index, startTime });
    }
  }

  /** The request for a file, as the page has it. */
  #asSent(context: LoaderContext, answer: FragmentAnswer, { mediaType }: Track): Promise<RangeRequest> {
    const { journal, viewing, page } = this.parts;
    if (mediaType === 'video') Object.assign(context, withFigures(context, journal.score, viewing.takeStartup()));
    const sent = answer.asSent();
    // Where the page's function fails hls.js' own loader says so.
    sent.then(
      (request) => page.learn(request, 'media'),
      () => undefined,
    );
    return sent;
  }

  #follow(lane: Lane, asked: AskedSegment): GrowingFile {
    const { sessions } = this.parts;
    return new GrowingFile({
      follow: async (onChunk) => {
        const request = await asked.sent;
        const session = await sessions.ready('now');
        return session.follow(this.#requestFor(asked, request), onChunk);
      },
      onChunk: (chunk) => this.#arrived(lane, asked.track, chunk),
      onFailure: (error) => this.#fail(error, asked),
    });
  }

  /**
   * Follows the file after the one that hls.js asks for once that is nearly here: a server waits for its first chunk, and what is lost at the
   * end of a file is noticed by what comes after it.
   */
  #lookAhead(lane: Lane): void {
    const { asked, files } = lane;
    const seconds = (asked && files.get(asked.url)?.seconds) ?? 0;
    if (!asked || seconds < this.#segmentDuration - LEAD || lane.isAhead(asked.url)) return;
    const next = this.#next(asked);
    if (!next) return;
    const { url, track } = next;
    const create = (): GrowingFile =>
      new GrowingFile({
        follow: async (onChunk) => {
          const own = await asked.sent;
          const { session } = this.parts.sessions;
          // The page may write into every address what cannot be foretold.
          if (!session || withoutCmcd(own.url) !== asked.url) throw new Error('it cannot be followed ahead');
          return session.follow(this.#requestFor(next, { url, headers: withoutCmcdOfRequest(own.headers) }), onChunk);
        },
        onChunk: (chunk) => this.#arrived(lane, track, chunk),
        onFailure: (error) => {
          // Where hls.js has not asked for it, it is followed anew when it does.
          if (lane.asked?.url === url) this.#fail(error, lane.asked);
          else files.delete(url);
        },
      });
    lane.followAhead(asked.url, url, create);
  }

  /** The segment after that one, in the level that is chosen for it; undefined: it cannot be foretold. */
  #next(asked: AskedSegment): FollowedSegment | undefined {
    const { track } = asked;
    const url = nextOf(asked.url);
    const duration = this.#segmentDuration;
    const next = { start: asked.start + duration, duration, track };
    const level = track.mediaType === 'video' && this.parts.rateControl ? this.#levelAfter(asked) : undefined;
    if (!url || !level || isOf(level, track)) return url ? { ...next, url } : undefined;
    const { id, bandwidth } = representationOf(level);
    const [other, key] = [url, track.key].map((one) => inFolder(one, track.representation, id));
    if (!other || !key || !this.parts.receiver.initialization(key)) return undefined;
    return { ...next, url: other, track: { ...track, key, representation: id, bandwidth } };
  }

  #levelAfter({ index, track }: AskedSegment): HlsLevel | undefined {
    return this.#levels.after(index, track.representation, this.#segmentDuration);
  }

  /** The rest of that segment comes over HTTP. */
  #fail(error: unknown, { url, index }: AskedSegment): void {
    const { sessions, journal } = this.parts;
    const { session } = sessions;
    journal.fallback(error, url, index);
    const isSilent = performance.now() - this.#lastArrival > SILENCE;
    if (session && isSilent && describeError(error).code === 'timeout') sessions.abandon(session, error);
  }

  #arrived(lane: Lane, { mediaType, representation, bandwidth }: Track, chunk: DeliveredChunk): void {
    if (mediaType === 'video') this.#growing.arrived({ key: representation, bitrate: bandwidth }, chunk);
    this.#lastArrival = performance.now();
    this.#lookAhead(lane);
  }

  #requestFor(
    { track, start, duration }: Omit<FollowedSegment, 'url'>,
    { url, headers }: Pick<RangeRequest, 'url' | 'headers'>,
  ): FollowRequest {
    return this.#growing.request({
      ...{ url, headers, key: track.key, startTime: start },
      ...{ duration: duration || this.#segmentDuration, mediaOffset: this.#mediaOffset ?? 0 },
    });
  }

  /** Has hls.js see what the link carries: parts that are here when it asks say nothing of that. */
  #sayRate(answer: FragmentAnswer, bytes: number): void {
    const rate = this.#growing.link.rate ?? liveOf(this.hls).bandwidthEstimate;
    if (rate > 0 && Number.isFinite(rate)) answer.took((8000 * bytes) / rate);
  }

  /** Undefined: hls.js knows no such playlist any more. */
  #trackOf({ type, level, initSegment }: HlsFragment): Track | undefined {
    const key = initSegment?.url;
    if (!key) return undefined;
    if (type === 'audio') {
      const { name = '', bitrate = 0 } = liveOf(this.hls).audioTracks[level] ?? {};
      return { key, mediaType: 'audio', representation: name, bandwidth: bitrate };
    }
    const one = levelsOf(this.hls)[level];
    if (!one) return undefined;
    const { id, bandwidth } = representationOf(one);
    return { key, mediaType: 'video', representation: id, bandwidth };
  }

  /** Seconds. */
  get #segmentDuration(): number {
    const details = levelsOf(this.hls)[this.hls.loadLevel]?.details;
    return details?.fragments.at(-1)?.duration ?? details?.targetduration ?? 0;
  }

  /** Looks where playback is. */
  #look(): void {
    const hls = this.hls;
    this.#listen();
    if (this.#mediaOffset !== undefined) this.#growing.tellPlayhead(this.#mediaOffset);
    const { latency, targetLatency: target, liveSyncPosition } = liveOf(hls);
    const goal = levelsOf(hls)[hls.loadLevel]?.details?.live ? liveSyncPosition : null;
    // The page may have hls.js catch up in its own way.
    if (configOf(hls).maxLiveSyncPlaybackRate === 1)
      this.#catchUp.look(hls.media ?? undefined, { latency, target, goal });
  }
}

const isOf = (level: HlsLevel, { representation }: Track): boolean => representationOf(level).id === representation;
