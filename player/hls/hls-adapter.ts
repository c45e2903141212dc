import { VoxelError } from '../../src/voxel-loader/errors.js';
import { PlayerError } from '../api/errors.js';
import { linkTo } from '../network/first-link.js';
import type { RangeRequest } from '../network/range-stream.js';
import { withFigures } from '../network/cmcd.js';
import {
  connectSegments,
  type Connection,
  type OpenPort,
  type PluginParts,
  type SegmentParts,
} from '../segments/wiring.js';
import type { HlsLive } from './live/index.js';
import { fragmentLoaderClass, within, type FragmentAnswer, type LoadsFragments } from './fragment-loader.js';
import { HlsPresentation } from './hls-presentation.js';
import { rangeOf, representationOf, segmentOf } from './hls-segments.js';
import { HlsPlayerSettings } from './hls-settings.js';
import {
  configOf,
  events,
  hasSource,
  levelsOf,
  type HlsDetails,
  type HlsFragment,
  type HlsPlayer,
  type LoaderContext,
  type ManifestParsed,
} from './hls-types.js';
import { HlsVideo } from './hls-video.js';
import { LevelChooser } from './level-chooser.js';
import { asThePageHasIt } from './page-setup.js';

/** An hls.js player's port. */
export function openHlsPlayer(hls: HlsPlayer): OpenPort {
  return (_, options) => {
    const settings = new HlsPlayerSettings(hls, options);
    const video = new HlsVideo(hls);
    return { video, settings, connect: (parts) => new HlsAdapter(hls, { video, settings }, parts) };
  };
}

interface HlsPort {
  readonly video: HlsVideo;
  readonly settings: HlsPlayerSettings;
}

/** Players that have had a plugin, and whether they have one. */
const attached = new WeakMap<HlsPlayer, boolean>();

/** Connects a plugin with an hls.js player: its loader, its choice of levels and its events. */
class HlsAdapter implements Connection, LoadsFragments {
  readonly #segmentParts: SegmentParts;
  /** Undefined: hls.js chooses. */
  readonly #levels: LevelChooser | undefined;
  readonly #undo: (() => void)[] = [];
  /** A live stream with records plays, */
  #isLive = false;
  /** and what brings its parts is here. */
  #live: HlsLive | undefined;
  #manifestUrl = '';
  /** The request for that, as it is sent. */
  #manifestRequest: Promise<RangeRequest> | undefined;
  /** Initialization segments under way, by representation, each until it is here or has failed: hls.js may ask for the segment after it meanwhile. */
  readonly #initializing = new Map<string, Promise<void>>();

  /** Throws `PlayerError` for a player that has a plugin already, or was given a playlist without one. */
  constructor(
    private readonly hls: HlsPlayer,
    private readonly port: HlsPort,
    private readonly parts: PluginParts,
  ) {
    if (attached.get(hls)) throw new PlayerError('already-attached', 'this player has a plugin: detach that first');
    // One that had a plugin before gets this one with its next playlist.
    if (hasSource(hls) && !attached.has(hls))
      throw new PlayerError('attached-too-late', 'attach the plugin before hls.loadSource()');
    attached.set(hls, true);
    this.#segmentParts = connectSegments(parts);
    this.#replaceLoaders();
    this.#undo.push(port.video.buffer.listen());
    if (parts.rateControl) {
      const { content, chooser, recorder } = this.#segmentParts;
      const { video, settings } = port;
      this.#levels = new LevelChooser(hls, { content, chooser, recorder, video, settings, live: () => this.#live });
      this.#undo.push(this.#levels.install());
    }
    this.#listen();
  }

