import type { Playhead } from '../../../src/delivery/piece-queue.js';
import { LiveLink } from '../../../src/delivery/live-link.js';
import type { DeliveredChunk, FollowRequest, Receiver } from '../../../src/voxel-loader/index.js';
import { PlayerError } from '../../errors.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { Delivery } from '../../types.js';
import { BufferedVideo } from '../buffered-video.js';
import {
  requestTypes,
  type DashPlayer,
  type FragmentRequest,
  type Load,
  type LoaderRequest,
  type LoaderResponse,
  type ResponseInterceptor,
} from '../dash-types.js';
import { keyOf } from '../presentation.js';
import { EdgeJump, type LivePosition, type SegmentRequest } from './edge-jump.js';
import { extendFetchLoader } from './fetch-extension.js';
import { FollowAhead, type AheadRequest } from './follow-ahead.js';
import { askEarly, identityOf, isLiveWithRecords, type LiveManifestElement } from './live-manifest.js';
import { LiveRule, rungOf } from './live-rule.js';
import { LiveSegment } from './live-segment.js';
import { applyLiveSettings, catchesUp } from './live-settings.js';
import { PlayheadWatch } from './playhead-watch.js';

/** Milliseconds between two looks where playback is, and whether the next segment can be followed. */
const LOOK_INTERVAL = 100;

export interface LiveAdapterOptions {
  readonly sessions: SessionManager;
  readonly receiver: Pick<Receiver, 'addInitialization' | 'initialization' | 'stop'>;
  /** `http`: no session is opened. */
  readonly delivery: Delivery;
  readonly headerHosts: readonly string[];
  /** Whether segments are groups, as a strategy says. */
  readonly isGroup: boolean;
  /** False: dash.js' rules choose. */
  readonly hasRule: boolean;
  readonly onChunk: (chunk: DeliveredChunk, fragment: FragmentRequest) => void;
  readonly onFallback: (error: unknown, fragment: FragmentRequest) => void;
}

/** Connects live streams with a dash.js player: its loader of growing segments, its rules, settings and events. */
export class LiveAdapter {
  readonly #player: DashPlayer;
  readonly #options: LiveAdapterOptions;
  readonly #video: BufferedVideo;
  readonly #segments = new Set<LiveSegment>();
  readonly #rule: LiveRule | undefined;
  readonly #ahead: FollowAhead;
  readonly #watch = new PlayheadWatch();
  readonly #jump: EdgeJump;
  readonly #undo: (() => void)[] = [];
  #link = new LiveLink(performance.now());
  /** Identity of the presentation that plays, while it is live with records. */
  #identity: string | undefined;
  #origin = '';
  #looks: ReturnType<typeof setInterval> | undefined;
  #restoreSettings: (() => void) | undefined;

