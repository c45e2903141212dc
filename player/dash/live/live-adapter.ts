import type { FollowRequest } from '../../../src/voxel-loader/index.js';
import { PlayerError } from '../../api/errors.js';
import { GrowingFiles, type ChunkPlace, type GrowingOptions } from '../../growing/growing-files.js';
import { withoutCmcd, withFigures } from '../../network/cmcd.js';
import type { PluginParts } from '../../segments/wiring.js';
import type { BufferedVideo } from '../buffered-video.js';
import type { LivePart } from '../dash-adapter.js';
import {
  requestTypes,
  type DashPlayer,
  type FragmentRequest,
  type Load,
  type LoaderRequest,
  type LoaderResponse,
} from '../dash-types.js';
import { replaceLoad, Slots, type Extension } from '../extensions.js';
import { listen } from '../listen.js';
import { keyOf } from '../presentation.js';
import { EdgeJump, type LivePosition, type SegmentRequest } from './edge-jump.js';
import { FollowAhead, type AheadRequest } from './follow-ahead.js';
import { askEarly, identityOf, isLiveWithRecords, type LiveManifestElement } from './live-manifest.js';
import { LiveRule, rungOf } from './live-rule.js';
import { LiveSegment } from './live-segment.js';
import { applyLiveSettings, catchesUp } from './live-settings.js';

/** Milliseconds between two looks where playback is, and whether the next segment can be followed. */
const LOOK_INTERVAL = 100;

/** The players' `FetchLoader`, which dash.js takes for segments that still grow. */
const fetchLoaders = new Slots<Pick<Extension, 'load'>>((player, current) =>
  replaceLoad(player, 'FetchLoader', current),
);

/** With delivery `http` dash.js' own loader brings everything. */
export type LiveAdapterOptions = Pick<GrowingOptions, 'delivery' | 'isGroup'>;

/** Connects live streams with a dash.js player: its loader of growing segments, its rules, settings and events. */
export class LiveAdapter implements LivePart {
  readonly #segments = new Set<LiveSegment>();
  readonly #rule: LiveRule | undefined;
  readonly #ahead: FollowAhead;
  readonly #files: GrowingFiles;
  readonly #jump: EdgeJump;
  readonly #undo: (() => void)[] = [];
  /** Identity of the presentation that plays, while it is live with records. */
  #identity: string | undefined;
  /** Ends what only live streams need; undefined: none plays. */
  #end: (() => void) | undefined;

