import { fetchRange } from '../network/fetch-range.js';
import { IndexLoader } from './choose/index-loader.js';
import type { Journal } from './record/journal.js';
import type { RateControl } from './choose/rate-control.js';
import type { Retransmission } from './record/retransmission.js';
import type { SessionManager } from '../network/session-manager.js';
import type { Receiver } from '../../src/voxel-loader/index.js';
import { AudioLoader } from './fetch/audio-loader.js';
import { Content } from './choose/content.js';
import { DeliveryRecorder, type RecorderOptions } from './record/delivery-recorder.js';
import { DownloadControl, type DownloadPreferences } from './fetch/download-control.js';
import { HttpDownloads } from './fetch/http-download.js';
import { Pipeline } from './fetch/pipeline.js';
import type { PlayerSettings, PlayerVideo } from '../port/player-segment.js';
import { SegmentChooser, type SegmentChooserOptions } from './choose/segment-chooser.js';
import { SegmentDownloads } from './fetch/segment-downloads.js';
import { SegmentLoader } from './fetch/segment-loader.js';

/** The parts of a plugin that work with any player. */
export interface PluginParts {
  readonly sessions: SessionManager;
  readonly receiver: Receiver;
  readonly journal: Journal;
  readonly link: RecorderOptions['link'];
  readonly video: PlayerVideo;
  readonly settings: PlayerSettings;
  /** Undefined: the player's rules choose. */
  readonly rateControl: RateControl | undefined;
  readonly retransmission: Retransmission | undefined;
  readonly preferences: DownloadPreferences;
  /** Whether a session is opened while a manifest is on its way. */
  readonly opensEarly: () => boolean;
}

/** What brings a player's segments. */
export interface SegmentParts {
  readonly content: Content;
  readonly recorder: DeliveryRecorder;
  readonly chooser: SegmentChooser;
  readonly pipeline: Pipeline;
  readonly downloads: SegmentDownloads;
  readonly segments: SegmentLoader;
  readonly audio: AudioLoader;
}

/** `headStart`: as for the chooser. */
export function connectSegments(
  parts: PluginParts,
  headStart: SegmentChooserOptions['headStart'] = { isRunning: false },
): SegmentParts {
  const { journal, link, preferences } = parts;
  const indexes = new IndexLoader(
    fetchRange,
    (error, url) => journal.fallback(error, url, undefined),
    () => link.throughput.throughput,
  );
  const content = new Content(indexes, journal);
  const recorder = new DeliveryRecorder(parts);
  const chooser = new SegmentChooser({ ...parts, headStart });
  const control = new DownloadControl(preferences, parts);
  const pipeline = new Pipeline({ ...parts, content, chooser, control });
  const http = new HttpDownloads(parts.receiver, recorder);
  const isHttpOnly = preferences.delivery === 'http';
  const downloads = new SegmentDownloads({ ...parts, control, pipeline, recorder, content, http, isHttpOnly });
  const segments = new SegmentLoader({ ...parts, content, chooser, downloads, pipeline });
  const audio = new AudioLoader({ ...parts, content });
  return { content, recorder, chooser, pipeline, downloads, segments, audio };
}
