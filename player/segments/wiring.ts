import type { Receiver } from '../../src/voxel-loader/index.js';
import { fetchRangeBy } from '../network/fetch-range.js';
import type { PageRequests } from '../network/page-requests.js';
import type { SessionManager } from '../network/session-manager.js';
import type { PlayerSettings, PlayerVideo, RuleOwner } from '../port/player-segment.js';
import type { LivePluginStatistics } from '../api/types.js';
import { Content } from './choose/content.js';
import { IndexLoader } from './choose/index-loader.js';
import type { RateControl } from './choose/rate-control.js';
import { SegmentChooser, type SegmentChooserCollaborators } from './choose/segment-chooser.js';
import { Attempt } from './fetch/attempt.js';
import { AudioLoader } from './fetch/audio-loader.js';
import { NextRequest } from './fetch/next-request.js';
import { Pipeline } from './fetch/pipeline.js';
import { SegmentLoader, type SegmentLoaderCollaborators } from './fetch/segment-loader.js';
import { SegmentRequests, type DownloadPreferences } from './fetch/segment-requests.js';
import { DeliveryRecorder, type RecorderCollaborators } from './record/delivery-recorder.js';
import type { Journal } from './record/journal.js';
import type { Retransmission } from './record/retransmission.js';
import type { Viewing } from '../viewing/viewing.js';

/** What of a plugin works with any player. */
export interface PluginParts {
  readonly sessions: SessionManager;
  readonly receiver: Receiver;
  /** What the page adds to requests. */
  readonly page: PageRequests;
  readonly journal: Journal;
  readonly link: RecorderCollaborators['link'];
  readonly video: PlayerVideo;
  readonly settings: PlayerSettings;
  /** Undefined: the player's rules choose. */
  readonly rateControl: RateControl | undefined;
  /** Undefined: nothing is fetched again. */
  readonly retransmission: Retransmission | undefined;
  readonly preferences: DownloadPreferences;
  readonly viewing: Pick<Viewing, 'request' | 'look' | 'end' | 'takeStartup'>;
}

/** A plugin in a player. */
export interface Connection {
  /** What is otherwise while a live stream plays; undefined: none does. */
  readonly live?: Partial<LivePluginStatistics> | undefined;
  detach(): void;
}

/** A player, as the plugin is put into it. */
export interface PlayerPort {
  readonly video: PlayerVideo;
  readonly settings: PlayerSettings;
  /** Throws `PlayerError` for a player that cannot be attached to. */
  connect(parts: PluginParts): Connection;
}

/** Finds a player's port. */
export type OpenPort = (
  receiver: Receiver,
  options: { readonly bufferSegments: number; readonly ruleOwner: RuleOwner },
) => PlayerPort;

/** What brings a player's segments, as its adapter uses it. */
export interface SegmentParts {
  readonly content: Content;
  readonly chooser: SegmentChooser;
  readonly recorder: DeliveryRecorder;
  readonly pipeline: Pipeline;
  readonly segments: SegmentLoader;
  readonly audio: AudioLoader;
}

/** Makes what brings a player's segments, each with all that it works with. `headStart`: as for the chooser. */
export function connectSegments(
  { sessions, receiver, page, journal, link, video, settings, rateControl, retransmission, preferences }: PluginParts,
  headStart: SegmentChooserCollaborators['headStart'] = { isRunning: false },
): SegmentParts {
  const onError = (error: unknown, url: string): void => journal.fallback(error, url, undefined);
  const indexes = new IndexLoader(fetchRangeBy(page.fetch), onError, () => link.throughput.throughput);
  const content = new Content(indexes, onError);
  const chooser = new SegmentChooser({ rateControl, settings, video, sessions, headStart });

  const recorder = new DeliveryRecorder({ journal, link, receiver, rateControl, retransmission });

  const requests = new SegmentRequests(preferences, { sessions, receiver, video, link });
  const nextRequest = new NextRequest({ preferences, settings, video });
  const pipeline = new Pipeline({ nextRequest, chooser, requests, content, video });
  const createAttempt: SegmentLoaderCollaborators['createAttempt'] = (segment, owner) =>
    new Attempt(segment, { sessions, requests, chooser, recorder, owner });
  const segments = new SegmentLoader({ content, chooser, pipeline, recorder, ask: page.fetch, createAttempt });
  const audio = new AudioLoader({ sessions, requests, content, journal, video: segments });
  return { content, chooser, recorder, pipeline, segments, audio };
}
