import type { BufferState } from '../../src/abr-star/buffer.js';
import type { Option } from '../../src/abr-star/types.js';

/** The safety factor's fall from one segment to the next, until it reaches its floor. */
const DECAY = 0.9;

/** Bounds of the floor, as in the authors' release of VOXEL: half the throughput is always counted on. */
const LOWEST_FLOOR = 0.5;
const HIGHEST_FLOOR = 0.9;

/** The safety factor for the segment after this one: full trust at first, less with a long buffer than with a short one. */
export function nextSafetyFactor(factor: number, { bufferCapacity, segmentDuration }: BufferState): number {
  const floor = segmentDuration / (bufferCapacity - segmentDuration);
  return Math.max(DECAY * factor, Math.min(Math.max(floor, LOWEST_FLOOR), HIGHEST_FLOOR));
}

/** How many bytes should arrive before the buffer runs out, at `throughput` bit/s. */
export function safeBytes(throughput: number, factor: number, buffer: BufferState): number {
  const seconds = Math.min(buffer.bufferLevel, buffer.bufferCapacity - buffer.segmentDuration);
  return (throughput / 8) * factor * seconds;
}

/** `wanted`, or the next option below it that takes no more than `bytes`; the smallest where none does. */
export function stepDown(options: readonly Option[], wanted: Option, bytes: number): Option {
  if (wanted.bytes <= bytes) return wanted;
  return options.findLast((option) => option.bytes <= bytes) ?? options[0]!;
}
