import { formatRange } from '../../src/manifest/byte-range.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';

/**
 * What the parts in this folder know of a player and its presentation. Players have more: methods that take one of these are called
 * with what the same player has given before.
 */
export interface PlayerRepresentation {
  readonly id: string;
  /** Bit/s as the manifest states it. */
  readonly bandwidth: number;
  /** Seconds; NaN where it varies. */
  readonly segmentDuration: number;
}

/** A segment as the player asks for it. */
export interface PlayerSegment {
  /** 0-based. */
  readonly index: number;
  /** Seconds on the media time line. */
  readonly startTime: number;
  readonly duration: number;
  /** URL of its file. */
  readonly url: string;
  /** `first-last`, both inclusive; null: all of the file. */
  readonly range: string | null;
  readonly representation: PlayerRepresentation | null;
}

/** A segment's place in the buffer. */
export type BufferedSegment = Pick<PlayerSegment, 'index' | 'startTime' | 'duration'> & {
  readonly representation: PlayerRepresentation;
};

/** Seconds; the last segment's own duration may be shorter, and some have no common one. */
export function segmentDurationOf({
  representation,
  duration,
}: Pick<PlayerSegment, 'representation' | 'duration'>): number {
  return Number.isFinite(representation?.segmentDuration) ? representation!.segmentDuration : duration;
}

/** Whether `map` describes it: a segment without a range is a file of its own, whose positions count from its start. */
export function isDescribedBy({ range }: Pick<PlayerSegment, 'range'>, map: SegmentMap): boolean {
  return range ? range === formatRange(map.range) : map.range.start === 0;
}

/** The video that a player holds: where it plays, what of it can be replaced. */
export interface PlayerVideo {
  /** Undefined without a media element. */
  readonly element: HTMLMediaElement | undefined;
  /** Whether its player can be given a segment in pieces. */
  readonly takesPieces: boolean;
  /** Seconds of video. */
  readonly bufferLevel: number;
  /** 0 while nothing is to play. */
  readonly playbackRate: number;
  /** True when all segments have been asked for. */
  readonly isLastRequested: boolean;
  /** What the player would ask for now, with the representation that it loads; undefined at the end. */
  readonly nextRequest: PlayerSegment | undefined;
  /** What the player will ask for after a seek to that time; undefined: nothing, as it is in the buffer, or the player alone can tell. */
  placeAfterSeek(time: number): BufferedSegment | undefined;
  /** Whether playback is to start within that segment. */
  startsIn(segment: Pick<PlayerSegment, 'startTime' | 'duration'>): boolean;
  /** True when the segment is in the buffer, and what is appended now would stand in its place. */
  holds(segment: BufferedSegment): boolean;
  /** Appends `media` over the segment as it is; false when that is not possible. */
  replace(segment: BufferedSegment, media: Uint8Array): Promise<boolean>;
  /** Seconds to the end of the period that plays. Absent: its player never jumps there. */
  readonly secondsToEnd?: number;
  /** Whether the player has all of that period. */
  readonly isComplete?: boolean;
  /** Tells the browser that nothing follows, where the player has not and all of the rest is here. Absent: the player does so by itself. */
  end?(): Promise<void>;
}

/** Which rule chooses the representation: one of the plugin's, or those of the player. */
export type RuleOwner = 'voxel' | 'player';

/** The settings of a player that VOXEL video needs. */
export interface PlayerSettings {
  /** The user or the page pinned a quality: the player decides the representation. */
  readonly isVideoPinned: boolean;
  readonly isApplied: boolean;
  /** Seconds of video with which the player asks for no more, as its options have it. */
  readonly secondsHeld: number;
  /** `segmentDuration` in seconds. */
  apply(segmentDuration: number): void;
  /** Has the player ask for a segment also where it holds so many seconds; 0: as its options have it. */
  holdMoreThan(seconds: number): void;
  /** Whether the player may jump to the end of a period from where playback stands before it. Absent: it does not. */
  mayJumpToEnd?(may: boolean): void;
  restore(): void;
}
