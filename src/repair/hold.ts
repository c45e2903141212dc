import type { Track } from './codecs.js';
import { parseFragments } from './fmp4.js';
import { removeSamples } from './remove-samples.js';
import type { FrameReport, HoldableFrame, RepairedSegment } from './types.js';

/**
 * A repaired segment without those incomplete frames in whose place the one before is held, by a plan; `referenced` are the frames that
 * others may refer to, by index. Throws `RepairError`.
 */
export function hold(
  track: Track,
  repaired: RepairedSegment,
  referenced: ReadonlySet<number>,
  plan: readonly HoldableFrame[],
): RepairedSegment {
  const { bytes, frames } = repaired;
  const missing = new Set(frames.filter(({ repairedSlices }) => repairedSlices > 0).map(({ index }) => index));
  // A plan may say anything, but a segment begins with a sample that stays.
  const reach = reachOfFrames(plan, frames).map((reach, index) => (index === 0 || referenced.has(index) ? 0 : reach));
  if (![...missing].some((index) => reach[index]! > 0)) return repaired;
  const removed = heldFrames(inOrderOfPresentation(track, bytes), missing, reach);
  if (removed.size === 0) return repaired;
  return {
    bytes: removeSamples(track, bytes, { removed, replaced: new Map() }),
    frames: frames.map((frame) => (removed.has(frame.index) ? { ...frame, removed: true } : frame)),
  };
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
function heldFrames(presented: readonly number[], missing: ReadonlySet<number>, reach: readonly number[]): Set<number> {
  const held = new Set<number>();
  let run: number | undefined;
  for (const index of presented) {
    if (!missing.has(index)) run = 0;
    else if (run !== undefined && run < reach[index]!) {
      run++;
      held.add(index);
    } else run = undefined;
  }
  return held;
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
