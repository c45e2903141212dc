import type { Track } from './codecs.js';
import { parseFragments } from './fmp4.js';
import type { FrameReport, HoldableFrame } from './types.js';

/** What of a segment is held: the places of its frames, and how many in a row up to its end; undefined: none until one is complete. */
export interface Held {
  readonly removed: ReadonlySet<number>;
  readonly run: number | undefined;
}

/**
 * Which incomplete frames of a repaired segment, or of a piece of it, are taken out because the one before is held in their place, by a
 * plan; `referenced` are those that others may refer to, by index, `run` is what the piece before ended with. Throws `RepairError`.
 */
export function hold(
  track: Track,
  bytes: Uint8Array,
  frames: readonly FrameReport[],
  referenced: ReadonlySet<number>,
  plan: readonly HoldableFrame[],
  run: number | undefined,
): Held {
  const missing = new Set(frames.filter(({ repairedSlices }) => repairedSlices > 0).map(({ index }) => index));
  // A plan may say anything, but a segment begins with a sample that stays.
  const reach = new Map(
    reachOfFrames(plan, frames).map((reach, at) => {
      const { index } = frames[at]!;
      return [index, index === 0 || referenced.has(index) ? 0 : reach];
    }),
  );
  const first = frames[0]?.index ?? 0;
  const mine = inOrderOfPresentation(track, bytes).filter((place) => place >= first && place < first + frames.length);
  return heldFrames(mine, missing, reach, run);
}

/** Places of a segment's samples, each a frame. */
function inOrderOfPresentation(track: Track, segment: Uint8Array): number[] {
  const times: number[] = [];
  let time = 0;
  for (const { decodeTime, samples } of parseFragments(segment, undefined, track.defaults)) {
    time = decodeTime ?? time;
    for (const { duration, compositionOffset } of samples) {
      times.push(time + compositionOffset);
      time += duration;
    }
  }
  return times.map((_, place) => place).sort((one, other) => times[one]! - times[other]!);
}

/** Which frames are held: those that are missing while no more are in a row than their reach; all by their places in decode order. */
function heldFrames(
  presented: readonly number[],
  missing: ReadonlySet<number>,
  reach: ReadonlyMap<number, number>,
  before: number | undefined,
): Held {
  const removed = new Set<number>();
  let run = before;
  for (const index of presented) {
    if (!missing.has(index)) run = 0;
    else if (run !== undefined && run < reach.get(index)!) {
      run++;
      removed.add(index);
    } else run = undefined;
  }
  return { removed, run };
}

/** The reach of each frame: the least of the ranges of the plan that begin in it, 0 without one. */
function reachOfFrames(plan: readonly HoldableFrame[], frames: readonly FrameReport[]): number[] {
  const ranges = [...plan].sort((one, other) => one.start - other.start);
  let at = 0;
  return frames.map(({ start, bytes }) => {
    while (at < ranges.length && ranges[at]!.start < start) at++;
    let least: number | undefined;
    for (; at < ranges.length && ranges[at]!.start < start + bytes; at++) {
      least = Math.min(least ?? Infinity, ranges[at]!.reach);
    }
    return least ?? 0;
  });
}