  /** Takes the plugin off: the player is plain hls.js with its settings again. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#segmentParts.segments.release();
    this.#segmentParts.audio.release();
    this.#segmentParts.content.indexes.stop();
    this.#leaveLive();
    this.port.settings.restore();
    attached.set(this.hls, false);
  }

  get live(): Connection['live'] {
    return this.#live?.live;
  }

  get takesPieces(): boolean {
    return this.port.video.takesPieces;
  }

  load(context: LoaderContext, answer: FragmentAnswer): boolean {
    const { frag, part } = context;
    if (this.#isLive) return this.#loadLive(context, answer);
    if (part || !this.#segmentParts.content.presentation.hasVoxelData) return false;
    if (frag.type === 'audio' && frag.sn !== 'initSegment') {
      // Sound of hls.js comes whole: its initialization segment is not known.
      const audio = {
        ...{ index: frag.sn, startTime: frag.start, duration: frag.duration },
        ...{ url: frag.url, range: rangeOf(frag), representation: null },
      };
      this.#whenSetUp(answer, [], (request) => this.#segmentParts.audio.load(audio, request, answer));
      return true;
    }
    if (frag.type !== 'main') return false;
    if (frag.sn === 'initSegment') return this.#loadInitialization(frag, answer);
    const segment = segmentOf(this.hls, frag);
    if (!segment) return false;
    const { journal, viewing } = this.parts;
    Object.assign(context, withFigures(context, journal.score, viewing.takeStartup()));
    this.port.video.underWay = frag;
    answer.onProgress = () => {
      if (!this.#segmentParts.segments.restartOf(segment)) return;
      // A review says so: hls.js is to ask for another level of the segment.
      frag.abortRequests();
      this.hls.trigger(events.loadAborted, { frag, part: null, stats: frag.stats });
    };
    const delay = this.#levels?.delayOf(segment.index) ?? 0;
    const initialized = this.#initializing.get(this.#segmentParts.content.presentation.keyOf(segment.representation!));
    // Repair needs it.
    const ready = [initialized, delay > 0 && new Promise((resolve) => setTimeout(resolve, 1000 * delay))];
    this.#whenSetUp(answer, ready, (request) => this.#segmentParts.segments.load(segment, request, answer));
    return true;
  }

  /** Calls `load` with the request as the page has it, once that and what is to be `ready` is, unless hls.js does not want it any more. */
  #whenSetUp(answer: FragmentAnswer, ready: readonly unknown[], load: (request: RangeRequest) => void): void {
    let isWanted = true;
    answer.onAbort(() => (isWanted = false));
    const { page } = this.parts;
    Promise.all([answer.asSent(), ...ready]).then(
      ([request]) => {
        page.learn(request, 'media');
        if (isWanted) load(request);
      },
      // hls.js' own loader says what is wrong.
      () => isWanted && answer.loadOwn(),
    );
  }

  #loadInitialization(frag: HlsFragment, answer: FragmentAnswer): boolean {
    const { receiver, page } = this.parts;
    const { content, segments } = this.#segmentParts;
    const level = levelsOf(this.hls)[frag.level];
    const representation = level && representationOf(level);
    const map = representation && content.presentation.representation(representation);
    if (!map) return false;
    const want = (): void => content.indexes.want([map], segments.lastIndex);
    answer.asSent().then((request) => {
      page.learn(request, 'media');
      want();
    }, want);
    receiver.expect(frag.encrypted ? 'encv' : level.codecSet);
    const key = content.presentation.keyOf(representation);
    this.#initializing.set(
      key,
      new Promise((resolve) => {
        answer.onEnd = resolve;
        answer.loadOwn((data) => {
          if (data instanceof ArrayBuffer) receiver.addInitialization(key, new Uint8Array(data));
        });
      }),
    );
    return true;
  }

  #replaceLoaders(): void {
    const config = configOf(this.hls);
    const { fLoader, pLoader, loader, cmcd } = config;
    let isAttached = true;
    const forFragments = fragmentLoaderClass(config, () => (isAttached ? this : undefined));
    const forPlaylists = within(pLoader ?? loader, cmcd, (own) => {
      const load = own.load.bind(own);
      own.load = (context, ...rest) => {
        if (context.type === 'manifest') this.#manifestRequest = asThePageHasIt(own, context);
        load(context, ...rest);
      };
      return own;
    });
    config.fLoader = forFragments;
    config.pLoader = forPlaylists;
    this.#undo.push(() => {
      isAttached = false;
      if (config.fLoader === forFragments) config.fLoader = fLoader;
      if (config.pLoader === forPlaylists) config.pLoader = pLoader;
    });
  }

  #listen(): void {
    const on = (event: string, listener: (data: never) => void): void => {
      const own = (_: string, data: unknown): void => listener(data as never);
      this.hls.on(event, own);
      this.#undo.push(() => this.hls.off(event, own));
    };
    const { video, settings } = this.port;
    const { rateControl } = this.parts;
    const onSeeking = (): void => {
      this.#segmentParts.pipeline.cancel();
      rateControl?.reset();
    };
    const { viewing } = this.parts;
    const attach = (): void => {
      video.element?.addEventListener('seeking', onSeeking);
      viewing.look();
    };
    const leave = (): void => video.element?.removeEventListener('seeking', onSeeking);
    const over = ({ frag }: { frag?: HlsFragment }): void => {
      if (frag === video.underWay) video.underWay = undefined;
    };
    attach();
    this.#undo.push(leave);
    on(events.mediaAttached, attach);
    on(events.mediaDetaching, leave);
    on(events.fragLoaded, over);
    on(events.error, over);
    on(events.manifestLoading, ({ url }: { url: string }) => {
      viewing.request();
      this.#manifestUrl = new URL(url, location.href).href;
      void this.#begin(this.#manifestUrl);
    });
    on(events.manifestParsed, (data: ManifestParsed) => this.#onManifest(data));
    on(events.levelLoaded, ({ details }: { details: HlsDetails }) => {
      const [first] = details.fragments;
      if (first && this.#segmentParts.content.presentation.hasVoxelData) settings.apply(first.duration);
    });
  }

  /** Opens the session while the playlist is on its way. */
  async #begin(url: string): Promise<void> {
    const request = await this.#manifestRequest?.catch(() => undefined);
    if (request) this.parts.page.learn(request, 'manifest');
    if (url === this.#manifestUrl && attached.has(this.hls)) this.#openSession(new URL(url).origin);
  }

  #onManifest(data: ManifestParsed): void {
    const { sessions, receiver, rateControl, retransmission, preferences } = this.parts;
    const { settings } = this.port;
    const { content, pipeline } = this.#segmentParts;
    const url = this.#manifestUrl;
    retransmission?.stop();
    pipeline.cancel();
    this.#initializing.clear();
    const presentation = new HlsPresentation(data);
    content.load(presentation, url);
    rateControl?.reset();
    if (rateControl) rateControl.firstLink = linkTo(url);
    this.#leaveLive();
    if (presentation.isGrowing && preferences.delivery !== 'http') {
      this.#openSession(presentation.origin);
      this.#isLive = true;
      void this.#beginLive(presentation);
    } else if (presentation.hasVoxelData) {
      settings.begin();
      this.#openSession(presentation.origin);
    } else {
      sessions.stop();
      receiver.stop();
      settings.restore();
      if (preferences.delivery !== 'http') content.tellUnprepared(url);
    }
  }

  /** Until its code is here hls.js' own loader brings everything. */
  async #beginLive(presentation: HlsPresentation): Promise<void> {
    let live: typeof import('./live/index.js') | undefined;
    try {
      live = await import('./live/index.js');
    } catch {
      // Told below.
    }
    if (this.#segmentParts.content.presentation !== presentation || !attached.get(this.hls)) return;
    if (live) this.#live = new live.HlsLive(this.hls, this.parts, presentation.origin);
    else {
      const error = new VoxelError('unsupported', 'voxel-hls-live.js cannot be loaded from beside the plugin');
      this.parts.journal.fallback(error, this.#manifestUrl, undefined);
    }
  }

  /** Initialization segments are by their URLs, and learnt from the first on: hls.js asks for each once. */
  #loadLive(context: LoaderContext, answer: FragmentAnswer): boolean {
    if (context.frag.sn !== 'initSegment') return this.#live?.load(context, answer) ?? false;
    const { url } = context;
    answer.loadOwn((data) => {
      if (data instanceof ArrayBuffer) this.parts.receiver.addInitialization(url, new Uint8Array(data));
    });
    return true;
  }

  #leaveLive(): void {
    this.#live?.detach();
    this.#live = undefined;
    this.#isLive = false;
  }

  #openSession(origin: string): void {
    const { preferences, sessions } = this.parts;
    if (preferences.delivery !== 'http') sessions.start(origin);
  }
}
