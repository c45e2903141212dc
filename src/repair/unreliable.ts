import { parseFragments } from './fmp4.js';
import { readSlices } from './h264/access-unit.js';
import type { ParameterSets } from './h264/parameter-sets.js';
import { allExcept, type ByteRange } from './missing.js';

/**
 * The bytes of a complete segment without which it can still be repaired, ascending: of every P and B slice what follows its header.
 * The segment is one that can be repaired.
 */
export function unreliableRanges(parameterSets: ParameterSets, segment: Uint8Array): ByteRange[] {
  const everything = allExcept([], segment.length);
  return parseFragments(segment)
    .flatMap(({ samples }) => samples)
    .flatMap(({ offset, size }) => readSlices(parameterSets, segment, offset, offset + size, everything))
    .filter(({ header }) => header.type !== 'I')
    .map(({ payload, end, header }) => ({ start: payload + header.headerBytes, end }))
    .filter(({ start, end }) => start < end);
}
