/** In seconds. */
export interface BufferState {
  readonly bufferLevel: number;
  readonly bufferCapacity: number;
  readonly segmentDuration: number;
}

/** A buffer for less than two segments cannot hold one while the next arrives: it is taken as one for two. */
export function bufferOf({ bufferLevel, bufferCapacity, segmentDuration }: BufferState): BufferState {
  return { bufferLevel, bufferCapacity: Math.max(bufferCapacity, 2 * segmentDuration), segmentDuration };
}

/** Seconds until one more segment fits into the buffer. */
export function waitForRoom({ bufferLevel, bufferCapacity, segmentDuration }: BufferState): number {
  return Math.max(0, bufferLevel + segmentDuration - bufferCapacity);
}
