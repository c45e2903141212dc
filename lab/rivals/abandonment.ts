import { isWhole } from './bitrates.js';
import { bolaScore, usefulUpTo, type Bola } from './bola.js';
import type { Option } from '../../src/abr-star/types.js';

/** A running download as BOLA's abandonment sees it. */
export interface Remainder {
  readonly representation: number;
  readonly bytesLeft: number;
  /** Buffer and placeholder together, in seconds. */
  readonly bufferLevel: number;
}

/**
 * The whole segment of a lower representation that BOLA prefers to what is left of a download, if there is one (Spiteri et
 * al., "BOLA", §V; as in Sabre). What needs no fewer bytes than finishing is never preferred.
 */
export function betterLower(bola: Bola, options: readonly Option[], running: Remainder): Option | undefined {
  const { representation, bytesLeft, bufferLevel } = running;
  let best: Option | undefined;
  let bestScore = bolaScore(bola, {
    utility: usefulUpTo(bola, representation).utility,
    bytes: bytesLeft,
    bufferLevel,
  });
  options.forEach((option, index) => {
    if (option.representation >= representation || option.bytes >= bytesLeft || !isWhole(options, index)) return;
    const { utility } = usefulUpTo(bola, option.representation);
    const score = bolaScore(bola, { utility, bytes: option.bytes, bufferLevel });
    if (score <= bestScore) return;
    best = option;
    bestScore = score;
  });
  return best;
}
