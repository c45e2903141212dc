import type { FirstLink } from '../../src/delivery/index.js';
import type { Receiver } from '../../src/voxel-loader/index.js';
import { fetchRange } from '../fetch-range.js';
import { IndexLoader } from '../index-loader.js';
import type { Journal } from '../journal.js';
import type { RateControl } from '../rate-control.js';
import type { Retransmission } from '../retransmission.js';
import type { SessionManager } from '../session-manager.js';
import type { BufferedVideo } from './buffered-video.js';
import { Content } from './content.js';
import { requestTypes, type DashPlayer, type LoaderResponse, type ResponseInterceptor } from './dash-types.js';
import { DeliveryRecorder, type RecorderOptions } from './delivery-recorder.js';
import { DownloadControl, type DownloadPreferences } from './download-control.js';
import { extendPlayer } from './extensions.js';
import { HeadStart } from './head-start.js';
import { HttpDownloads } from './http-download.js';
import { InitializationLoader } from './initialization-loader.js';
import { LoaderAdapter } from './loader-adapter.js';
import type { ManifestElement } from './presentation.js';
import { Pipeline } from './pipeline.js';
import { addRules } from './rule-adapter.js';
import { SegmentChooser } from './segment-chooser.js';
import { SegmentDownloads } from './segment-downloads.js';
import { SegmentLoader } from './segment-loader.js';
import type { PlayerSettings } from './settings.js';

/** The parts of a plugin that work with any player. */
export interface PluginParts {
  readonly sessions: SessionManager;
  readonly receiver: Receiver;
  readonly journal: Journal;
  readonly link: RecorderOptions['link'];
  readonly video: BufferedVideo;
  readonly settings: PlayerSettings;
  /** Undefined: dash.js' rules choose. */
  readonly rateControl: RateControl | undefined;
  readonly retransmission: Retransmission | undefined;
  readonly preferences: DownloadPreferences;
  /** Whether a session is opened while a manifest is on its way. */
  readonly opensEarly: () => boolean;
}

/** Connects a plugin with a dash.js player: its loader, its rules and its events. */
export class DashAdapter {
  readonly #player: DashPlayer;
  readonly #parts: PluginParts;
  readonly #content: Content;
  readonly #pipeline: Pipeline;
  readonly #headStart: HeadStart;
  readonly #undo: (() => void)[] = [];

  /** Throws `PlayerError` for a player that cannot be attached to. */
  constructor(player: DashPlayer, parts: PluginParts) {
    const { journal, settings, receiver, retransmission, rateControl, preferences } = parts;
    this.#player = player;
    this.#parts = parts;
    const indexes = new IndexLoader(
      fetchRange,
      (error, url) => journal.fallback(error, url, undefined),
      () => parts.link.throughput.throughput,
    );
    const content = new Content(indexes, journal);
    this.#content = content;
    const recorder = new DeliveryRecorder(parts);
    const headStart = new HeadStart(parts.sessions, parts.video, () => rateControl?.firstLink.rate ?? Infinity);
    this.#headStart = headStart;
    const chooser = new SegmentChooser({ ...parts, headStart });
    const control = new DownloadControl(preferences, parts);
    const pipeline = new Pipeline({ ...parts, content, chooser, control });
    this.#pipeline = pipeline;
    const downloads = new SegmentDownloads({
      sessions: parts.sessions,
      control,
      pipeline,
      preferences,
      recorder,
      content,
      http: new HttpDownloads(receiver, recorder, headStart),
      isHttpOnly: preferences.delivery === 'http',
    });
    const segments = new SegmentLoader({ content, journal, settings, chooser, downloads, pipeline, retransmission });
    const initializations = new InitializationLoader({ ...parts, content, pipeline, headStart, fetchRange });
    const loader = new LoaderAdapter({
      openSession: (manifestUrl) => {
        if (parts.opensEarly()) this.#openSession(manifestUrl);
      },
      initializations,
      segments,
      headStart,
      downloads,
    });
    this.#undo.push(extendPlayer(player, loader));
    if (rateControl)
      this.#undo.push(addRules(player, { content, chooser, recorder, downloads, initializations, retransmission }));
    this.#undo.push(
      this.#listen(),
      () => segments.release(),
      () => initializations.stop(),
      () => headStart.cancel(),
    );
  }

  /** Takes the plugin off: the player is plain dash.js with its settings again. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#content.stop();
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
      this.#parts.video.startTime = (event as { readonly time: number }).time;
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
    this.#content.load(manifest, location.href);
    rateControl?.reset();
    if (rateControl) rateControl.firstLink = linkTo(manifest.url);
    if (this.#content.hasVoxelData) {
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
    if (this.#content.representation(fragment.representation)) fragment.resourceTimingValues = null;
  }
}

/** What the browser's record of that answer tells. */
function linkTo(url = ''): FirstLink {
  const timing = performance.getEntriesByName(url, 'resource').at(-1) as PerformanceResourceTiming | undefined;
  if (!timing) return { roundTrip: 0, rate: Infinity };
  const { requestStart, responseStart, responseEnd, encodedBodySize, transferSize } = timing;
  // Nothing was transferred: it was in the browser's cache, or another origin does not tell.
  const rate = transferSize > 0 ? (8000 * encodedBodySize) / (responseEnd - responseStart) : Infinity;
  return { roundTrip: (responseStart - requestStart) / 1000, rate };
}