  constructor(player: DashPlayer, options: LiveAdapterOptions) {
    this.#player = player;
    this.#options = options;
    this.#video = new BufferedVideo(player, () => undefined);
    this.#undo.push(extendFetchLoader(player, { load: (...of) => this.#load(...of) }), this.#listen());
    this.#ahead = new FollowAhead({
      next: () => this.#video.nextRequest,
      choice: (next) => {
        const choice = this.#rule?.choose(next) ?? next.representation!;
        return options.receiver.initialization(keyOf(choice)) ? choice : undefined;
      },
      edge: () => player.getDvrWindow().end,
      follow: (request, onChunk) => options.sessions.session?.follow(this.#followRequest(request), onChunk),
    });
    this.#jump = new EdgeJump({
      element: () => this.#video.element,
      position: () => this.#position,
      isWanted: () => catchesUp(player),
      isThere,
    });
    if (options.hasRule) {
      this.#rule = new LiveRule(player, {
        link: () => this.#link,
        video: this.#video,
        keyAhead: (index) => this.#ahead.representationOf(index),
        isActive: () => this.isLive,
      });
      this.#undo.push(() => this.#rule!.remove());
    }
  }

  /** True while the presentation that plays is live with records. */
  get isLive(): boolean {
    return this.#identity !== undefined;
  }

  /** Bit/s that the link carries, as the latest chunks show; undefined: not known. */
  get rate(): number | undefined {
    return this.#link.rate;
  }

  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#leave();
  }

  #listen(): () => void {
    const player = this.#player;
    const onManifestLoaded = (event: unknown): void => {
      const { data } = event as { readonly data?: LiveManifestElement };
      if (data) this.#onManifest(data);
    };
    const interceptor: ResponseInterceptor = (response) => {
      this.#learn(response as LoaderResponse);
      return Promise.resolve(response);
    };
    const onSeeking = (): void => {
      this.#link.seek();
      this.#ahead.reset();
      this.#jump.seeking();
    };
    const onPaused = (): void => this.#jump.leave();
    // What is due depends on it: the next look may be too late.
    const onWaiting = (): void => {
      if (this.isLive) this.#tellPlayhead();
    };
    player.on('manifestLoaded', onManifestLoaded);
    player.on('playbackSeeking', onSeeking);
    player.on('playbackPaused', onPaused);
    player.on('playbackWaiting', onWaiting);
    player.on('playbackPlaying', onWaiting);
    player.addResponseInterceptor(interceptor);
    return () => {
      player.off('manifestLoaded', onManifestLoaded);
      player.off('playbackSeeking', onSeeking);
      player.off('playbackPaused', onPaused);
      player.off('playbackWaiting', onWaiting);
      player.off('playbackPlaying', onWaiting);
      player.removeResponseInterceptor(interceptor);
    };
  }

  #onManifest(manifest: LiveManifestElement): void {
    if (this.#options.delivery === 'http' || !isLiveWithRecords(manifest)) {
      this.#leave();
      return;
    }
    askEarly(manifest);
    const identity = identityOf(manifest);
    if (identity === this.#identity) return;
    this.#identity = identity;
    this.#link = new LiveLink(performance.now());
    this.#ahead.reset();
    this.#jump.leave();
    this.#origin = new URL(manifest.url ?? '', location.href).origin;
    this.#options.sessions.start(this.#origin);
    this.#restoreSettings ??= applyLiveSettings(this.#player);
    this.#looks ??= setInterval(() => {
      this.#tellPlayhead();
      this.#ahead.look();
      this.#jump.look();
    }, LOOK_INTERVAL);
  }

  #leave(): void {
    this.#identity = undefined;
    clearInterval(this.#looks);
    this.#looks = undefined;
    this.#restoreSettings?.();
    this.#restoreSettings = undefined;
    this.#ahead.reset();
    this.#jump.leave();
    for (const segment of this.#segments)
      segment.release(new PlayerError('session-opening', 'the session was given up'));
    this.#options.sessions.stop();
    this.#options.receiver.stop();
  }

  /** Initialization segments come through dash.js' own loader. */
  #learn({ request, data }: LoaderResponse): void {
    const { type, representation } = request.customData.request;
    if (this.isLive && type === requestTypes.initialization && representation && data instanceof ArrayBuffer)
      this.#options.receiver.addInitialization(keyOf(representation), new Uint8Array(data.slice(0)));
  }

  #load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): unknown {
    const fragment = request.customData.request;
    const { representation } = fragment;
    if (!this.isLive || !representation) return parentLoad(request, response);
    const isVideo = fragment.mediaType === 'video';
    const segment: LiveSegment = new LiveSegment({
      request,
      response,
      parentLoad,
      follow: async (onChunk) => {
        const followed = isVideo && this.#ahead.adopt(request, onChunk);
        if (followed) return followed;
        const session = await this.#options.sessions.ready('now');
        return session.follow(this.#followRequest(request), onChunk);
      },
      onChunk: (chunk) => {
        if (isVideo) this.#link.add(rungOf(representation), chunk, performance.now());
        this.#options.onChunk(chunk, fragment);
        if (!isVideo) return;
        this.#ahead.arrived(chunk.startTime + chunk.duration + representation.mseTimeOffset);
        void this.#jump.arrived(chunk, { ...fragment, request });
      },
      onFallback: (error) => this.#options.onFallback(error, fragment),
      rate: () => this.rate,
    });
    this.#segments.add(segment);
    void segment.run().finally(() => this.#segments.delete(segment));
    return true;
  }

  /** Undefined before playback. */
  get #position(): LivePosition | undefined {
    const player = this.#player;
    const latency = player.isReady() ? player.getCurrentLiveLatency() : NaN;
    if (Number.isNaN(latency)) return undefined;
    return { latency, target: player.getTargetLiveDelay(), ahead: this.#video.bufferLevel };
  }

  /** Throws `PlayerError` unless the VOXEL server has the file. */
  #followRequest({ url, headers = {}, customData }: AheadRequest): FollowRequest {
    const { startTime, duration, representation } = customData.request;
    const { origin, hostname, pathname, search } = new URL(url);
    if (origin !== this.#origin)
      throw new PlayerError('other-origin', `the manifest is on ${this.#origin}, its media on ${origin}`);
    return {
      representation: keyOf(representation!),
      target: pathname + search,
      delivery: this.#options.delivery === 'streams' ? 'streams' : 'datagrams',
      startTime: startTime - representation!.mseTimeOffset,
      deadline: this.#link.deadlineOf(
        { startTime, duration },
        { edge: this.#player.getDvrWindow().end, playhead: this.#playhead(0), now: performance.now() },
      ),
      isGroup: this.#options.isGroup,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'range')),
      headerHosts: [hostname, ...this.#options.headerHosts],
    };
  }

  /** Records speak of media time. */
  #tellPlayhead(): void {
    const offset = this.#video.nextRequest?.representation?.mseTimeOffset ?? 0;
    this.#options.sessions.session?.play(this.#playhead(offset));
  }

  /** On a time line that is `offset` seconds behind the presentation's. */
  #playhead(offset: number): Playhead | undefined {
    return this.#watch.look(this.#video.element, offset, performance.now());
  }
}

/** Never rejects: what cannot be reached is not there. */
async function isThere({ url, headers = {}, credentials = 'same-origin' }: SegmentRequest): Promise<boolean> {
  try {
    return (await fetch(url, { method: 'HEAD', cache: 'no-store', headers, credentials })).ok;
  } catch {
    return false;
  }
}
