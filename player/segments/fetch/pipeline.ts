import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import {
  VoxelError,
  type DeliveredSegment,
  type SegmentDownload,
  type SegmentProgress,
  type VoxelSession,
} from '../../../src/voxel-loader/index.js';
import type { PlayerSegment, PlayerVideo } from '../../port/player-segment.js';
import type { Presentation } from '../../port/presentation.js';
import type { Content } from '../choose/content.js';
import type { SegmentChoice, SegmentChooser } from '../choose/segment-chooser.js';
import { withCmcdOf, withCmcdOfSession, withoutCmcd, withoutCmcdOfRequest, withStartupOf } from '../../network/cmcd.js';
import type { NextRequest } from './next-request.js';
import type {
  RequestedSegment,
  RunningDownload,
  SegmentRequests,
  StartedDownload,
  WantedSegment,
} from './segment-requests.js';

export interface PipelineCollaborators {
  /** When to ask. */
  readonly nextRequest: NextRequest;
  /** What to ask for. */
  readonly chooser: Pick<SegmentChooser, 'chooseAhead' | 'chooseLevel'>;
  readonly requests: Pick<SegmentRequests, 'plan' | 'start' | 'session'>;
  readonly content: {
    readonly presentation: Pick<Presentation, 'representation' | 'keyOf' | 'origin'>;
    readonly indexes: Pick<Content['indexes'], 'want'>;
  };
  readonly video: Pick<PlayerVideo, 'bufferLevel' | 'nextRequest' | 'startsIn' | 'placeAfterSeek'>;
}

type EarlySegment = Pick<PlayerSegment, 'index' | 'startTime' | 'duration'>;

interface Circumstances {
  readonly fragment: EarlySegment;
  readonly session: VoxelSession;
  /** Seconds that are left to play before the segment. */
  readonly bufferLevel: number;
  readonly after?: SegmentDownload;
}

interface EarlyDownload {
  readonly wanted: WantedSegment;
  readonly fragment: EarlySegment;
  /** Undefined for a moment: it is being planned. */
  started?: StartedDownload;
}

/** Where a representation's file is, as it was asked for. */
interface Source {
  /** The URL as the player has it, before the page changes it. */
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
  readonly #sources = new WeakMap<RepresentationMap, Source>();
  #early: EarlyDownload | undefined;
  #isOff = false;
  /** The player's request that an early download has answered: what its CMCD says goes with the next early one. */
  #unsaid: WantedSegment['request'] | undefined;

  constructor(private readonly collaborators: PipelineCollaborators) {}

  /** The segment that has been asked for ahead of the player. */
  get earlySegment(): EarlySegment | undefined {
    return this.#early?.fragment;
  }

  /** Its download, once that has been asked for. */
  get earlyDownload(): SegmentDownload | undefined {
    return this.#early?.started?.download;
  }

  /** The player has asked for a part of the representation's file, and has its initialization segment. */
  learn(
    representation: RepresentationMap,
    { url: fragmentUrl, range, representation: own }: Pick<PlayerSegment, 'url' | 'range' | 'representation'>,
    { url, headers, credentials }: WantedSegment['request'],
  ): void {
    if (!range) return;
    const request = { url: withCmcdOfSession(url), headers: withoutCmcdOfRequest(headers), credentials };
    const key = this.collaborators.content.presentation.keyOf(own!);
    this.#sources.set(representation, { fragmentUrl, key, request });
  }

