import { ReceiveRate } from '../../../src/abr-star/index.js';
import { bufferAhead, pipelineThreshold } from '../../../src/delivery/index.js';
import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import {
  VoxelError,
  type DeliveredSegment,
  type SegmentDownload,
  type SegmentProgress,
  type VoxelSession,
} from '../../../src/voxel-loader/index.js';
import type { Retransmission } from '../record/retransmission.js';
import type { SessionManager } from '../../network/session-manager.js';
import { withoutCmcd, withoutCmcdOfRequest } from './cmcd.js';
import type { Content } from '../choose/content.js';
import type { DownloadControl, DownloadPreferences } from './download-control.js';
import type { PlayerSegment, PlayerSettings, PlayerVideo } from '../../port/player-segment.js';
import type { RequestedSegment, WantedSegment } from './requested-segment.js';
import type { SegmentChooser } from '../choose/segment-chooser.js';
import { startDownload, type StartedDownload } from './segment-request.js';

export interface PipelineOptions {
  readonly sessions: Pick<SessionManager, 'session'>;
  readonly control: Pick<DownloadControl, 'plan'>;
  readonly preferences: Pick<DownloadPreferences, 'headerHosts' | 'strategy'>;
  readonly content: Pick<Content, 'representation' | 'keyOf' | 'origin'>;
  readonly chooser: Pick<SegmentChooser, 'chooseAhead' | 'chooseLevel'>;
  readonly settings: Pick<PlayerSettings, 'secondsHeld'>;
  readonly video: Pick<PlayerVideo, 'bufferLevel' | 'playbackRate' | 'nextRequest' | 'startsIn'>;
  readonly retransmission: Pick<Retransmission, 'suspend'> | undefined;
}

/** A download that the player has asked for. */
export interface RunningDownload extends StartedDownload {
  readonly segment: RequestedSegment;
}

type Choice = Pick<WantedSegment, 'decision'> & { readonly representation: RepresentationMap };

interface Circumstances {
  readonly fragment: PlayerSegment;
  readonly session: VoxelSession;
  /** Seconds that are left to play before the segment. */
  readonly bufferLevel: number;
  readonly after?: SegmentDownload;
}

interface EarlyDownload {
  readonly wanted: WantedSegment;
  /** Seconds on the media time line. */
  readonly startTime: number;
  /** Undefined for a moment: it is being planned. */
  started?: StartedDownload;
}

/** Where a representation's file is, as it was asked for. */
interface Source {
  /** As the player has it, before the page changes it. */
  readonly fragmentUrl: string;
  readonly key: string;
  readonly request: WantedSegment['request'];
}

