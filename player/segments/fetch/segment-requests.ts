import { deadlineOf, type LinkEstimate, type PathEstimate, type Strategy } from '../../../src/delivery/index.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type {
  FedDownload,
  Receiver,
  SegmentDownload,
  SegmentRequest,
  SegmentTime,
  SessionDelivery,
  VoxelSession,
} from '../../../src/voxel-loader/index.js';
import { PlayerError } from '../../api/errors.js';
import type { RangeRequest } from '../../network/range-stream.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { PlayerRequest } from '../../port/player-request.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { Delivery } from '../../api/types.js';
import type { Decision } from '../choose/rate-control.js';
import { Playback, type PlaybackCollaborators } from './playback.js';

type FragmentTime = Pick<PlayerSegment, 'startTime' | 'duration'>;

/** One segment with VOXEL data, and where it is. */
export interface WantedSegment {
  /** Address of its file, and the fields that go with a request for it, as the player and the page have them. */
  readonly request: RangeRequest;
  /** Name of the representation, as the receiver knows it. */
  readonly key: string;
  readonly map: SegmentMap;
  /** Undefined: it cannot be handed over in pieces. */
  readonly time: SegmentTime | undefined;
  /** Edition of its file. */
  readonly edition: number;
  /** Undefined when the player or the user chose: then the whole segment is asked for, and there are no reviews. */
  readonly decision: Decision | undefined;
  /** The VOXEL server has the files of this origin. */
  readonly origin: string;
}

/** One that the player asked its loader for. */
export interface RequestedSegment extends WantedSegment {
  readonly fragment: PlayerSegment;
  readonly answer: PlayerRequest;
}

/** What is the same for all downloads of a player. */
export interface DownloadPreferences {
  readonly delivery: Delivery;
  /** Whether the rule may ask for streams where `delivery` is datagrams. */
  readonly ruleChooses: boolean;
  /** Whether requests say when the buffer runs out. */
  readonly withDeadlines: boolean;
  /** Hosts besides the media's own that get the headers of the player's requests. */
  readonly headerHosts: readonly string[];
  readonly strategy: Strategy;
}

/** How a segment is asked for. */
export interface DownloadPlan {
  readonly level: number;
  readonly delivery: SessionDelivery;
  readonly recovery: boolean;
  /** Milliseconds from now; what is unsent then is better left out. */
  readonly deadline: number | undefined;
  /** Milliseconds from now until the buffer runs out; undefined: nothing plays. */
  readonly buffer: number | undefined;
  /** Seconds of media time up to which bytes go by time; undefined: nobody waits for the segment. */
  readonly byTimeUntil: number | undefined;
  /** Seconds of media time with which playback begins within the segment; undefined: with its first picture, or before. */
  readonly playFrom?: number | undefined;
  readonly parity: SegmentRequest['parity'];
}

/** A download under way, and how it was asked for. */
export interface StartedDownload {
  readonly session: VoxelSession;
  readonly plan: DownloadPlan;
  readonly download: SegmentDownload;
}

/** A download that the player has asked for. */
export interface RunningDownload extends StartedDownload {
  readonly segment: RequestedSegment;
  /** Seconds of it that the player has, in pieces; default 0. */
  readonly handedOver?: number;
}

export interface SegmentRequestsCollaborators {
  readonly sessions: Pick<SessionManager, 'session'>;
  readonly receiver: Pick<Receiver, 'canRepair' | 'assemble' | 'initialization'>;
  readonly video: PlaybackCollaborators['video'];
  /** What downloads so far say about the link. */
  readonly link: {
    readonly throughput: Pick<LinkEstimate['throughput'], 'throughput'>;
    readonly path: Pick<PathEstimate, 'lossRate' | 'roundTrip'>;
  };
}

/** Says how a segment is asked for, and asks a session for it. */
export class SegmentRequests {
  readonly playback: Playback;

