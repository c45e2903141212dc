import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { Decision } from '../segments/choose/rate-control.js';
import type { Content } from '../segments/choose/content.js';
import type { DeliveryRecorder } from '../segments/record/delivery-recorder.js';
import type { PlayerSegment, PlayerSettings } from '../port/player-segment.js';
import type { Presentation } from '../port/presentation.js';
import type { SegmentChooser } from '../segments/choose/segment-chooser.js';
import { detailsOf, nextIndex, representationOf, segmentOf } from './hls-segments.js';
import { configOf, levelsOf, type HlsLevel, type HlsPlayer } from './hls-types.js';
import type { HlsVideo } from './hls-video.js';
import type { HlsLive } from './live/index.js';

export interface LevelChooserOptions {
  readonly content: {
    readonly presentation: Pick<Presentation, 'hasVoxelData' | 'representation'>;
    readonly indexes: Pick<Content['indexes'], 'want' | 'isPending'>;
  };
  readonly chooser: Pick<SegmentChooser, 'choose' | 'begin'>;
  readonly recorder: Pick<DeliveryRecorder, 'isFirst'>;
  readonly video: Pick<HlsVideo, 'underWay' | 'bufferLevel'>;
  readonly settings: Pick<PlayerSettings, 'secondsHeld'>;
  /** What chooses while a live stream plays. */
  readonly live: () => Pick<HlsLive, 'chooseLevel'> | undefined;
}

/** Seconds, for the very first choice: no playlist of a level has come yet that tells. */
const USUAL_SEGMENT = 4;

/** Where hls.js looks for the level to load. */
type Chosen = 'nextAutoLevel' | 'firstAutoLevel';

/** Puts the rate control's answers where hls.js looks for them: `nextAutoLevel` and `firstAutoLevel`. */
export class LevelChooser {
  #decision: Decision | undefined;

  constructor(
    private readonly hls: HlsPlayer,
    private readonly options: LevelChooserOptions,
  ) {}

  /** The function returned makes hls.js look at its own rule again. */
  install(): () => void {
    const hls = this.hls;
    const proto = Object.getPrototypeOf(hls) as object;
    const replace = (name: Chosen): void => {
      Object.defineProperty(hls, name, {
        configurable: true,
        get: () => this.#choose() ?? this.#own(name),
        set: (level: number) => void Reflect.set(proto, name, level, hls),
      });
    };
    replace('nextAutoLevel');
    replace('firstAutoLevel');
    return () => {
      Reflect.deleteProperty(hls, 'nextAutoLevel');
      Reflect.deleteProperty(hls, 'firstAutoLevel');
    };
  }

  /** Seconds that the rule waits before it asks for that segment. */
  delayOf(index: number): number {
    const { state, delay } = this.#decision ?? {};
    return state?.segmentIndex === index ? (delay ?? 0) : 0;
  }

  /** A level; undefined: hls.js chooses. It asks ten times a second, and only some of that before a request. */
  #choose(): number | undefined {
    const { content, recorder, video, settings } = this.options;
    const hls = this.hls;
    const live = this.options.live();
    if (live) return live.chooseLevel(this.#allowed());
    const { startLevel } = configOf(hls);
    if (!content.presentation.hasVoxelData || (recorder.isFirst && startLevel !== undefined && startLevel > -1))
      return undefined;
    if (video.underWay) return video.underWay.level;
    const isFull = settings.secondsHeld > 0 && video.bufferLevel >= settings.secondsHeld;
    if (isFull && hls.loadLevel > -1) return hls.loadLevel;
    const levels = this.#allowed();
    const maps = levels.map((level) => content.presentation.representation(representationOf(level)));
    // A ladder that has VOXEL data in part only cannot be compared by score.
    if (!maps.every((map) => map !== undefined)) return undefined;
    const chosen = this.#chooseAmong(maps);
    return chosen && levelsOf(hls).indexOf(levels[maps.indexOf(chosen)]!);
  }

  #chooseAmong(maps: readonly RepresentationMap[]): RepresentationMap | undefined {
    const { content, chooser, recorder } = this.options;
    const { indexes } = content;
    const segment = this.#next();
    if (!segment) return undefined;
    const first = recorder.isFirst ? chooser.begin(maps, segment) : undefined;
    // The viewer waits for that one's index.
    if (first) indexes.want([first], segment.index);
    indexes.want(maps, segment.index, first ? 'later' : 'now');
    if (first && maps.some((map) => indexes.isPending(map, segment.index))) return first;
    this.#decision = chooser.choose(maps, segment);
    return this.#decision?.representation;
  }

  /** Undefined at the end. */
  #next(): PlayerSegment | undefined {
    const hls = this.hls;
    const details = detailsOf(hls);
    if (!details) {
      const place = { index: 0, startTime: 0, duration: USUAL_SEGMENT };
      return { ...place, url: '', range: null, representation: null };
    }
    const fragment = details.fragments[nextIndex(details, hls)];
    return fragment && segmentOf(hls, fragment);
  }

  /**
   * Those that hls.js may choose now, in the codec that it loads or, at the start, would choose: it switches between none. Where a level
   * fails, it is not among them.
   */
  #allowed(): readonly HlsLevel[] {
    const { minAutoLevel, maxAutoLevel } = this.hls;
    const all = levelsOf(this.hls);
    const { codecSet } = all[this.hls.loadLevel] ?? all[this.#own('firstAutoLevel')] ?? {};
    const within = all.slice(Math.max(0, minAutoLevel), maxAutoLevel + 1);
    const alike = orAll(within, (level) => level.codecSet === codecSet);
    return orAll(alike, ({ loadError }) => loadError === 0);
  }

  /** What hls.js itself answers. */
  #own(name: Chosen): number {
    return Reflect.get(Object.getPrototypeOf(this.hls) as object, name, this.hls) as number;
  }
}

/** Those levels of which it is true; all of them where it is true of none. */
function orAll(levels: readonly HlsLevel[], isTrue: (level: HlsLevel) => boolean): readonly HlsLevel[] {
  const some = levels.filter(isTrue);
  return some.length > 0 ? some : levels;
}
