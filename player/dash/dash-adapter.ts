import { fetchRange } from '../network/fetch-range.js';
import { linkTo } from '../network/first-link.js';
import type { AudioLoader } from '../segments/fetch/audio-loader.js';
import type { Content } from '../segments/choose/content.js';
import type { Pipeline } from '../segments/fetch/pipeline.js';
import { connectSegments, type Connection, type OpenPort, type PluginParts } from '../segments/wiring.js';
import { BufferedVideo } from './buffered-video.js';
import { requestTypes, type DashPlayer, type LoaderResponse } from './dash-types.js';
import { extendPlayer } from './extensions.js';
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
  readonly #player: DashPlayer;
  readonly #video: BufferedVideo;
  readonly #parts: PluginParts;
  readonly #live: LivePart | undefined;
  readonly #content: Content;
  readonly #pipeline: Pipeline;
  readonly #headStart: HeadStart;
  readonly #audio: AudioLoader;
  readonly #undo: (() => void)[] = [];

  /** Throws `PlayerError` for a player that cannot be attached to. */
  constructor(player: DashPlayer, video: BufferedVideo, parts: PluginParts, openLive: OpenLive | undefined) {
    const { sessions, receiver, settings, retransmission, rateControl, preferences } = parts;
    this.#player = player;
    this.#video = video;
    this.#parts = parts;
    const headStart = new HeadStart(sessions, video, () => rateControl?.firstLink.rate ?? Infinity);
    this.#headStart = headStart;
    const { content, recorder, chooser, pipeline, segments, audio } = connectSegments(parts, headStart);
    this.#content = content;
    this.#pipeline = pipeline;
    this.#audio = audio;
    const initializations = new InitializationLoader({
      ...{ content, pipeline, segments, headStart },
      ...{ sessions, receiver, settings, preferences, fetchRange },
    });
    const loader = new LoaderAdapter({
      openSession: (manifestUrl) => {
        // An update of a manifest may be asked for elsewhere than where the manifest came from.
        if (!this.live) this.#openSession(manifestUrl);
      },
      initializations,
      segments,
      audio,
      headStart,
    });
    this.#undo.push(extendPlayer(player, loader));
    this.#live = openLive?.(player, video, parts);
    if (rateControl)
      this.#undo.push(addRules(player, { content, chooser, recorder, segments, initializations, retransmission }));
    this.#undo.push(
      this.#listen(),
      () => segments.release(),
      () => audio.release(),
      () => initializations.stop(),
      () => headStart.cancel(),
      () => this.#live?.detach(),
    );
  }

  get live(): Connection['live'] {
    return this.#live?.live;
  }

  /** Takes the plugin off: the player is plain dash.js with its settings again. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#content.indexes.stop();
    this.#parts.settings.restore();
  }

  #listen(): () => void {
    return listen(
      this.#player,
      {
        manifestLoaded: ({ data }: { readonly data?: ManifestElement }) => this.#onManifestLoaded(data),
        playbackSeeking: () => {
          this.#pipeline.cancel();
          this.#parts.rateControl?.reset();
        },
        seekTarget: ({ time }: { readonly time: number }) => (this.#video.startTime = time),
      },
      (response) => this.#dropResourceTiming(response),
    );
  }

  #onManifestLoaded(manifest: ManifestElement | undefined): void {
    // dash.js sends the event for a manifest that could not be parsed, too.
    if (!manifest) return;
    const { sessions, receiver, settings, rateControl, retransmission } = this.#parts;
    retransmission?.stop();
    this.#pipeline.cancel();
    this.#headStart.cancel();
    const presentation = new DashPresentation(manifest, location.href);
    this.#content.load(presentation, manifest.url ?? '');
    rateControl?.reset();
    if (rateControl) rateControl.firstLink = { ...linkTo(manifest.url), audioRate: presentation.audioRate };
    const isLive = this.#live?.take(manifest);
    const { hasVoxelData } = presentation;
    if (!hasVoxelData) settings.restore();
    if (hasVoxelData || isLive) {
      this.#openSession(manifest.url ?? '');
    } else {
      sessions.stop();
      receiver.stop();
    }
  }

  #openSession(manifestUrl: string): void {
    const { preferences, sessions } = this.#parts;
    if (preferences.delivery !== 'http') sessions.start(new URL(manifestUrl, location.href).origin);
  }

  /**
   * dash.js measures a download by the first ResourceTiming entry with its URL. All segments of a representation have
   * the same URL, so that is the initialization segment's entry.
   */
  #dropResourceTiming({ request }: LoaderResponse): void {
    const fragment = request.customData.request;
    if (fragment.type !== requestTypes.media || !fragment.representation) return;
    if (this.#content.presentation.representation(fragment.representation) || this.#audio.hasDelivered(fragment))
      fragment.resourceTimingValues = null;
  }
}
