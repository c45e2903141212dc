/**
 * Seconds of video that a buffer of `segments` segments takes: those and one in flight (docs/ABR.md, "An N-segment
 * buffer"). A request waits until its segment fits.
 */
export function bufferCapacity(segments: number, segmentDuration: number): number {
  return (segments + 1) * segmentDuration;
}

/** Seconds of video with which such a buffer is full: no segment is asked for while it holds more. */
export function fullBuffer(segments: number, segmentDuration: number): number {
  return segments * segmentDuration;
}
