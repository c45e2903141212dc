import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { QualityStep, SegmentMap } from '../../../src/manifest/segment-map.js';

/** A segment of which only sizes and scores are known. */
export interface SegmentSizes {
  readonly reliableBytes: number;
  /** Steps as in `SegmentMap`. */
  readonly steps: readonly QualityStep[];
}

/**
 * Such a segment as a file: first the reliable bytes, then the frames, most important first. The frames between two steps
 * are taken as equally large, and nothing is known of what the loss of one alone costs.
 */
export function layOut({ reliableBytes, steps }: SegmentSizes): SegmentMap {
  const unreliable: ByteRange[] = [];
  let before = { frames: 0, bytes: 0 };
  for (const step of steps) {
    const count = step.frames - before.frames;
    const endOf = (frame: number) =>
      reliableBytes + before.bytes + Math.round((frame * (step.bytes - before.bytes)) / count);
    for (let frame = 0; frame < count; frame++) {
      const [start, end] = [endOf(frame), endOf(frame + 1)];
      if (end > start) unreliable.push({ start, end });
    }
    before = step;
  }
  const end = reliableBytes + steps.at(-1)!.bytes;
  return { range: { start: 0, end }, reliable: [{ start: 0, end: reliableBytes }], unreliable, reliableBytes, steps };
}
