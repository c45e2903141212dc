import { type Edit, writeNumber } from './edits.js';
import type { Fragment, Sample } from './fmp4.js';

/** A sample with a size of its own that gets longer, or shorter where `growth` is negative, in bytes. */
export interface ResizedSample {
  readonly sample: Sample;
  readonly growth: number;
}

/**
 * The edits that make a fragment's headers true when samples change their size: sizes and data offsets in
 * the `trun`, the size of the `mdat`. No header changes its length.
 */
export function resizeSamples(segment: Uint8Array, fragment: Fragment, resized: readonly ResizedSample[]): Edit[] {
  if (resized.length === 0) return [];
  const sizes = resized.map(({ sample, growth }) => number(sample.sizeField!, 4, sample.size + growth));
  // Samples lie in the order of their data; a run without samples may point anywhere.
  let before = 0;
  let growthBefore = 0;
  const runs = [...fragment.dataOffsets].sort((left, right) => left.target - right.target);
  const offsets = runs.map(({ field, target }) => {
    while (before < resized.length && resized[before]!.sample.offset < target)
      growthBefore += resized[before++]!.growth;
    return number(field, 4, target + growthBefore - fragment.moofStart);
  });
  const inAll = resized.reduce((sum, { growth }) => sum + growth, 0);
  return [...sizes, ...offsets, mdatSize(segment, fragment, inAll)];
}

/** The mdat's new size, in the form of the old one: 32 bits, 64 bits, or 0 for "to the end of the file". */
function mdatSize(segment: Uint8Array, { mdatStart, mdatPayload, end }: Fragment, growth: number): Edit {
  const size = end - mdatStart + growth;
  if (mdatPayload - mdatStart > 8) return number(mdatStart + 8, 8, size);
  const isUnstated = segment.subarray(mdatStart, mdatStart + 4).every((byte) => byte === 0);
  return number(mdatStart, 4, isUnstated ? 0 : size);
}

function number(start: number, bytes: number, value: number): Edit {
  const data = new Uint8Array(bytes);
  writeNumber(data, 0, bytes, value);
  return { start, end: start + bytes, data };
}
