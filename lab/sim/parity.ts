import { blocksOf, type Block, type Parity } from '../../src/coding/symbols.js';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import { IntervalSet } from '../../src/manifest/interval-set.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Random } from './random.js';

/** The parity of an unreliable body that is the concatenation of such ranges. */
export interface BodyParity {
  readonly rangeLengths: readonly number[];
  readonly parity: Parity;
}

/** Lengths of the ranges that the first `bytes` of a segment's unreliable part are asked for by. */
export function rangeLengths({ unreliable }: Pick<SegmentMap, 'unreliable'>, bytes: number): number[] {
  const lengths: number[] = [];
  let left = bytes;
  for (const { start, end } of unreliable) {
    if (left <= 0) break;
    lengths.push(Math.min(left, end - start));
    left -= end - start;
  }
  return lengths;
}

/** How many bytes it is. */
export function parityBytes(body: BodyParity | undefined): number {
  if (!body) return 0;
  return blocksOf(body.rangeLengths, body.parity).reduce((sum, block) => sum + block.parity * block.symbolBytes, 0);
}

export interface SentParity extends BodyParity {
  /** How much of the body was sent: blocks beyond have no parity. */
  readonly sent: number;
  /** Share of the datagrams that were lost, those with parity included. */
  readonly lossRate: number;
}

/**
 * What stays lost of a body: parity fills a block of which no more data symbols are missing than parity symbols came. `lost` are
 * positions in the body, ascending.
 */
export function lostInSpiteOf(
  lost: readonly ByteRange[],
  { rangeLengths, parity, sent, lossRate }: SentParity,
  random: Random,
): readonly ByteRange[] {
  const missing = new IntervalSet();
  for (const { start, end } of lost) missing.add(start, end);
  const filled = blocksOf(rangeLengths, parity).filter((block) => {
    const symbols = missingSymbols(missing, block);
    return symbols > 0 && block.end <= sent && symbols <= arrivedParity(block, lossRate, random);
  });
  return lost.flatMap((range) => without(range, filled));
}

/** A lost datagram is about a symbol, wherever it begins. */
function missingSymbols(missing: IntervalSet, { start, end, symbolBytes }: Block): number {
  const here = missing.gaps(start, end).reduce((sum, gap) => sum + gap.end - gap.start, 0);
  return Math.round((end - start - here) / symbolBytes);
}

function arrivedParity({ parity }: Block, lossRate: number, random: Random): number {
  return Array.from({ length: parity }, () => random.uniform()).filter((draw) => draw >= lossRate).length;
}

function without(range: ByteRange, blocks: readonly Block[]): ByteRange[] {
  let left: ByteRange[] = [range];
  for (const { start, end } of blocks) {
    left = left.flatMap((piece) =>
      [
        { start: piece.start, end: Math.min(piece.end, start) },
        { start: Math.max(piece.start, end), end: piece.end },
      ].filter((part) => part.end > part.start),
    );
  }
  return left;
}