  /**
   * Asks for the very first segment, now that all is here that its choice needs: the player appends the initialization segment
   * first. False: nothing is asked for.
   */
  begin(representation: RepresentationMap): boolean {
    const { chooser, requests, video } = this.collaborators;
    const { session } = requests;
    // Once it is off, the player may have been destroyed.
    if (this.#isOff || this.#early || !session) return false;
    const fragment = video.nextRequest;
    if (!fragment || !video.startsIn(fragment) || this.#currentFor(fragment) !== representation) return false;
    const decision = chooser.chooseLevel(representation, fragment);
    const wanted = this.#describe({ representation, decision }, fragment);
    if (wanted) void this.#ask(wanted, { fragment, session, bufferLevel: 0 });
    return wanted !== undefined;
  }

  /**
   * Asks for the segment in which playback goes on after a seek to that time, while the player still empties its buffers; where its index
   * is not here yet, for that. False: no segment is asked for.
   */
  seek(time: number): boolean {
    const { content, chooser, requests, video } = this.collaborators;
    const { session } = requests;
    const place = this.#isOff ? undefined : video.placeAfterSeek(time);
    const representation = place && content.presentation.representation(place.representation);
    if (!representation) return false;
    content.indexes.want([representation], place.index);
    if (!session || !this.#sources.has(representation) || !representation.segment(place.index)) return false;
    const decision = chooser.chooseLevel(representation, place, 0);
    const wanted = this.#describe({ representation, decision }, place);
    if (wanted) void this.#ask(wanted, { fragment: place, session, bufferLevel: 0 });
    return wanted !== undefined;
  }

  /** Looks at a download under way, and asks for the next segment when it is time. False: nothing is asked for. */
  look({ session, download, segment, handedOver }: RunningDownload, progress: SegmentProgress): boolean {
    if (this.#isOff) return false;
    const { nextRequest, chooser, video } = this.collaborators;
    const { index, duration } = segment.fragment;
    const foresight = nextRequest.look(download, duration, progress, handedOver);
    const fragment = foresight && video.nextRequest;
    if (fragment?.index !== index + 1) return false;
    const current = this.#currentFor(fragment);
    const choice = current && chooser.chooseAhead(current, fragment, foresight!);
    const wanted = choice && this.#describe(choice, fragment);
    const bufferLevel = video.bufferLevel + duration;
    if (wanted) void this.#ask(wanted, { fragment, session, after: download, bufferLevel });
    return wanted !== undefined;
  }

  /** A segment has been delivered. `early`: it had been asked for ahead of the player. */
  delivered(facts: Pick<DeliveredSegment, 'rtt' | 'timeToFirstByte'>, early: boolean): void {
    this.collaborators.nextRequest.delivered(facts, early);
  }

  /** The early download, if it is one of this segment; any other is aborted. */
  adopt(segment: RequestedSegment): StartedDownload | undefined {
    const early = this.#early;
    if (!early?.started || !isSame(early.wanted, segment)) {
      // The page may write something else into every address.
      this.#isOff ||=
        early?.wanted.key === segment.key && withoutCmcd(early.wanted.request.url) !== withoutCmcd(segment.request.url);
      this.cancel();
      // It is said once, by whichever request is the next to leave.
      if (this.#unsaid) Object.assign(segment.request, withStartupOf(segment.request, this.#unsaid));
      this.#unsaid = undefined;
      return undefined;
    }
    this.#early = undefined;
    this.#unsaid = segment.request;
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

  /** Ends it for good: the plugin is being detached. */
  stop(): void {
    this.#isOff = true;
    this.cancel();
  }

  /** The representation that the player loads, if its segments are where they were. */
  #currentFor({ representation, url }: PlayerSegment): RepresentationMap | undefined {
    const current = this.collaborators.content.presentation.representation(representation!);
    return current && this.#sources.get(current)?.fragmentUrl === url ? current : undefined;
  }

  /** Undefined where its file is not known, and where the rule waits. */
  #describe({ representation, decision }: SegmentChoice, fragment: EarlySegment): WantedSegment | undefined {
    const source = this.#sources.get(representation);
    const map = representation.segment(fragment.index);
    if (!source || !map || (decision?.delay ?? 0) > 0) return undefined;
    const { key, request } = source;
    const { edition = 0 } = representation;
    const time = { start: fragment.startTime, duration: fragment.duration };
    return { request, key, map, time, edition, decision, origin: this.collaborators.content.presentation.origin };
  }

  async #ask(wanted: WantedSegment, { fragment, session, bufferLevel, after }: Circumstances): Promise<void> {
    const { requests } = this.collaborators;
    const early: EarlyDownload = { wanted, fragment };
    this.cancel();
    this.#early = early;
    try {
      const plan = await requests.plan(wanted, bufferLevel);
      if (this.#early !== early) return;
      if (requests.session !== session) return void (this.#early = undefined);
      const request = this.#unsaid ? withCmcdOf(wanted.request, this.#unsaid) : wanted.request;
      early.started = requests.start(session, { ...wanted, request }, plan, after);
      this.#unsaid = undefined;
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
    withoutCmcd(early.request.url) === withoutCmcd(request.url)
  );
}
