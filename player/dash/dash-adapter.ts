import { fetchRangeBy } from '../network/fetch-range.js';
import { linkTo } from '../network/first-link.js';
import {
  connectSegments,
  type Connection,
  type OpenPort,
  type PluginParts,
  type SegmentParts,
} from '../segments/wiring.js';
import { AudioInitialization } from './audio-initialization.js';
import { BufferedVideo } from './buffered-video.js';
import { requestTypes, type DashPlayer, type LoaderResponse } from './dash-types.js';
import { extendPlayer } from './extensions.js';
import { FirstPicture } from './first-picture.js';
import { HeadStart } from './head-start.js';
import { InitializationLoader } from './initialization-loader.js';
import { listen } from './listen.js';
import { LoaderAdapter } from './loader-adapter.js';
import { DashPresentation, keyOf, type ManifestElement } from './presentation.js';
import { addRules } from './rule-adapter.js';
import { DashPlayerSettings } from './settings.js';

/** Plays live streams with records in a dash.js player; builds without it leave those to dash.js. */
export interface LivePart extends Connection {
  /** Takes a presentation that has just been loaded, or an update of one. False: it is none of these. */
  take(manifest: ManifestElement): boolean;
}

export type OpenLive = (player: DashPlayer, video: BufferedVideo, parts: PluginParts) => LivePart;

/** A dash.js player's port. */
export function openDashPlayer(player: DashPlayer, openLive?: OpenLive): OpenPort {
  return (receiver, options) => {
    const settings = new DashPlayerSettings(player, options);
    const video = new BufferedVideo(player, (representation) => receiver.initialization(keyOf(representation)));
    return { video, settings, connect: (parts) => new DashAdapter(player, video, parts, openLive) };
  };
}

/** Connects a plugin with a dash.js player: its loader, its rules and its events. */
class DashAdapter implements Connection {
  readonly #live: LivePart | undefined;
  readonly #segmentParts: SegmentParts;
  readonly #headStart: HeadStart;
  readonly #firstPicture = new FirstPicture();
  readonly #undo: (() => void)[] = [];

  /** Throws `PlayerError` for a player that cannot be attached to. */
  constructor(
    private readonly player: DashPlayer,
    private readonly video: BufferedVideo,
    private readonly parts: PluginParts,
    openLive: OpenLive | undefined,
  ) {
    const { sessions, receiver, page, settings, retransmission, rateControl, preferences } = parts;
    const headStart = new HeadStart(sessions, video, () => rateControl?.firstLink.rate ?? Infinity);
    this.#headStart = headStart;
    this.#segmentParts = connectSegments(parts, headStart);
    const { content, recorder, chooser, pipeline, segments, audio } = this.#segmentParts;
    const initializations = new InitializationLoader({
      ...{ content, pipeline, segments, headStart, firstPicture: this.#firstPicture },
      ...{ sessions, receiver, settings, preferences, fetchRange: fetchRangeBy(page.fetch) },
    });
    // An update of a manifest may be asked for elsewhere than where the manifest came from.
    const openSession = (manifestUrl: string): void => {
      parts.viewing.request();
      if (!this.live) this.#openSession(manifestUrl);
    };
    const audioInitialization = new AudioInitialization({ content, audio, receiver });
    const loader = new LoaderAdapter({
      openSession,
      page,
      initializations,
      segments,
      audio,
      audioInitialization,
      journal: parts.journal,
      viewing: parts.viewing,
      headStart,
    });
    this.#undo.push(extendPlayer(player, loader));
    this.#live = openLive?.(player, video, parts);
    if (rateControl) {
      const forRules = { video, content, chooser, recorder, segments, initializations, retransmission };
      this.#undo.push(...addRules(player, forRules));
    }
    this.#undo.push(
      this.#listen(),
      () => segments.release(),
      () => audio.release(),
      () => initializations.stop(),
      () => headStart.cancel(),
      () => this.#firstPicture.skip(),
      () => this.#live?.detach(),
      () => content.indexes.stop(),
      () => settings.restore(),
    );
  }

  get live(): Connection['live'] {
    return this.#live?.live;
  }

  /** Takes the plugin off: the player is plain dash.js with its settings again. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #listen(): () => void {
    return listen(
      this.player,
      {
        manifestLoaded: ({ data }: { readonly data?: ManifestElement }) => this.#onManifestLoaded(data),
        playbackSeeking: (event: { readonly seekTime: number }) => {
          const { pipeline, segments } = this.#segmentParts;
          pipeline.cancel();
          this.parts.rateControl?.reset();
          // dash.js now ends what is under way, and puts a time behind the end before it.
          queueMicrotask(() => segments.seek(event.seekTime));
        },
        streamInitialized: () => this.parts.viewing.look(),
        // Of the presentation, not of one of its periods.
        playbackEnded: ({ isLast }: { readonly isLast?: boolean }) => isLast !== false && this.parts.viewing.end(),
        seekTarget: ({ time }: { readonly time: number }) => (this.video.startTime = time),
      },
      (response) => this.#dropResourceTiming(response),
    );
  }

  #onManifestLoaded(manifest: ManifestElement | undefined): void {
    // dash.js sends the event for a manifest that could not be parsed, too.
    if (!manifest) return;
    const { sessions, receiver, settings, rateControl, retransmission, preferences } = this.parts;
    retransmission?.stop();
    this.#segmentParts.pipeline.cancel();
    this.#headStart.cancel();
    const presentation = new DashPresentation(manifest, location.href);
    this.#segmentParts.content.load(presentation, manifest.url ?? '');
    rateControl?.reset();
    const link = linkTo(manifest.url);
    if (rateControl) rateControl.firstLink = { ...link, audioRate: presentation.audioRate };
    const isLive = this.#live?.take(manifest);
    // A live stream needs the session for its first picture.
    if (isLive) this.#firstPicture.skip();
    else this.#firstPicture.come(link, this.video.element);
    const { hasVoxelData } = presentation;
    if (!hasVoxelData) settings.restore();
    if (hasVoxelData || isLive) {
      this.#openSession(manifest.url ?? '');
    } else {
      sessions.stop();
      receiver.stop();
      if (preferences.delivery !== 'http') this.#segmentParts.content.tellUnprepared(manifest.url ?? '');
    }
  }

  #openSession(manifestUrl: string): void {
    const { preferences, sessions } = this.parts;
    if (preferences.delivery !== 'http')
      sessions.start(new URL(manifestUrl, location.href).origin, this.#firstPicture.begin());
  }

  /**
   * dash.js measures a download by the first ResourceTiming entry with its URL. All segments of a representation have
   * the same URL, so that is the initialization segment's entry.
   */
  #dropResourceTiming({ request }: LoaderResponse): void {
    const fragment = request.customData.request;
    if (fragment.type !== requestTypes.media || !fragment.representation) return;
    if (
      this.#segmentParts.content.presentation.representation(fragment.representation) ||
      this.#segmentParts.audio.hasDelivered(fragment)
    )
      fragment.resourceTimingValues = null;
  }
}
