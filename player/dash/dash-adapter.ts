import { fetchRange } from '../network/fetch-range.js';
import { linkTo } from '../network/first-link.js';
import type { AudioLoader } from '../segments/fetch/audio-loader.js';
import type { Content } from '../segments/choose/content.js';
import type { Pipeline } from '../segments/fetch/pipeline.js';
import { connectSegments, type OpenPort, type PluginParts } from '../segments/wiring.js';
import { BufferedVideo } from './buffered-video.js';
import { requestTypes, type DashPlayer, type LoaderResponse, type ResponseInterceptor } from './dash-types.js';
import { extendPlayer } from './extensions.js';
import { HeadStart } from './head-start.js';
import { InitializationLoader } from './initialization-loader.js';
import { LoaderAdapter } from './loader-adapter.js';
import { DashPresentation, keyOf, type ManifestElement } from './presentation.js';
import { addRules } from './rule-adapter.js';
import { DashPlayerSettings } from './settings.js';

/** A dash.js player's port. */
export function openDashPlayer(player: DashPlayer): OpenPort {
  return (receiver, options) => {
    const settings = new DashPlayerSettings(player, options);
    const video = new BufferedVideo(player, (representation) => receiver.initialization(keyOf(representation)));
    return { video, settings, connect: (parts) => new DashAdapter(player, video, parts) };
  };
}

/** Connects a plugin with a dash.js player: its loader, its rules and its events. */
class DashAdapter {
  readonly #player: DashPlayer;
  readonly #video: BufferedVideo;
  readonly #parts: PluginParts;
  readonly #content: Content;
  readonly #pipeline: Pipeline;
  readonly #headStart: HeadStart;
  readonly #audio: AudioLoader;
  readonly #undo: (() => void)[] = [];

  /** Throws `PlayerError` for a player that cannot be attached to. */
  constructor(player: DashPlayer, video: BufferedVideo, parts: PluginParts) {
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
        if (parts.opensEarly()) this.#openSession(manifestUrl);
      },
      initializations,
      segments,
      audio,
      headStart,
    });
    this.#undo.push(extendPlayer(player, loader));
    if (rateControl)
      this.#undo.push(addRules(player, { content, chooser, recorder, segments, initializations, retransmission }));
    this.#undo.push(
      this.#listen(),
      () => segments.release(),
      () => audio.release(),
      () => initializations.stop(),
      () => headStart.cancel(),
    );
  }

  /** Takes the plugin off: the player is plain dash.js with its settings again. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#content.indexes.stop();
    this.#parts.settings.restore();
  }

  #listen(): () => void {
    const player = this.#player;
    const onManifestLoaded = (event: unknown): void =>
      this.#onManifestLoaded((event as { data?: ManifestElement }).data);
    const onSeeking = (): void => {
      this.#pipeline.cancel();
      this.#parts.rateControl?.reset();
    };
    const onSeekTarget = (event: unknown): void => {
      this.#video.startTime = (event as { readonly time: number }).time;
    };
    const interceptor: ResponseInterceptor = (response) => {
      this.#dropResourceTiming(response as LoaderResponse);
      return Promise.resolve(response);
    };
    player.on('manifestLoaded', onManifestLoaded);
    player.on('playbackSeeking', onSeeking);
    player.on('seekTarget', onSeekTarget);
    player.addResponseInterceptor(interceptor);
    return () => {
      player.off('manifestLoaded', onManifestLoaded);
      player.off('playbackSeeking', onSeeking);
      player.off('seekTarget', onSeekTarget);
      player.removeResponseInterceptor(interceptor);
    };
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
    if (presentation.hasVoxelData) {
      this.#openSession(manifest.url ?? '');
    } else {
      sessions.stop();
      receiver.stop();
      settings.restore();
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
