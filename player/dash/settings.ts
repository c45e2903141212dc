import { bufferCapacity, fullBuffer } from '../../src/delivery/index.js';
import { TIME_TOLERANCE } from '../port/buffered-time.js';
import type { PlayerSettings, RuleOwner } from '../port/player-segment.js';
import type { DashPlayer, DashSettings } from './dash-types.js';

/** Milliseconds between two looks of dash.js at a full buffer: its own 500 ms would idle an eighth of a 4 s segment. */
const SCHEDULE_INTERVAL = 100;

/** Seconds: a segment that is handed over in pieces may keep just ahead, and with less than its own .3 dash.js takes playback for stalled. */
const STALL_THRESHOLD = 0.05;

/** dash.js gives up a segment for good, and so the playback, after 3 attempts a second apart: servers take longer to restart. */
const SEGMENT_RETRIES = 10;

export function isVideoPinned(player: DashPlayer): boolean {
  return !(player.getSettings() as DashSettings).streaming.abr.autoSwitchBitrate.video;
}

/** The dash.js settings that VOXEL video needs; `restore` puts back what was there. */
export class DashPlayerSettings implements PlayerSettings {
  readonly #player: DashPlayer;
  readonly #bufferSegments: number;
  readonly #ruleOwner: RuleOwner;
  #saved: object | undefined;
  #segmentDuration: number | undefined;
  #heldMoreThan = 0;
  /** Seconds: the page's, of which dash.js jumps to the end, while it may not. */
  #smallGapLimit: number | undefined;

  constructor(player: DashPlayer, options: { readonly bufferSegments: number; readonly ruleOwner: RuleOwner }) {
    this.#player = player;
    this.#bufferSegments = options.bufferSegments;
    this.#ruleOwner = options.ruleOwner;
  }

  /** The user or the page pinned a quality: dash.js decides the representation. */
  get isVideoPinned(): boolean {
    return isVideoPinned(this.#player);
  }

  get isApplied(): boolean {
    return this.#segmentDuration !== undefined;
  }

  /** `segmentDuration` in seconds. Called again for the same one it leaves alone what the page has changed since. */
  apply(segmentDuration: number): void {
    if (segmentDuration === this.#segmentDuration) return;
    this.#segmentDuration = segmentDuration;
    const { abandonLoadTimeout, buffer, retryAttempts } = (this.#player.getSettings() as DashSettings).streaming;
    const settings = {
      streaming: {
        // After an abandonment dash.js refuses to go up again for this long, whatever the rule says.
        abandonLoadTimeout: this.#ruleOwner === 'voxel' ? 0 : abandonLoadTimeout,
        buffer: {
          // It would download again, at a higher quality, what has just been chosen with knowledge of its quality.
          fastSwitchEnabled: false,
          ...bufferTimes(bufferCapacity(this.#bufferSegments, segmentDuration)),
          stallThreshold: Math.min(STALL_THRESHOLD, buffer.stallThreshold),
        },
        retryAttempts: { MediaSegment: Math.max(SEGMENT_RETRIES, retryAttempts.MediaSegment) },
        scheduling: { defaultTimeout: SCHEDULE_INTERVAL },
      },
    };
    this.#saved ??= partLike(this.#player.getSettings(), settings);
    this.#player.updateSettings(settings);
  }

  /** Seconds of video with which dash.js asks for no more. */
  get secondsHeld(): number {
    return fullBuffer(this.#bufferSegments, this.#segmentDuration ?? 0);
  }

  holdMoreThan(seconds: number): void {
    const duration = this.#segmentDuration;
    if (duration === undefined || seconds === this.#heldMoreThan) return;
    this.#heldMoreThan = seconds;
    const wanted = Math.max(bufferCapacity(this.#bufferSegments, duration), seconds + 2 * duration);
    this.#player.updateSettings({ streaming: { buffer: bufferTimes(wanted) } });
  }

  mayJumpToEnd(may: boolean): void {
    if (may === (this.#smallGapLimit === undefined)) return;
    const { smallGapLimit } = (this.#player.getSettings() as DashSettings).streaming.gaps;
    const wanted = this.#smallGapLimit ?? Math.min(smallGapLimit, TIME_TOLERANCE);
    this.#smallGapLimit = may ? undefined : smallGapLimit;
    this.#player.updateSettings({ streaming: { gaps: { smallGapLimit: wanted } } });
  }

  restore(): void {
    this.mayJumpToEnd(true);
    this.#heldMoreThan = 0;
    if (this.#saved !== undefined) this.#player.updateSettings(this.#saved);
    this.#saved = undefined;
    this.#segmentDuration = undefined;
  }
}

/** dash.js asks for a segment while buffer + segment duration < target: N segments held and one in flight. */
const bufferTimes = (seconds: number): Partial<DashSettings['streaming']['buffer']> => ({
  bufferTimeDefault: seconds,
  bufferTimeAtTopQuality: seconds,
  bufferTimeAtTopQualityLongForm: seconds,
});

/** The values that `settings` have where `like` has any. */
function partLike(settings: object, like: object): object {
  const entries = Object.entries(like).map(([name, value]: [string, unknown]) => {
    const own: unknown = Reflect.get(settings, name);
    return [name, value instanceof Object ? partLike(own as object, value) : own];
  });
  return Object.fromEntries(entries) as object;
}