/**
 * Asks for the segment that the player will ask for next while the one before is still on its way, and hands that early download
 * over when the player asks. There is one at most; if the player wants something else it is aborted. Only of files of many segments: the
 * name of another file the player alone can tell.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #sources = new WeakMap<RepresentationMap, Source>();
  #early: EarlyDownload | undefined;
  /** What was looked at last for the segment after it: it is chosen once. */
  #done: StartedDownload['download'] | undefined;
  /** Of the download looked at. */
  #rate = new ReceiveRate();
  #looked: StartedDownload['download'] | undefined;
  /** Seconds. */
  #roundTrip = 0;
  #isOff = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** The player has asked for a part of the representation's file, and has its initialization segment. */
  learn(
    representation: RepresentationMap,
    { url: fragmentUrl, range, representation: own }: Pick<PlayerSegment, 'url' | 'range' | 'representation'>,
    { url, headers }: WantedSegment['request'],
  ): void {
    if (!range) return;
    const request = { url: withoutCmcd(url), headers: withoutCmcdOfRequest(headers) };
    this.#sources.set(representation, { fragmentUrl, key: this.#options.content.keyOf(own!), request });
  }

  /** Asks for the very first segment, now that all is here that its choice needs: the player appends the initialization segment first. */
  begin(representation: RepresentationMap): void {
    const { chooser, sessions, video } = this.#options;
    const { session } = sessions;
    // Once it is off, the player may have been destroyed.
    if (this.#isOff || this.#early || !session) return;
    const fragment = video.nextRequest;
    if (!fragment || !video.startsIn(fragment) || this.#currentFor(fragment) !== representation) return;
    const decision = chooser.chooseLevel(representation, fragment);
    const wanted = this.#describe({ representation, decision }, fragment);
    if (wanted) void this.#ask(wanted, { fragment, session, bufferLevel: 0 });
  }

  /** Looks at a download under way, and asks for the next segment when it is time. */
  look(running: RunningDownload, progress: SegmentProgress): void {
    const { chooser, preferences, settings, video } = this.#options;
    const threshold = pipelineThreshold(preferences.strategy, this.#roundTrip);
    if (this.#isOff || !threshold || running.download === this.#done) return;
    if (running.download !== this.#looked) this.#rate = new ReceiveRate();
    this.#looked = running.download;
    const bytesReceived = progress.bytesReliable + progress.bytesUnreliable;
    this.#rate.update(progress.elapsed, bytesReceived);
    const elapsed = progress.elapsed - this.#rate.timeToFirstByte;
    const { duration } = running.segment.fragment;
    const { bufferLevel, playbackRate } = video;
    const buffer = bufferAhead(
      {
        bytesReceived,
        bytesRequested: progress.bytesRequested,
        elapsed,
        segmentDuration: duration,
        bufferLevel,
        fullBuffer: settings.secondsHeld,
        playbackRate,
      },
      threshold,
    );
    if (buffer === undefined) return;
    this.#done = running.download;
    const fragment = video.nextRequest;
    if (fragment?.index !== running.segment.fragment.index + 1) return;
    const current = this.#currentFor(fragment);
    const choice =
      current &&
      chooser.chooseAhead(current, fragment, {
        ...{ bufferLevel: buffer, bytes: bytesReceived, seconds: elapsed },
      });
    const wanted = choice && this.#describe(choice, fragment);
    const { session, download: after } = running;
    if (wanted) void this.#ask(wanted, { fragment, session, after, bufferLevel: bufferLevel + duration });
  }

  /** A segment has been delivered. `early`: it had been asked for ahead of the player. */
  delivered({ rtt, timeToFirstByte }: Pick<DeliveredSegment, 'rtt' | 'timeToFirstByte'>, early: boolean): void {
    // The first byte of an early download comes soon after the others: but for the very first, that tells no round trip.
    const first = early ? this.#roundTrip || timeToFirstByte : timeToFirstByte;
    this.#roundTrip = rtt === undefined ? first : rtt / 1000;
    // With that a pause began, but for this one.
    if (this.#early) this.#options.retransmission?.suspend(this.#early.startTime);
  }

  /** The early download, if it is one of this segment; any other is aborted. */
  adopt(segment: RequestedSegment): StartedDownload | undefined {
    const early = this.#early;
    if (!early?.started || !isSame(early.wanted, segment)) {
      // The page may write something else into every address.
      this.#isOff ||=
        early?.wanted.key === segment.key && early.wanted.request.url !== withoutCmcd(segment.request.url);
      this.cancel();
      return undefined;
    }
    this.#early = undefined;
    return early.started;
  }

  /** Nothing of the early download is left. */
  cancel(): void {
    const started = this.#early?.started;
    this.#early = undefined;
    started?.download.abort();
    // It may have been complete.
    started?.download.result.then(({ kept }) => kept?.release()).catch(() => undefined);
  }

  /** For good: the plugin is being detached. */
  stop(): void {
    this.#isOff = true;
    this.cancel();
  }

  /** The representation that the player loads, if its segments are where they were. */
  #currentFor({ representation, url }: PlayerSegment): RepresentationMap | undefined {
    const current = this.#options.content.representation(representation!);
    return current && this.#sources.get(current)?.fragmentUrl === url ? current : undefined;
  }

  /** Undefined where its file is not known, and where the rule waits. */
  #describe({ representation, decision }: Choice, { index }: PlayerSegment): WantedSegment | undefined {
    const source = this.#sources.get(representation);
    const map = representation.segment(index);
    if (!source || !map || (decision?.delay ?? 0) > 0) return undefined;
    const { key, request } = source;
    const { edition = 0 } = representation;
    return { request, key, map, edition, decision, origin: this.#options.content.origin };
  }

  async #ask(wanted: WantedSegment, { fragment, session, bufferLevel, after }: Circumstances): Promise<void> {
    const { control, sessions, preferences, retransmission } = this.#options;
    const early: EarlyDownload = { wanted, startTime: fragment.startTime };
    this.cancel();
    this.#early = early;
    retransmission?.suspend(early.startTime);
    try {
      const plan = await control.plan(wanted, bufferLevel);
      if (this.#early !== early) return;
      if (sessions.session !== session) return void (this.#early = undefined);
      early.started = startDownload(session, wanted, plan, { ...preferences, after });
      await early.started.download.result;
    } catch (error) {
      if (this.#early !== early) return;
      this.#early = undefined;
      // What the server refuses now it would refuse every time.
      this.#isOff ||= error instanceof VoxelError && error.code === 'status';
    }
  }
}

function isSame(early: WantedSegment, { key, map, edition, decision, request }: RequestedSegment): boolean {
  return (
    early.key === key &&
    early.map.range.start === map.range.start &&
    early.edition === edition &&
    early.decision === decision &&
    early.request.url === withoutCmcd(request.url)
  );
}
