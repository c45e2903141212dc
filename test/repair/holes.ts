import type { ReceivedBytes } from '../../src/repair/types.js';

/** `[start, end)`, from the segment's first byte. */
export type Hole = readonly [start: number, end: number];

/** What is here when everything but these holes is. */
export function receivedExcept(holes: readonly Hole[]): ReceivedBytes {
  return { contains: (start, end) => start >= end || holes.every(([first, last]) => end <= first || last <= start) };
}

/** The segment with zeros in its holes. */
export function punch(segment: Uint8Array, holes: readonly Hole[]): Uint8Array {
  const damaged = Uint8Array.from(segment);
  for (const [start, end] of holes) damaged.fill(0, start, end);
  return damaged;
}
