import type { ReceivedBytes } from '../../src/repair/types.js';

/** `[start, end)`, from the segment's first byte. */
export type Gap = readonly [start: number, end: number];

/** What is here when everything but these gaps is. */
export function receivedExcept(gaps: readonly Gap[]): ReceivedBytes {
  return { contains: (start, end) => start >= end || gaps.every(([first, last]) => end <= first || last <= start) };
}

/** The segment with zeros in its gaps. */
export function punch(segment: Uint8Array, gaps: readonly Gap[]): Uint8Array {
  const damaged = Uint8Array.from(segment);
  for (const [start, end] of gaps) damaged.fill(0, start, end);
  return damaged;
}