  constructor(
    private readonly preferences: DownloadPreferences,
    private readonly collaborators: SegmentRequestsCollaborators,
  ) {
    this.playback = new Playback(collaborators);
  }

  /** False: every segment comes over HTTP. */
  get areOverSessions(): boolean {
    return this.preferences.delivery !== 'http';
  }

  /** The session that is open now. */
  get session(): VoxelSession | undefined {
    return this.collaborators.sessions.session;
  }

  /** `bufferLevel`: seconds that are left to play before the segment. */
  async plan(
    { decision, map, key, time }: WantedSegment,
    bufferLevel = this.collaborators.video.bufferLevel,
  ): Promise<DownloadPlan> {
    const { delivery, ruleChooses, withDeadlines, strategy } = this.preferences;
    const { receiver, video, link } = this.collaborators;
    const whole = map.steps.length - 1;
    // Gaps in what cannot be repaired would be of no use.
    const canRepair = await receiver.canRepair(key, map);
    const onStreams = !canRepair || delivery === 'streams' || (ruleChooses && decision?.delivery === 'streams');
    // The decision may be older than the map.
    const level = Math.min((canRepair ? decision?.option.level : undefined) ?? whole, whole);
    const { playbackRate } = video;
    const deadline = withDeadlines ? deadlineOf(bufferLevel, playbackRate) : undefined;
    const buffer = playbackRate > 0 ? (1000 * bufferLevel) / playbackRate : undefined;
    const playFrom = this.playback.playFrom(time);
    const byTimeUntil = this.playback.byTimeUntil(time, map.reliableBytes + map.steps[level]!.bytes, bufferLevel);
    const parity = strategy.protection({
      bytesReliable: map.reliableBytes,
      bytesUnreliable: map.steps[level]!.bytes,
      deadline,
      throughput: link.throughput.throughput,
      roundTrip: link.path.roundTrip,
      lossRate: link.path.lossRate,
    });
    const asked = onStreams ? 'streams' : 'datagrams';
    return { level, delivery: asked, recovery: strategy.recovery, deadline, buffer, byTimeUntil, playFrom, parity };
  }

  /** `after`: the download whose bytes go first. Throws `PlayerError` unless the VOXEL server has the file. */
  start(session: VoxelSession, wanted: WantedSegment, plan: DownloadPlan, after?: SegmentDownload): StartedDownload {
    const { request, map, time, key: representation, edition, origin } = wanted;
    const { level, ...how } = plan;
    const { origin: mediaOrigin, hostname, pathname, search } = new URL(request.url);
    if (mediaOrigin !== origin) {
      throw new PlayerError('other-origin', `the manifest is on ${origin}, its media on ${mediaOrigin}`);
    }
    const headers = Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'range');
    const download = session.download({
      ...how,
      representation,
      target: pathname + search,
      map,
      time,
      edition,
      unreliableBytes: map.steps[level]!.bytes,
      headers: Object.fromEntries(headers),
      headerHosts: [hostname, ...this.preferences.headerHosts],
      after,
    });
    return { session, plan, download };
  }

  /** Whether segments of a representation can be cut: its initialization segment has been seen. */
  canCut(key: string): boolean {
    return this.collaborators.receiver.initialization(key) !== undefined;
  }

  /**
   * Has the worker put a segment together that comes over HTTP, and was asked for at `askedAt`, on the clock of `performance.now()`.
   * `continues`: what a session that has failed brought of it.
   */
  assemble(
    { key, map, fragment }: Pick<WantedSegment, 'key' | 'map'> & { readonly fragment: FragmentTime },
    askedAt: number,
    continues?: SegmentDownload,
  ): Promise<FedDownload> {
    const time = { start: fragment.startTime, duration: fragment.duration };
    const since1970 = performance.timeOrigin + askedAt;
    return this.collaborators.receiver.assemble({ representation: key, map, time, askedAt: since1970, continues });
  }
}