  constructor(
    private readonly player: DashPlayer,
    private readonly video: BufferedVideo,
    private readonly parts: PluginParts,
    private readonly options: LiveAdapterOptions,
  ) {
    const { sessions, receiver } = parts;
    const edge = (): number => player.getDvrWindow().end;
    this.#files = new GrowingFiles(parts, { ...options, element: () => video.element, edge });
    this.#undo.push(fetchLoaders.take(player, { load: (...of) => this.#load(...of) }), this.#listen());
    this.#ahead = new FollowAhead({
      next: () => video.nextRequest,
      choice: (next) => {
        const choice = this.#rule?.choose(next) ?? next.representation!;
        return receiver.initialization(keyOf(choice)) ? choice : undefined;
      },
      edge,
      follow: (request, onChunk) => sessions.session?.follow(this.#followRequest(request), onChunk),
    });
    this.#jump = new EdgeJump({
      element: () => video.element,
      position: () => this.#position,
      isWanted: () => catchesUp(player),
      isThere,
    });
    // Without a rule of the plugin dash.js' own choose.
    if (parts.rateControl) {
      this.#rule = new LiveRule(player, {
        link: () => this.#files.link,
        video,
        keyAhead: (index) => this.#ahead.representationOf(index),
        isActive: () => this.#isLive,
      });
      this.#undo.push(this.#rule.remove);
    }
  }

  get live(): LivePart['live'] {
    return this.#isLive ? this.#files.statistics : undefined;
  }

  take(manifest: LiveManifestElement): boolean {
    if (this.options.delivery === 'http' || !isLiveWithRecords(manifest)) {
      this.#leave();
      return false;
    }
    askEarly(manifest);
    const identity = identityOf(manifest);
    if (identity === this.#identity) return true;
    this.#identity = identity;
    this.#files.begin(new URL(manifest.url ?? '', location.href).origin);
    this.#ahead.reset();
    this.#jump.leave();
    this.#end ??= this.#begin();
    return true;
  }

  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#leave();
  }

  /** True while the presentation that plays is live with records. */
  get #isLive(): boolean {
    return this.#identity !== undefined;
  }

  #listen(): () => void {
    // What is due depends on it: the next look may be too late.
    const onWaiting = (): void => {
      if (this.#isLive) this.#tellPlayhead();
    };
    return listen(
      this.player,
      {
        playbackSeeking: () => {
          this.#files.link.seek();
          this.#ahead.reset();
          this.#jump.seeking();
        },
        playbackPaused: () => this.#jump.leave(),
        playbackWaiting: onWaiting,
        playbackPlaying: onWaiting,
      },
      // Initialization segments come through dash.js' own loader.
      ({ request, data }) => {
        const { type, representation } = request.customData.request;
        if (this.#isLive && type === requestTypes.initialization && representation && data instanceof ArrayBuffer)
          this.parts.receiver.addInitialization(keyOf(representation), new Uint8Array(data.slice(0)));
      },
    );
  }

  #begin(): () => void {
    const restoreSettings = applyLiveSettings(this.player);
    const looks = setInterval(() => {
      this.#tellPlayhead();
      this.#ahead.look();
      this.#jump.look();
    }, LOOK_INTERVAL);
    return () => {
      clearInterval(looks);
      restoreSettings();
    };
  }

  #leave(): void {
    this.#identity = undefined;
    this.#end?.();
    this.#end = undefined;
    this.#ahead.reset();
    this.#jump.leave();
    for (const segment of this.#segments)
      segment.release(new PlayerError('session-opening', 'the session was given up'));
  }

  #load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): void {
    const fragment = request.customData.request;
    const { representation } = fragment;
    if (!this.#isLive || !representation) return parentLoad(request, response);
    const isVideo = fragment.mediaType === 'video';
    // dash.js writes CMCD there, too, but not of what it will ask for next.
    fragment.url = withoutCmcd(fragment.url);
    const { journal, viewing } = this.parts;
    if (isVideo) Object.assign(request, withFigures(request, journal.score, viewing.takeStartup()));
    const segment: LiveSegment = new LiveSegment({
      request,
      response,
      parentLoad,
      follow: async (onChunk) => {
        const followed = isVideo && this.#ahead.adopt(request, onChunk);
        if (followed) return followed;
        const session = await this.parts.sessions.ready('now');
        return session.follow(this.#followRequest(request), onChunk);
      },
      onChunk: (chunk) => {
        if (isVideo) this.#files.arrived(rungOf(representation), chunk);
        this.#files.handedOver(chunk, placeOf(fragment));
        if (!isVideo) return;
        this.#ahead.arrived(chunk.startTime + chunk.duration + representation.mseTimeOffset);
        void this.#jump.consider({ ...fragment, request }, chunk);
      },
      onFallback: (error) => this.parts.journal.fallback(error, fragment.url, fragment.index),
      rate: () => this.#files.link.rate,
    });
    this.#segments.add(segment);
    if (isVideo) void this.#jump.consider({ ...fragment, request });
    void segment.run().finally(() => this.#segments.delete(segment));
  }

  /** Position of playback; undefined before it. */
  get #position(): LivePosition | undefined {
    const player = this.player;
    const latency = player.isReady() ? player.getCurrentLiveLatency() : NaN;
    if (Number.isNaN(latency)) return undefined;
    return { latency, target: player.getTargetLiveDelay(), ahead: this.video.bufferLevel };
  }

  /** Throws `PlayerError` unless the VOXEL server has the file. */
  #followRequest({ url, headers, customData }: AheadRequest): FollowRequest {
    const { startTime, duration, representation } = customData.request;
    const mediaOffset = representation!.mseTimeOffset;
    return this.#files.request({ url, headers, key: keyOf(representation!), startTime, duration, mediaOffset });
  }

  #tellPlayhead(): void {
    this.#files.tellPlayhead(this.video.nextRequest?.representation?.mseTimeOffset ?? 0);
  }
}

function placeOf({ mediaType, index, representation }: FragmentRequest): ChunkPlace {
  return { mediaType, index, representation: representation!.id, bandwidth: representation!.bandwidth };
}

/** Never rejects: what cannot be reached is not there. */
async function isThere({ url, headers = {}, credentials = 'same-origin' }: SegmentRequest): Promise<boolean> {
  try {
    return (await fetch(url, { method: 'HEAD', cache: 'no-store', headers, credentials })).ok;
  } catch {
    return false;
  }
}
