import type { FrameState } from '../../../player/api/types.js';
import { isFrozenAt, momentAt } from '../timeline.js';
import { laneKinds, type Lane, type LaneNow, type Moment, type ShownSegment } from '../types.js';
import { toMoments, type RecordedLane, type RecordedSegment } from './format.js';

const states: Readonly<Record<string, FrameState>> = { r: 'reliable', c: 'complete', s: 'skipped', x: 'repaired' };

/** A recorded playback, as it was at the time that `clock` says. */
export class ReplayedLane implements Lane {
  readonly kind;
  readonly moments: readonly Moment[];
  readonly #clock: () => number;
  readonly #segments: readonly ShownSegment[];
  readonly #hasEnded: boolean;

  /** `clock`: seconds since the start. */
  constructor(recorded: RecordedLane, hasEnded: boolean, clock: () => number) {
    this.kind = laneKinds.find(({ id }) => id === recorded.id)!;
    this.moments = toMoments(recorded.moments);
    this.#clock = clock;
    this.#hasEnded = hasEnded;
    this.#segments = recorded.segments.map(shownSegment);
  }

  segments(): readonly ShownSegment[] {
    return this.#segments;
  }

  now(): LaneNow {
    const at = this.#clock();
    const isOver = at >= this.moments.at(-1)!.at;
    return {
      ...momentAt(this.moments, at),
      // Nobody waits before the recording is played.
      isFrozen: at > 0 && !isOver && isFrozenAt(this.moments, at),
      hasEnded: isOver && this.#hasEnded,
    };
  }
}

function shownSegment({ frames, ...segment }: RecordedSegment): ShownSegment {
  return { ...segment, frames: Array.from(frames, (letter) => states[letter]!) };
}
